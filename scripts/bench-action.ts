// Measures what a job pays for the action and prints one table; `npm run bench` measures the rest.
import { action } from "./bench/action.ts";
import { print } from "./bench/table.ts";

print(await action.rows(async () => Promise.reject(new Error("nothing of the action runs in a child"))));
