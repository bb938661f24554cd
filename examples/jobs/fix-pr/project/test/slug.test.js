import assert from "node:assert/strict";
import { test } from "node:test";
import { slug } from "../src/slug.js";

test("words are joined by one hyphen", () => assert.equal(slug("Hello, World"), "hello-world"));
test("no hyphen is at an end", () => assert.equal(slug("Hello!"), "hello"));
