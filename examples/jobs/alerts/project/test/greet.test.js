import assert from "node:assert/strict";
import { test } from "node:test";
import { greet } from "../src/greet.js";

test("people are greeted by name", () => assert.equal(greet("Ann"), "<p>Hello, Ann!</p>"));
