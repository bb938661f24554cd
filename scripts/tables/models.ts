import { type Model, models, modelsSource, type Price } from "../../src/agents/models.ts";
import { code, table } from "./markdown.ts";

/** The models with known sizes and prices, and the source of the figures. */
export function modelTable(): string {
  const head = ["model", "context window", "longest answer", "input", "cached input", "output", "retires on"];
  const rows = models.map((model) => [
    `${code(model.id)}${model.isDefault ? ` (default of ${code(`api:${model.provider}`)})` : ""}`,
    tokens(model.window),
    tokens(model.output),
    ...(["input", "cache_read", "output"] as const).map((kind) => priceOf(model, kind)),
    model.retires ?? "",
  ]);
  const source = `As of ${modelsSource.date}, from ${modelsSource.from}. Prices are in US dollars per million tokens.`;
  return `${source}\n\n${table(head, rows)}`;
}

const tokens = (count: number) => count.toLocaleString("en");

const priceOf = ({ price, long }: Model, kind: keyof Price) =>
  long === undefined
    ? shown(price[kind])
    : `${shown(price[kind])}; ${shown(long[kind])} over ${tokens(long.over)}`;

/** Tenths of prices are not exact in binary. */
const shown = (usd: number) => String(Number(usd.toFixed(6)));
