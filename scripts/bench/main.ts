/**
 * Measures the cost of the product and prints a table: `npm run bench`, or `npm run bench -- iteration memory` for a
 * part of it. Asserts nothing, because a machine under load misses goals that the code reaches. @module
 */
import type { InChild, Row } from "./bench.ts";
import { benches } from "./benches.ts";
import { print } from "./table.ts";

const [first, ...more] = process.argv.slice(2);

if (first === "--measure") process.stdout.write(JSON.stringify(await measure(more)));
else await runAll(first === undefined ? Object.keys(benches) : [first, ...more]);

async function measure([name = "", measurement = "", ...args]: readonly string[]): Promise<unknown> {
  const bench = await benches[name]?.();
  return (await bench?.measurements[measurement]?.(...args)) ?? null;
}

async function runAll(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !Object.hasOwn(benches, name));
  if (unknown.length > 0)
    console.error(`no bench ${unknown.join(", ")}; there are ${Object.keys(benches).join(", ")}`);
  const { openChildren } = await import("./children.ts");
  const children = await openChildren();
  try {
    const rows = [];
    for (const name of names.filter((it) => Object.hasOwn(benches, it))) {
      console.error(`${name} …`);
      rows.push(...(await rowsOf(name, children.of(name))));
    }
    print(rows);
  } finally {
    children.close();
  }
}

/** A failing bench must not prevent the others. */
async function rowsOf(name: string, inChild: InChild): Promise<readonly Row[]> {
  try {
    return (await (await benches[name]?.())?.rows(inChild)) ?? [];
  } catch (error) {
    console.error(error);
    return [{ what: `${name}: could not be measured`, figure: "" }];
  }
}
