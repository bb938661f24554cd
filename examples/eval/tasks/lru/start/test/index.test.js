import assert from "node:assert/strict";
import { test } from "node:test";
import { Cache } from "../src/index.js";

test("an entry that was read recently stays", () => {
  const cache = new Cache(2);
  cache.set("a", 1);
  cache.set("b", 2);
  assert.equal(cache.get("a"), 1);
  cache.set("c", 3);
  assert.equal(cache.get("a"), 1);
  assert.equal(cache.get("b"), undefined);
});

test("a value may be undefined", () => {
  const cache = new Cache(1);
  cache.set("a", undefined);
  assert.equal(cache.get("a"), undefined);
});
