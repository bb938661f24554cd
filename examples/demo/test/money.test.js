import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMoney, parseMoney } from "../src/money.js";

test("reads whole amounts", () => assert.equal(parseMoney("7"), 700));

test("reads every cent", () => assert.equal(parseMoney("19.99"), 1999));

test("refuses what is no amount", () => assert.throws(() => parseMoney("12,30"), TypeError));

test("groups thousands", () => assert.equal(formatMoney(123450), "1,234.50"));
