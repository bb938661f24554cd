import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  isFixable,
  isPassing,
  parseErrorResponse,
  readStreamError,
} from "../../src/key-proxy/provider-errors.ts";

const read = (status: number, body: unknown) =>
  parseErrorResponse({
    status,
    headers: {},
    body: typeof body === "string" ? body : JSON.stringify(body),
    host: "api.example.com",
    secret: undefined,
  });

interface Row {
  readonly who: string;
  readonly status: number;
  readonly fault: string;
  readonly body: unknown;
}

/** What providers answer, as they document it and as people have reported it: one answer a line. */
const rows: readonly Row[] = readFileSync("test/fixtures/provider-errors.jsonl", "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

test.each(rows.map((row) => ({ ...row, words: JSON.stringify(row.body) })))(
  "$who, $status $words: $fault",
  ({ status, body, fault }) => {
    expect(read(status, body).fault).toBe(fault);
  },
);

test.each([
  ["Please retry in 15.002899939s.", 15_003],
  ["Please try again in 250ms.", 250],
  ["Please try again in 1m12.5s.", 72_500],
  ["Please try again in 1h2m.", 3_720_000],
  ["Please retry after 6 seconds.", 6000],
  ["Please wait 3723 seconds before retrying.", 3_723_000],
  ['{\n "error": {"code": 429, "details": [{"retryDelay": "26s"}]}}', 26_000],
])("a message can hold the advised wait: %s", (message, retryAfterMs) => {
  expect(read(429, { error: { message } })).toMatchObject({ fault: "rate-limit", retryAfterMs });
});

test.each<[string, number, string, unknown]>([
  ["its type", 429, "credit", { error: { type: "insufficient_quota", message: "No." } }],
  ["a code beside the error", 429, "credit", { code: "insufficient_quota", error: { message: "No." } }],
  ["a whole word of its own", 400, "overloaded", { error: { code: "x", status: "UNAVAILABLE" } }],
  ["the body, if it names no field of an error", 429, "credit", { detail: "insufficient_quota" }],
  ["no other field", 429, "rate-limit", { error: { message: "Slow down.", docs: "insufficient_quota" } }],
])("an error is classified by %s", (...[, status, fault, body]) => {
  expect(read(status, body).fault).toBe(fault);
});

const answered = (status: number, headers: Record<string, string>, secret?: string) =>
  parseErrorResponse({ status, headers, body: "{}", host: "api.example.com", secret });

test.each([
  ["7", 7_000],
  [" 1.5 ", 1_500],
  [new Date(Date.now() - 60_000).toUTCString(), 0],
  ["", undefined],
  [" ", undefined],
  ["soon", undefined],
  ["7 bananas", undefined],
])("Retry-After: %s asks to wait %s ms", (after, ms) => {
  expect(answered(429, { "retry-after": after }).retryAfterMs).toBe(ms);
});

test("Retry-After may be a date", () => {
  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  const wait = answered(503, { "retry-after": inAMinute }).retryAfterMs ?? 0;
  expect(wait).toBeGreaterThan(50_000);
  expect(wait).toBeLessThanOrEqual(60_000);
});

test("an error that no waiting helps with asks for none", () => {
  expect(answered(400, { "retry-after": "7" })).not.toHaveProperty("retryAfterMs");
});

test("a refused key is named by its secret, if it has one", () => {
  expect(answered(401, {}).message).toBe(
    "api.example.com refused the key (401); set a key that is valid there",
  );
  expect(answered(403, {}, "MY_KEY").message).toContain("refused the secret MY_KEY (403)");
});

test("a 401 is about the key, whatever else it says", () => {
  expect(read(401, { error: { type: "rate_limit_error", message: "too many requests" } }).fault).toBe("auth");
});

test("what an endpoint says is shown on one line, and shortened", () => {
  expect(read(400, { error: { message: " a \n\n  b\t" } }).message).toBe("api.example.com answered 400: a b");
  expect(read(400, { error: "a text" }).message).toBe("api.example.com answered 400: a text");
  expect(read(400, "<html>").message).toBe("api.example.com answered 400: <html>");
  expect(read(400, { detail: "x" }).message).toBe("api.example.com answered 400: x");
  expect(read(400, { detail: [{ msg: "x" }] }).message).toBe("api.example.com answered 400");
  expect(read(400, "x".repeat(501)).message).toBe(`api.example.com answered 400: ${"x".repeat(500)}`);
  expect(read(400, [{ error: { message: "in a list" } }]).message).toBe(
    "api.example.com answered 400: in a list",
  );
});

test.each([
  [500, "network"],
  [599, "network"],
  [499, "refused"],
])("a %i that says nothing else is of the class %s", (status, fault) => {
  expect(answered(status, {}).fault).toBe(fault);
});

test("only a missing model is answered with advice to set another", () => {
  const advice = "; set a model that it offers";
  expect(read(404, { error: { message: "model m was not there" } }).message).toContain(advice);
  expect(read(400, { error: { message: "The model m does not exist" } }).message).toContain(advice);
  expect(read(400, { error: { message: "The model cannot take images" } }).message).not.toContain(advice);
  expect(read(404, { error: { message: "no such file" } }).message).not.toContain(advice);
  const limited = { error: { message: "Rate limit reached: model m is no longer free" } };
  expect(read(429, limited).message).not.toContain(advice);
});

test("a path that is not there is answered with advice to correct the base URL", () => {
  const path = { error: { message: "Invalid URL (POST /v1/v1/responses)", type: "invalid_request_error" } };
  expect(read(404, path).message).toBe(
    "api.example.com answered 404: Invalid URL (POST /v1/v1/responses); correct the base URL",
  );
  expect(read(405, { detail: "Method Not Allowed" }).message).toBe(
    "api.example.com answered 405: Method Not Allowed; correct the base URL",
  );
});

test.each([
  [403, { error: { code: "unsupported_country_region_territory", message: "Country not supported" } }],
  [
    400,
    { error: { status: "FAILED_PRECONDITION", message: "User location is not supported for the API use." } },
  ],
])("a country that a provider does not serve is no matter of the key (%i)", (status, body) => {
  const error = read(status, body);
  expect(error).toMatchObject({ fault: "refused", isSetting: true });
  expect(error.message).toMatch(/; run it in a country that it serves, or set another provider$/);
});

test("an error in a stream says what it was, and how long to wait", () => {
  expect(readStreamError({ type: "api_error", message: "Try again in 2s" }, "api.example.com")).toEqual({
    fault: "network",
    message: "api.example.com cut off its answer: Try again in 2s",
    retryAfterMs: 2_000,
  });
  expect(readStreamError({}, "api.example.com")).toEqual({
    fault: "overloaded",
    message: "api.example.com cut off its answer",
  });
});

test("people can fix a key, credit and a setting; an outage passes", () => {
  const of = (fault: Parameters<typeof isFixable>[0]["fault"]) => ({ fault, message: "" });
  expect([of("auth"), of("credit"), of("refused"), of("network")].map(isFixable)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(isFixable({ ...of("refused"), isSetting: true })).toBe(true);
  expect([of("network"), of("overloaded"), of("rate-limit"), of("auth")].map(isPassing)).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test("an error that does not go away says what to do", () => {
  const long = { error: { message: "prompt is too long: 250000 tokens > 200000 maximum" } };
  expect(read(400, long).message).toMatch(
    /maximum; shorten the prompt, set `fresh_context: true`, or set a model/,
  );
  expect(read(413, {}).message).toContain("; shorten the prompt");
  expect(read(402, {}).message).toContain("; add credit or raise the limit there, or set another key");
});
