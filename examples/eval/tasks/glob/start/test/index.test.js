import assert from "node:assert/strict";
import { test } from "node:test";
import { fits } from "../src/index.js";

test("any folders are also none", () => {
  assert.ok(fits("a.js", "**/*.js"));
  assert.ok(fits("src/deep/a.js", "**/*.js"));
  assert.ok(fits("src/a.js", "src/**/a.js"));
});

test("a star stays in its folder, and a dot is a dot", () => {
  assert.ok(!fits("src/a.js", "*.js"));
  assert.ok(!fits("axjs", "*.js"));
  assert.ok(fits("src/x/y", "src/**"));
});
