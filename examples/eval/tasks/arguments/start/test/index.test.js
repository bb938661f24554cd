import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "../src/index.js";

test("a value may be empty or contain an equals sign", () => {
  assert.deepEqual(parse(["--name=", "x"]), { options: { name: "" }, rest: ["x"] });
  assert.deepEqual(parse(["--name=a=b"]).options, { name: "a=b" });
});

test("flags, and everything after two dashes", () => {
  const { options, rest } = parse(["--deep", "--no-color", "a", "--", "--b"], { flags: ["deep", "color"] });
  assert.deepEqual(options, { deep: true, color: false });
  assert.deepEqual(rest, ["a", "--b"]);
});
