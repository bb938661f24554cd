import { expect, test } from "vitest";
import { sign, signatureFault } from "../../../src/stores/git/sign.ts";

const key = { secret: "key", repository: "octocat/hello" };
const state = { run: "run-001", seq: 3, status: { b: [1, { d: 1, c: 2 }], a: undefined } };

test("what was signed is known again, in whatever order its names come back", () => {
  const signed = sign(state, key);
  const { status, seq, run, ...rest } = JSON.parse(JSON.stringify(signed));
  const again = { status: { b: [1, { c: 2, d: 1 }], ...status }, seq, ...rest, run };
  expect(signatureFault(again, key)).toBeUndefined();
});

test.each<[string, object]>([
  ["changed", { ...sign(state, key), seq: 4 }],
  ["added to", { ...sign(state, key), work: "x" }],
  ["moved", { ...sign(state, key), repository: "octocat/other" }],
  ["signed with another key", sign(state, { ...key, secret: "other" })],
  ["signed with half of it", { ...state, seal: sign(state, key).seal.slice(0, 32) }],
  ["not signed", state],
  ["signed with no text", { ...state, seal: 1 }],
])("what was %s is not", (_, expected) => {
  expect(signatureFault(expected, key)).toMatch(/not signed with the state key/);
});

test("what was signed for another repository with the same key is refused by its name", () => {
  expect(signatureFault(sign(state, { ...key, repository: "octocat/other" }), key)).toBe(
    "it was signed for the repository octocat/other, and this is octocat/hello",
  );
});

test("the first of several keys signs, and each is known again", () => {
  const both = { ...key, secret: "new\nkey\n" };
  expect(sign(state, both).seal).toBe(sign(state, { ...key, secret: "new" }).seal);
  expect(signatureFault(sign(state, key), both)).toBeUndefined();
  expect(signatureFault(sign(state, both), key)).toMatch(/not signed/);
});

test("what was signed without a repository is refused: it could come from any", () => {
  const { repository: _, ...content } = sign(state, key);
  const unnamed = sign(state, { ...key, repository: undefined as unknown as string });
  expect(signatureFault({ ...content, seal: unnamed.seal }, key)).toBe(
    "an earlier version signed it, without the name of its repository",
  );
});
