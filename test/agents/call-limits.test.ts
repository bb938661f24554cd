import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callLimitsFor } from "../../src/agents/call-limits.ts";
import { temporaryFolder } from "../workspace/playground.ts";

const used = { input_tokens: 1_000_000, output_tokens: 100_000, cost_usd: 0, cache_read: 400_000 };

function priceWith(text: string, file = join(temporaryFolder(), "prices.json")) {
  writeFileSync(file, text);
  const prices = { "our-model": { input: 7, output: 7 }, "their-model": { input: 2, output: 10 } };
  return callLimitsFor("our-model", { context: { prices }, environment: { UNTIL_GREEN_PRICES: file } }).price;
}

test("a file of prices sets what models cost, also those of our table, and leaves the others alone", () => {
  const price = priceWith(
    JSON.stringify({
      "our-model": { input: 1, output: 10, cache_read: 0.1 },
      "claude-sonnet-5-5": { input: 100, output: 100 },
    }),
  );
  expect(price?.("our-model", used)).toBeCloseTo(0.6 + 0.04 + 1);
  expect(price?.("claude-sonnet-5-5", used)).toBeCloseTo(110);
  expect(price?.("gpt-6-sol", used)).toBeGreaterThan(0);
  // Only the workflow sets this one.
  expect(price?.("their-model", used)).toBeCloseTo(3);
});

test("what an agent writes into the file of prices during the run changes nothing", () => {
  const file = join(temporaryFolder(), "prices.json");
  const before = priceWith('{"our-model": {"input": 1, "output": 10}}', file)?.("our-model", used);
  expect(priceWith('{"our-model": {"input": 0, "output": 0}}', file)?.("our-model", used)).toBe(before);
  expect(before).toBeCloseTo(2);
});

test.each(["[]", "{", '{"m": {"input": -1, "output": 1}}', '{"m": {"input": 1, "output": 1, "cash": 1}}'])(
  "a file of prices that is %s is refused with its name and the form it must have",
  (text) => {
    expect(() => priceWith(text)).toThrow(
      /^UNTIL_GREEN_PRICES=.*prices.json must be a JSON file like \{"MODEL"/,
    );
  },
);

test.each(["cheap", "3", "3/", "3,15", "-1/5", "1/2/3/4/5"])(
  "a price of %s for all models is refused, and not counted as 0",
  (text) => {
    const environment = { UNTIL_GREEN_API_PRICE: text };
    expect(() => callLimitsFor("our-model", { context: {}, environment })).toThrow(
      `UNTIL_GREEN_API_PRICE=${text} is not a price: set US dollars`,
    );
  },
);

test.each(["3/15", " 3 / 15 / 0.3 / 3.75 ", "0/0"])("a price of %j for all models counts", (text) => {
  const environment = { UNTIL_GREEN_API_PRICE: text };
  const { price } = callLimitsFor("our-model", { context: {}, environment });
  expect(price?.("our-model", used)).toBeGreaterThanOrEqual(0);
});
