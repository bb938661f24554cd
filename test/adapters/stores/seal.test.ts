import { expect, test } from "vitest";
import { isSealed, sealed } from "../../../src/adapters/stores/git/seal.ts";

const state = { run: "run-001", seq: 3, standing: { b: [1, { d: 1, c: 2 }], a: undefined } };

test("what was signed is known again, in whatever order its names come back", () => {
  const signed = sealed(state, "key");
  const { seal, standing, seq, run } = JSON.parse(JSON.stringify(signed));
  expect(isSealed({ standing: { b: [1, { c: 2, d: 1 }], ...standing }, seq, seal, run }, "key")).toBe(true);
});

test.each<[string, object]>([
  ["changed", { ...sealed(state, "key"), seq: 4 }],
  ["added to", { ...sealed(state, "key"), work: "x" }],
  ["signed with another key", sealed(state, "other")],
  ["signed with half of it", { ...state, seal: sealed(state, "key").seal.slice(0, 32) }],
  ["not signed", state],
  ["signed with no text", { ...state, seal: 1 }],
])("what was %s is not", (_, said) => {
  expect(isSealed(said, "key")).toBe(false);
});
