import assert from "node:assert/strict";
import { test } from "node:test";
import { compare } from "../src/index.js";

const ascending = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.10.0"];

test("versions are ordered as in the specification", () => {
  assert.deepEqual(ascending.toReversed().sort(compare), ascending);
});

test("build metadata is ignored", () => assert.equal(compare("1.0.0+a", "1.0.0+b"), 0));
