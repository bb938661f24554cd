/** Loads every lazily loaded module, for tests that call them synchronously. @module */
import { scripted } from "../../src/agents/index.ts";
import { yaml } from "../../src/compile/compile.ts";
import { dialects } from "../../src/dialects/index.ts";
import { cel } from "../../src/expressions/cel.ts";
import { withLazyModules } from "../../src/ports/lazy-module.ts";
import { suspicious } from "../../src/stops/shell-check.ts";

await cel.load();
await yaml.load();
await scripted.load();
await suspicious.load();
for (const { read } of dialects)
  await withLazyModules(() => read({}, { command: nothing, workflow: nothing }));

function nothing() {
  return undefined;
}
