import { expect, test } from "vitest";
import { UnreachableError } from "../../../src/git/remote.ts";
import { askOrKnown } from "../../../src/stores/git/known-runs.ts";

const away = () => Object.assign(Object.create(UnreachableError.prototype), { what: "the host is away" });

test("an unreachable host is asked once, with one notice; what is known is shown", async () => {
  const notices: string[] = [];
  let asked = 0;
  const ask = askOrKnown((text) => notices.push(text));
  const unreachable = async (): Promise<string> => {
    asked += 1;
    throw away();
  };
  expect(await ask(unreachable, async () => "known")).toBe("known");
  expect(await ask(unreachable, async () => "known too")).toBe("known too");
  expect(asked).toBe(1);
  expect(notices).toEqual(["the host is away; this is what this machine knows"]);
});

test("an error is thrown if nothing is known, if there is no notice, or if the host has answered", async () => {
  const none = async () => undefined;
  const fails = async () => {
    throw away();
  };
  const notices: string[] = [];
  const ask = askOrKnown((text) => notices.push(text));
  await expect(ask(fails, none)).rejects.toBeInstanceOf(UnreachableError);
  // It may be back.
  expect(await ask(async () => "there", none)).toBe("there");
  await expect(askOrKnown(undefined)(fails, async () => "known")).rejects.toBeInstanceOf(UnreachableError);
  const refused = ask(
    async () => {
      throw new Error("refused");
    },
    async () => "known",
  );
  await expect(refused).rejects.toThrow("refused");
  expect(notices).toEqual([]);
});
