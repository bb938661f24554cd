import assert from "node:assert/strict";
import { test } from "node:test";
import { initials } from "../src/initials.js";

test("a name has initials", () => assert.equal(initials("Ada Lovelace"), "AL"));
