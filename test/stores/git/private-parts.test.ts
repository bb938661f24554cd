import { expect, test } from "vitest";
import { isEncrypted } from "../../../src/stores/git/encrypt.ts";
import { eventsIn, openState, protectEvents, protectState } from "../../../src/stores/git/private-parts.ts";
import { signatureFault } from "../../../src/stores/git/sign.ts";

const run = "run-001";
const key = { secret: "key", repository: "octocat/hello" };
const other = { ...key, secret: "other" };
const state = { v: 1, run, seq: 1, status: { a: 1 }, commands: ["b"] };

test("without a key a state and its events are stored as they are", () => {
  expect(protectState(state, undefined)).toBe(state);
  expect(openState(state, undefined, "throw")).toBe(state);
  expect(protectEvents(["a", "b"], run, undefined).toString()).toBe("a\nb\n");
});

test("with a key what agents, checks and people said is encrypted, and all of it is signed", () => {
  const stored = protectState(state, key);
  expect(stored).toMatchObject({ v: 2, run, seq: 1, repository: "octocat/hello" });
  for (const what of ["status", "commands"]) expect(isEncrypted(String(stored[what]))).toBe(true);
  expect(signatureFault(stored, key)).toBeUndefined();
  expect(openState(stored, key, "throw")).toMatchObject({ status: { a: 1 }, commands: ["b"], seq: 1 });
  expect(Object.keys(protectState({ run, seq: 1 }, key))).not.toContain("status");
  // A text of a person that only looks like it is no text of ours.
  expect(openState({ ...state, status: ["ug1."] }, key, "throw")["status"]).toEqual(["ug1."]);
});

test("without the right key the private parts are left out, or the reader learns which key is missing", () => {
  const stored = protectState(state, key);
  for (const wrong of [undefined, other]) {
    expect(openState(stored, wrong, "leave out")).toEqual({
      ...stored,
      status: undefined,
      commands: undefined,
    });
    expect(() => openState(stored, wrong, "throw")).toThrow("run run-001 is encrypted with the state key");
  }
});

test("events come back as they were; those that end early are none", () => {
  const stored = protectEvents(["a", ""], run, key).toString();
  expect(stored).toMatch(/^ug1\..*\n$/);
  expect(eventsIn(stored, run, key)).toEqual(["a", ""]);
  expect(() => eventsIn(stored, run, other)).toThrow("and here is another");
  expect(protectEvents([], run, key)).toEqual(Buffer.of());
  expect(eventsIn("", run, key)).toEqual([]);
  expect(eventsIn("\n", run, undefined)).toEqual([""]);
  expect(eventsIn("a\nb\n", run, undefined)).toEqual(["a", "b"]);
  expect(eventsIn("a\nb", run, undefined)).toBeUndefined();
});
