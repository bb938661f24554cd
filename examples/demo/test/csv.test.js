import assert from "node:assert/strict";
import { test } from "node:test";
import { toCsv } from "../src/csv.js";

test("leaves plain cells alone", () => assert.equal(toCsv([["pen", 3]]), "pen,3\r\n"));

test("keeps commas, quotes and line breaks inside their cell", () => {
  assert.equal(toCsv([['pen, 5" long', "two\nlines"]]), '"pen, 5"" long","two\nlines"\r\n');
});
