/** Loads every lazily loaded module, for tests that call them synchronously. @module */
import { scripted } from "../../src/agents/index.ts";
import { afterCheck } from "../../src/checks/after-check.ts";
import { yaml } from "../../src/compile/compile.ts";
import { dialects } from "../../src/dialects/index.ts";
import { cel } from "../../src/expressions/cel.ts";
import { withLazyModules } from "../../src/ports/lazy-module.ts";

await cel.load();
await yaml.load();
await scripted.load();
await afterCheck.load();
for (const { read } of dialects)
  await withLazyModules(() => read({}, { command: nothing, workflow: nothing }));

function nothing() {
  return undefined;
}
