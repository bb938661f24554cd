/**
 * Measures the cost of many items and many runs, on loopback, and prints a table: `npm run bench:wide`, or `npm run
 * bench:wide -- plan attempts join` for parts of it. @module
 */
import { print } from "./bench/table.ts";
import { wideRows } from "./bench/wide.ts";

print(await wideRows(process.argv.slice(2)));
