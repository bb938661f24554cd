import { readFileSync } from "node:fs";
import { z } from "zod";
import type { KeyLeaseRequest } from "../key-proxy/lease.ts";
import { type AgentContext, AgentError } from "../ports/agent.ts";
import { type ModelPrices, modelPrices } from "../ports/model-price.ts";
import type { Environment } from "../processes/environment.ts";
import { priceBy, priceIn, priceVariable } from "./models.ts";

interface Paying {
  readonly context: Pick<AgentContext, "spending" | "prices">;
  readonly environment: Environment;
}

/**
 * The limits for the requests of one agent call: the run's budget, the prices, and the longest silence of its model.
 */
export function callLimitsFor(
  model: string | undefined,
  { context, environment }: Paying,
): Pick<KeyLeaseRequest, "spending" | "price" | "silenceMs"> {
  const seconds = Number(environment[silenceVariable] || Number.NaN);
  return {
    spending: context.spending,
    price: priceBy(model, ownPrice(environment[priceVariable]), {
      ...context.prices,
      ...pricesIn(environment[pricesVariable]),
    }),
    silenceMs: seconds > 0 ? seconds * 1000 : undefined,
  };
}

/** Seconds without a byte after which a request to a model counts as lost. */
const silenceVariable = "UNTIL_GREEN_MODEL_SILENCE_SECONDS";

function ownPrice(text: string | undefined): string | undefined {
  if (!text?.trim() || priceIn(text) !== undefined) return text;
  const form = "set US dollars for a million tokens of input and output, like 3/15 or 3/15/0.3/3.75";
  throw new AgentError("missing", `${priceVariable}=${text} is not a price: ${form}`);
}

/** A JSON file with prices of models, in US dollars for a million tokens. */
const pricesVariable = "UNTIL_GREEN_PRICES";

/** Each file is read once per process, because an agent might write to it. */
const read = new Map<string, ModelPrices>();

function pricesIn(file: string | undefined): ModelPrices {
  if (!file) return {};
  try {
    const prices = read.get(file) ?? modelPrices.parse(JSON.parse(readFileSync(file, "utf8")));
    read.set(file, prices);
    return prices;
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
    const form = '{"MODEL": {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75}}';
    throw new AgentError("missing", `${pricesVariable}=${file} must be a JSON file like ${form}: ${why}`, {
      cause,
    });
  }
}
