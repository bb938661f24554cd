import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLine } from "../src/index.js";

test("an empty quoted field is empty", () => assert.deepEqual(parseLine('a,"",b'), ["a", "", "b"]));

test("quotes and commas inside a quoted field", () => {
  assert.deepEqual(parseLine('"a ""b""",c'), ['a "b"', "c"]);
  assert.deepEqual(parseLine('"a,b",c'), ["a,b", "c"]);
});
