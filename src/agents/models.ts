import type { Usage } from "../ports/agent.ts";
import type { ModelPrice, ModelPrices } from "../ports/model-price.ts";

/** One model: its limits, its prices, and the date it is retired. */
export interface Model {
  readonly id: string;
  /** The provider that serves it, by its name in `api:PROVIDER/MODEL`. */
  readonly provider: string;
  /** Maximum tokens of a request with its answer, and of the answer alone. */
  readonly window: number;
  readonly output: number;
  readonly price: Price;
  /** The price of all tokens of a request with more than `over` input tokens. */
  readonly long?: Price & { readonly over: number };
  /** The announced day on which its provider retires it (ISO 8601). */
  readonly retires?: string;
  /** The default model of its provider. */
  readonly isDefault?: true;
}

/** US dollars per million tokens. Cached input that is read or written has its own price. */
export type Price = Required<ModelPrice>;

/** The source of the table, and the date it was read. */
export const modelsSource = {
  from: "models.dev, the pages of Anthropic and Google, and OpenAI's list of deprecations",
  date: "2026-11-22",
} as const;

/** Prices of input, output, and input read from the cache; the latter defaults to a tenth of the input price. */
const usd = (input: number, output: number, cache_read = input / 10): Price => ({
  input,
  output,
  cache_read,
  cache_write: input,
});

/** The same with a price for cache writes: Anthropic and OpenAI's newest models charge a quarter more for it. */
const claude = (input: number, output: number, cache_read = input / 10): Price => ({
  ...usd(input, output, cache_read),
  cache_write: input * 1.25,
});

const [small, large] = [
  { window: 200_000, output: 64_000 },
  { window: 1_000_000, output: 128_000 },
];
const gpt = { provider: "openai", window: 1_050_000, output: 128_000 };
const oldGpt = { provider: "openai", window: 400_000, output: 128_000 };
const gemini = { provider: "gemini", window: 1_048_576, output: 65_536 };
const anthropic = { provider: "anthropic" };

/** Models with known sizes and prices. */
export const models: readonly Model[] = [
  { id: "claude-sonnet-5-5", ...anthropic, ...large, price: claude(2, 10), isDefault: true },
  { id: "claude-opus-5-5", ...anthropic, ...large, price: claude(4, 20, 0.2) },
  {
    id: "claude-haiku-5-5",
    ...anthropic,
    ...large,
    price: claude(0.1, 0.5),
    long: { over: 100_000, ...claude(0.5, 2.5) },
  },
  { id: "claude-fable-5-1", ...anthropic, ...large, price: claude(10, 50, 0.25) },
  { id: "claude-sonnet-5", ...anthropic, ...large, price: claude(2, 10) },
  { id: "claude-opus-5", ...anthropic, ...large, price: claude(5, 25) },
  { id: "claude-opus-4-8", ...anthropic, ...large, price: claude(5, 25) },
  { id: "claude-sonnet-4-6", ...anthropic, ...large, output: 64_000, price: claude(3, 15) },
  { id: "claude-sonnet-4-5", ...anthropic, ...small, price: claude(3, 15), retires: "2026-11-30" },
  { id: "claude-haiku-4-5", ...anthropic, ...small, price: claude(1, 5) },
  {
    id: "gpt-6-sol",
    ...gpt,
    price: claude(2, 10),
    long: { over: 272_000, ...claude(4, 15) },
    isDefault: true,
  },
  { id: "gpt-6-astra", ...gpt, price: claude(10, 50), long: { over: 272_000, ...claude(20, 75) } },
  { id: "gpt-6-luna", ...gpt, price: claude(0.1, 0.5), long: { over: 272_000, ...claude(0.2, 0.75) } },
  { id: "gpt-5.6-sol", ...gpt, price: claude(5, 30), long: { over: 272_000, ...claude(10, 45) } },
  { id: "gpt-5.5", ...gpt, price: usd(5, 30), long: { over: 272_000, ...usd(10, 45) } },
  { id: "gpt-5.4", ...gpt, price: usd(2.5, 15), long: { over: 272_000, ...usd(5, 22.5) } },
  { id: "gpt-5.4-mini", ...oldGpt, price: usd(0.75, 4.5) },
  { id: "gpt-5.3-codex", ...oldGpt, price: usd(1.75, 14) },
  { id: "gpt-5.1", ...oldGpt, price: usd(1.25, 10), retires: "2027-04-01" },
  { id: "gpt-5", ...oldGpt, price: usd(1.25, 10), retires: "2026-12-11" },
  { id: "gpt-5-mini", ...oldGpt, price: usd(0.25, 2), retires: "2026-12-11" },
  { id: "gemini-3.8-flash", ...gemini, price: usd(0.75, 3.75), isDefault: true },
  { id: "gemini-3.5-flash", ...gemini, price: usd(1.5, 9) },
  { id: "gemini-3.5-flash-lite", ...gemini, price: usd(0.3, 2.5) },
  {
    id: "gemini-3.1-pro-preview",
    ...gemini,
    price: usd(2, 12),
    long: { over: 200_000, ...usd(4, 18) },
  },
  { id: "gemini-2.5-pro", ...gemini, price: usd(1.25, 10), retires: "2026-12-01" },
  { id: "gemini-2.5-flash", ...gemini, price: usd(0.3, 2.5), retires: "2026-12-01" },
];

