import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/total.ts";

test("lines are added", () => assert.equal(total([{ price: 2, pieces: 3 }, { price: 1, pieces: 4 }]), 10));
