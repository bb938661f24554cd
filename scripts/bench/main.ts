/**
 * Measures the cost of the product and prints a table: `npm run bench`, or `npm run bench -- iteration memory` for a
 * part of it. Asserts nothing, because a machine under load misses goals that the code reaches. @module
 */
import { benches } from "./benches.ts";
import { print, rowsOfAll } from "./table.ts";

const [first, ...more] = process.argv.slice(2);

if (first === "--measure") process.stdout.write(JSON.stringify(await measure(more)));
else await runAll(first === undefined ? Object.keys(benches) : [first, ...more]);

async function measure([name = "", measurement = "", ...args]: readonly string[]): Promise<unknown> {
  const bench = await benches[name]?.();
  return (await bench?.measurements[measurement]?.(...args)) ?? null;
}

async function runAll(names: readonly string[]): Promise<void> {
  const { openChildren } = await import("./children.ts");
  const children = await openChildren();
  try {
    print(await rowsOfAll(benches, names, async (bench, name) => (await bench()).rows(children.of(name))));
  } finally {
    children.close();
  }
}
