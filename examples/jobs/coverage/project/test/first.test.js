import assert from "node:assert/strict";
import { test } from "node:test";
import { shipping } from "../src/shipping.js";

test("a small parcel in the country", () => assert.equal(shipping(800, "DE"), 500));