/** The default model of this provider. */
export const defaultModel = (provider: string): string | undefined =>
  models.find((model) => model.isDefault && model.provider === provider)?.id;

/** The table's row for a model. The name may have a provider prefix and a date suffix. */
export function modelNamed(name: string): Model | undefined {
  const plain = name.slice(name.lastIndexOf("/") + 1).replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");
  return models.find(({ id }) => id === plain || id === plain.replaceAll(".", "-"));
}

/** Defaults for an unknown model. */
const unknown = { window: 200_000, output: 32_000 } as const;

/** Maximum tokens that a model accepts and returns in one request. */
export const sizesOf = (name: string): Pick<Model, "window" | "output"> => modelNamed(name) ?? unknown;

/** The variable with a price for every model: input/output, optionally followed by cache read/cache write. */
export const priceVariable = "UNTIL_GREEN_API_PRICE";

/** Parses a price in that format; `undefined` if it is invalid. */
export function priceIn(text: string): Price | undefined {
  const parts = text.split("/").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  const [input = Number.NaN, output = Number.NaN, cache_read = input, cache_write = input] = parts;
  const isPrice = parts.length <= 4 && [input, output, cache_read, cache_write].every((one) => one >= 0);
  return isPrice ? { input, output, cache_read, cache_write } : undefined;
}

/**
 * The cost of a request in US dollars: by the user's own price if set, else by the price of the model that answered,
 * or of the requested one, in the user's list or our table; `undefined` if no price is known.
 */
export function priceBy(wanted: string | undefined, own: string | undefined, listed: ModelPrices = {}) {
  const set = priceIn(own ?? "");
  return (answered: string | undefined, used: Usage): number | undefined => {
    if (set !== undefined) return costOf(set, used);
    const one = [answered, wanted].find((name) => name !== undefined && Object.hasOwn(listed, name));
    if (one !== undefined && listed[one] !== undefined) return costOf(listed[one], used);
    const model = modelNamed(answered ?? "") ?? modelNamed(wanted ?? "");
    if (model === undefined) return undefined;
    const isLong = model.long !== undefined && used.input_tokens > model.long.over;
    return costOf(isLong && model.long ? model.long : model.price, used);
  };
}

function costOf(
  { input, output, cache_read: read = input, cache_write: write = input }: ModelPrice,
  { input_tokens, output_tokens, cache_read = 0, cache_write = 0 }: Usage,
): number {
  const fresh = Math.max(0, input_tokens - cache_read - cache_write);
  const sum = fresh * input + cache_read * read + cache_write * write + output_tokens * output;
  return sum / 1_000_000;
}
