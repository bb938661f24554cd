import assert from "node:assert/strict";
import { test } from "node:test";
import { read } from "../src/read.js";

test("a file is read as text", async () => assert.match(await read("package.json"), /"name"/));
