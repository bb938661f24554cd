/**
 * Loads every part of the program that the real one loads when it is needed, for tests that call what needs them at once.
 * @module
 */
import { dialects } from "../../src/dialects/index.ts";
import { cel } from "../../src/expr/cel.ts";
import { withParts } from "../../src/expr/part.ts";

await cel.load();
for (const { read } of dialects) await withParts(() => read({}, { command: nothing, workflow: nothing }));

function nothing() {
  return undefined;
}
