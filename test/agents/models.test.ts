import { expect, test } from "vitest";
import { defaultModel, modelNamed, models, priceBy, sizesOf } from "../../src/agents/models.ts";

/** The models that retire within 60 days of a day. */
const retiringFrom = (now: Date) => {
  const days = 60 * 24 * 60 * 60 * 1000;
  return models.filter(({ retires }) => retires !== undefined && Date.parse(retires) - now.getTime() < days);
};

test("no default model retires within 60 days: choose its successor in models.ts", () => {
  const retiring = retiringFrom(new Date()).filter(({ isDefault }) => isDefault);
  expect(retiring.map(({ id, retires }) => `${id} retires on ${retires}`)).toEqual([]);
});

test("a model counts as retiring from 60 days before its last day, and after it", () => {
  const isRetiring = (on: string) => retiringFrom(new Date(on)).some(({ id }) => id === "gpt-5.1");
  expect(isRetiring("2027-01-30")).toBe(false);
  expect(isRetiring("2027-02-02")).toBe(true);
  expect(isRetiring("2027-06-01")).toBe(true);
});

test("every provider has at most one default, and no model is listed twice", () => {
  const defaults = models.filter(({ isDefault }) => isDefault).map(({ provider }) => provider);
  expect(new Set(defaults).size).toBe(defaults.length);
  expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
  expect(defaultModel("openrouter")).toBeUndefined();
});

test.each([
  ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5"],
  ["anthropic/claude-sonnet-5.5", "claude-sonnet-5-5"],
  ["gpt-5.5-2026-04-23", "gpt-5.5"],
])("%s is known as %s", (name, id) => {
  expect(modelNamed(name)?.id).toBe(id);
});

test("an unknown model gets the sizes of most current models", () => {
  expect(modelNamed("llama-9")).toBeUndefined();
  expect(sizesOf("llama-9")).toEqual({ window: 200_000, output: 32_000 });
});

const used = { input_tokens: 1_000_000, output_tokens: 0, cost_usd: 0 };

test("a million tokens read from the cache cost what they cost, and not what fresh ones do", () => {
  const price = priceBy("claude-sonnet-4-5", undefined);
  expect(price(undefined, used)).toBeCloseTo(3);
  expect(price(undefined, { ...used, cache_read: 1_000_000 })).toBeCloseTo(0.3);
  expect(price(undefined, { ...used, cache_write: 1_000_000 })).toBeCloseTo(3.75);
});

test("the model that answered is the one that is paid, and a long request costs its own price", () => {
  expect(priceBy("gpt-6-sol", undefined)("claude-opus-5-5", used)).toBeCloseTo(4);
  expect(priceBy("gpt-6-sol", undefined)(undefined, used)).toBeCloseTo(4);
  expect(priceBy("gpt-6-sol", undefined)(undefined, { ...used, input_tokens: 200_000 })).toBeCloseTo(0.4);
});

test("the user's own price counts for every model, and the cost of a model without one is unknown", () => {
  expect(priceBy("llama-9", "3/15")(undefined, { ...used, output_tokens: 1_000_000 })).toBeCloseTo(18);
  expect(priceBy("llama-9", "3/15/0.3/3.75")(undefined, { ...used, cache_read: 1_000_000 })).toBeCloseTo(0.3);
  expect(priceBy("llama-9", undefined)(undefined, used)).toBeUndefined();
  expect(priceBy("llama-9", "three/15")(undefined, used)).toBeUndefined();
});
