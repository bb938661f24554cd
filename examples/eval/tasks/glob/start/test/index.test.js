import assert from "node:assert/strict";
import { test } from "node:test";
import { fits } from "../src/index.js";

test("`**` also matches no folder", () => {
  assert.ok(fits("a.js", "**/*.js"));
  assert.ok(fits("src/deep/a.js", "**/*.js"));
  assert.ok(fits("src/a.js", "src/**/a.js"));
});

test("`*` matches no slash, and a dot matches only a dot", () => {
  assert.ok(!fits("src/a.js", "*.js"));
  assert.ok(!fits("axjs", "*.js"));
  assert.ok(fits("src/x/y", "src/**"));
});
