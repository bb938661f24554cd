import { expect, test } from "vitest";
import { learnFormerName, sign, signatureFault } from "../../../src/stores/git/sign.ts";

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
  expect(signatureFault(expected, key)?.because).toMatch(/not signed with the state key/);
});

test("what was signed for another repository with the same key is refused by its name", () => {
  expect(signatureFault(sign(state, { ...key, repository: "octocat/other" }), key)).toEqual({
    because: "it was signed for the repository octocat/other, and this is octocat/hello",
    signedFor: "octocat/other",
  });
});

test("what was signed before the repository was renamed is known once the host has said so", async () => {
  const asked: string[] = [];
  const wasCalled = async (path: string) => asked.push(path) > 0 && path === "octocat/old";
  const renamed = { ...key, formerly: new Set<string>(), wasCalled };
  const signedFor = (repository: string) => signatureFault(sign(state, { ...key, repository }), renamed);
  expect(signedFor("octocat/old")).toMatchObject({ signedFor: "octocat/old" });
  expect(await learnFormerName(renamed, "octocat/other")).toBe(false);
  expect(await learnFormerName(renamed, "octocat/old")).toBe(true);
  expect(signedFor("octocat/old")).toBeUndefined();
  expect(signedFor("octocat/other")).toMatchObject({ signedFor: "octocat/other" });
  expect(asked).toEqual(["octocat/other", "octocat/old"]);
  expect(await learnFormerName(key, "octocat/old")).toBe(false);
});

test("the first of several keys signs, and each is known again", () => {
  const both = { ...key, secret: "new\nkey\n" };
  expect(sign(state, both).seal).toBe(sign(state, { ...key, secret: "new" }).seal);
  expect(signatureFault(sign(state, key), both)).toBeUndefined();
  expect(signatureFault(sign(state, both), key)?.because).toMatch(/not signed/);
});

test("what was signed without a repository is refused: it could come from any", () => {
  const { repository: _, ...content } = sign(state, key);
  const unnamed = sign(state, { ...key, repository: undefined as unknown as string });
  expect(signatureFault({ ...content, seal: unnamed.seal }, key)).toEqual({
    because: "an earlier version signed it, without the name of its repository",
  });
});
