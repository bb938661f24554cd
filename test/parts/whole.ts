/**
 * Loads every part of the program that the real one loads when it is needed, for tests that call what needs them at once.
 * @module
 */
import { beforeEach, expect } from "vitest";
import { scripted } from "../../src/agents/index.ts";
import { yaml } from "../../src/compile/compile.ts";
import { dialects } from "../../src/dialects/index.ts";
import { cel } from "../../src/expressions/cel.ts";
import { withLazyModules } from "../../src/ports/lazy-module.ts";

await cel.load();
await yaml.load();
await scripted.load();
for (const { read } of dialects)
  await withLazyModules(() => read({}, { command: nothing, workflow: nothing }));

function nothing() {
  return undefined;
}

// A test that asserts nothing cannot fail.
beforeEach(() => {
  expect.hasAssertions();
});
