import assert from "node:assert/strict";
import { test } from "node:test";
import { LineSplitter } from "../src/index.js";

function linesOf(...pieces) {
  const lines = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  return lines;
}

test("a line end split across two pieces counts once", () => assert.deepEqual(linesOf("a\r", "\nb\n"), ["a", "b"]));

test("all kinds of line ends, and a last line without one", () => {
  assert.deepEqual(linesOf("a\nb\r\nc\rd"), ["a", "b", "c", "d"]);
  assert.deepEqual(linesOf("a\n\nb"), ["a", "", "b"]);
  assert.deepEqual(linesOf("a\r"), ["a"]);
});
