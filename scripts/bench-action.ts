// Measures the cost of the action in a job and prints a table: `npm run bench:action`, or with `start`, `checkpoint`,
// `resume` and `push` parts of it. `npm run bench` measures the rest.
import { actionRows } from "./bench/action.ts";
import { print } from "./bench/table.ts";

const [first, ...more] = process.argv.slice(2);
print(await actionRows(first === undefined ? undefined : [first, ...more]));
