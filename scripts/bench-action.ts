// Measures what a job pays for the action and prints one table: `npm run bench:action`, or with `start`, `checkpoint`,
// `resume` and `push` a part of it. `npm run bench` measures the rest.
import { actionRows } from "./bench/action.ts";
import { print } from "./bench/table.ts";

const [first, ...more] = process.argv.slice(2);
print(await actionRows(first === undefined ? undefined : [first, ...more]));
