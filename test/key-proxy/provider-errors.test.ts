import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseErrorResponse } from "../../src/key-proxy/provider-errors.ts";

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
