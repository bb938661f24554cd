import { expect, test } from "vitest";
import { redactTokens } from "../../src/ports/redact-tokens.ts";

const jwt = `eyJ${"a".repeat(20)}.eyJ${"b".repeat(20)}.${"c".repeat(20)}`;

test.each([
  ["a personal access token", `ghp_${"aB3".repeat(12)}`, "ghp_***"],
  ["an installation token", `ghs_${"aB3".repeat(12)}`, "ghs_***"],
  ["an installation token that holds a JWT", `ghs_${jwt}`, "ghs_***"],
  ["a fine-grained token", `github_pat_${"a1_".repeat(20)}`, "gith***"],
  ["a key of a model provider", `sk-ant-api03-${"aB3".repeat(10)}`, "sk-a***"],
  ["a JSON web token", jwt, "eyJa***"],
  ["an AWS key", "AKIAIOSFODNN7EXAMPLE", "AKIA***"],
  ["an npm token", `npm_${"a1B".repeat(12)}`, "npm_***"],
])("%s is redacted wherever it occurs", (_, token, left) => {
  expect(redactTokens(`key="${token}"\n${token},`)).toBe(`key="${left}"\n${left},`);
});

test.each([
  "sk-learn",
  "sk-folding-cube-animation-x",
  "ghp_short",
  "eyJ.eyJ.x",
  "task-AbCdEf1234567890123456",
])("%s is no token", (text) => {
  expect(redactTokens(text)).toBe(text);
});
