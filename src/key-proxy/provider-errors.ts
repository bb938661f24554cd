import type { IncomingHttpHeaders } from "node:http";
import { type AgentFault, transientFaults } from "../ports/agent.ts";
import { parseJson } from "../ports/parse-json.ts";
import { statusFaults } from "./http-status-errors.ts";

/** A classified error between an agent and its model. */
export interface ProviderError {
  readonly fault: AgentFault;
  readonly message: string;
  /** How long the endpoint asks the client to wait. */
  readonly retryAfterMs?: number;
  /** A setting is wrong, such as the base URL. */
  readonly isSetting?: true;
  /** The model itself refused to answer; the request was paid. */
  readonly isRefusal?: true;
}

/** True if people can fix it without changing the workflow: a key, credit or a setting. */
export const isFixable = ({ fault, isSetting }: ProviderError): boolean =>
  isSetting === true || fault === "auth" || fault === "credit";

/** True if it may go away: the agent's call is retried then. */
export const isPassing = ({ fault }: ProviderError): boolean => transientFaults.has(fault);

interface Refusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, or the part of it that was kept. */
  readonly body: string;
  /** For people: the host, and the name of the secret. */
  readonly host: string;
  readonly secret: string | undefined;
}

/** Classifies an answer with a status of 400 or more. */
export function parseErrorResponse({ status, headers, body, host, secret }: Refusal): ProviderError {
  const error = errorIn(body);
  const fault = byWords(error.text, status) ?? byStatus(status);
  const detail = error.message === "" ? "" : `: ${error.message}`;
  if (fault === "auth") {
    const which = secret === undefined ? "the key" : `the secret ${secret}`;
    return { fault, message: `${host} refused ${which} (${status})${detail}; set a key that is valid there` };
  }
  const wait = transientFaults.has(fault) ? (waitByHeader(headers) ?? waitByBody(body)) : undefined;
  const advice = fault === "refused" ? adviceFor(status, error.text) : advices[fault];
  const message = `${host} answered ${status}${detail}${advice === undefined ? "" : `; ${advice}`}`;
  const isSetting = fault === "refused" && notServedHere.test(error.text);
  return {
    fault,
    message,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(isSetting ? { isSetting } : {}),
  };
}

function adviceFor(status: number, text: string): string | undefined {
  if (notServedHere.test(text)) return "run it in a country that it serves, or set another provider";
  if (isNoModel(status, text)) return "set a model that it offers";
  return status === 404 || status === 405 ? "correct the base URL" : undefined;
}

/** The provider does not serve the country of this machine. */
const notServedHere =
  /unsupported_country|country, region, or territory not supported|user location is not supported/i;

