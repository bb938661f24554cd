import assert from "node:assert/strict";
import { test } from "node:test";
import { price } from "../src/price.js";

test("a price has a currency", () => assert.match(price(250), /^\$2\.5/));