/** Classifies an error inside a stream that started well. */
export function readStreamError(error: unknown, host: string): ProviderError {
  const body = JSON.stringify({ error });
  const { text, message } = errorIn(body);
  const wait = waitByBody(body);
  return {
    fault: byWords(text, 200) ?? "overloaded",
    message: `${host} cut off its answer${message === "" ? "" : `: ${message}`}`,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}

/** What people can do about errors that do not go away. */
const advices: Readonly<Partial<Record<AgentFault, string>>> = {
  context: "shorten the prompt, set `fresh_context: true`, or set a model with a larger context window",
  credit: "add credit or raise the limit there, or set another key",
};

const byStatus = (status: number): AgentFault =>
  statusFaults[status] ?? (status >= 500 ? "network" : "refused");

/** True if the requested model does not exist, or no longer does. */
const isNoModel = (status: number, text: string): boolean =>
  /model_not_found|model_decommissioned|DeploymentNotFound/i.test(text) ||
  (/\bmodels?\b/i.test(text) &&
    (status === 404 || /does not exist|not found|decommissioned|deprecated|retired|no longer/i.test(text)));

/** The body may be more specific than the status: an exhausted quota comes as 429, a context overflow as 400. */
function byWords(text: string, status: number): AgentFault | undefined {
  if (status === 401) return "auth";
  return classes.find(([pattern]) => pattern.test(text))?.[1];
}

/** The first match counts. */
const classes: readonly (readonly [RegExp, AgentFault])[] = [
  [notServedHere, "refused"],
  // A limit per minute or day, in words that others use for a context overflow.
  [/throttl|too many tokens(?: per day)?, please wait|too many tokens processed/i, "rate-limit"],
  [
    /context[ _](?:length|window|limit|size)|exceed_context|maximum context|(?:prompt|input) is too long|maximum prompt length|prompt exceeds max length|max_prompt_tokens|too many (?:input )?tokens|input token count.*exceeds|token limit: \d|request[ _]too[ _]large|string too long|range of input length|max_new_tokens. must be/i,
    "context",
  ],
  // Gemini says "check your plan and billing details" for limits per minute too; only a limit of 0 never goes away.
  [/quota exceeded for metric.*\blimit: 0(?![\d.])/i, "credit"],
  [/^(?=[\s\S]*current quota)(?=[\s\S]*resource_exhausted)/i, "rate-limit"],
  [
    /insufficient_quota|billing|credit balance|insufficient (?:credits|funds|balance)|exceeded your current quota|out of credits|credits are (?:required|depleted)|extra usage is required|all available credits|spending limit|specified api usage limits|key limit exceeded|budget has been exceeded|exceeded ?budget|budget_exceeded|arrear|account is in good standing/i,
    "credit",
  ],
  [
    /authentication_error|invalid_api_key|incorrect api key|api key (?:not valid|expired)|api_key_invalid|permission_error|invalid x-api-key|organization has been disabled/i,
    "auth",
  ],
  [/rate[_ ]limit|resource_exhausted|too many requests/i, "rate-limit"],
  [/overloaded|\bunavailable\b|server_is_overloaded|slow_down/i, "overloaded"],
  [/api_error|server_error|internal server error/i, "network"],
];

/** The error in a body: the text that classifies it, and the sentence for people. */
function errorIn(body: string): { readonly text: string; readonly message: string } {
  const value = parseJson(body);
  const top = Array.isArray(value) ? value[0] : value;
  const error = field(top, "error") ?? top;
  const message =
    field(error, "message") ?? (typeof error === "string" ? error : undefined) ?? field(top, "detail");
  const names = ["type", "code", "status", "__type"];
  // The upstream error that a router passes on.
  const raw = field(field(error, "metadata"), "raw");
  const parts = [...names.map((name) => field(error, name)), field(top, "code"), message, raw];
  const joined = parts.filter((part) => typeof part === "string").join(" ");
  const shown = typeof message === "string" ? message : value === undefined ? body : "";
  return {
    // A link to a billing page does not make it a billing error.
    text: (joined === "" ? body : joined).replace(/https?:\/\/\S+/g, ""),
    message: shown.replace(/\s+/g, " ").trim().slice(0, 500),
  };
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

function waitByHeader(headers: IncomingHttpHeaders): number | undefined {
  const ms = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (ms >= 0) return ms;
  const after = headers["retry-after"];
  if (after === undefined || after.trim() === "") return undefined;
  const wait = /^[\d.]+$/.test(after.trim()) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, Math.round(wait)) : undefined;
}

/** Gemini says `"retryDelay": "34s"`, OpenAI `try again in 1m6.2s`, Azure `retry after 6 seconds`. */
function waitByBody(body: string): number | undefined {
  const wait =
    /\bretryDelay\W+([\d.]+s)\b/.exec(body) ??
    /\b(?:(?:try again|retry) (?:in|after)|please wait) ((?:[\d.]+ ?(?:ms|[hms]|hours?|minutes?|seconds?)\b ?|[\d.]+[hm](?=\d))+)/i.exec(
      body,
    );
  const parts = [...(wait?.[1] ?? "").matchAll(/([\d.]+) ?(ms|[hms])/gi)];
  if (parts.length === 0) return undefined;
  const sum = parts.reduce(
    (ms, [, count, unit = "s"]) => ms + Number(count) * (unitMs[unit.toLowerCase()] ?? 1000),
    0,
  );
  return Number.isFinite(sum) ? Math.round(sum) : undefined;
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
