import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UnreachableError } from "../../../src/git/remote.ts";
import { type AskOrKnown, askOrKnown, linesToShow, listAll } from "../../../src/stores/git/known-runs.ts";
import { dropPending, pendingFile } from "../../../src/stores/git/unpushed.ts";
import { machineFolder, processOf, run, scriptedHost } from "../../parts/scripted-host.ts";

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

/** A machine without a host, on which runs were seen. */
function openMachine() {
  const folder = machineFolder();
  const here = (id: string) => {
    mkdirSync(join(folder, id), { recursive: true });
    return join(folder, id);
  };
  return {
    folder,
    seen(id: string, at: number) {
      const file = join(here(id), "tip");
      writeFileSync(file, "c1 c1 refs/until-green \n");
      utimesSync(file, at, at);
    },
    waits: (id: string) => pendingFile(here(id), id, undefined).append(0, ["a"]),
    list: () => listAll([undefined as never, ""], folder, offline),
    here,
  };
}
const offline: AskOrKnown = async (_, known) => {
  const shown = await known();
  if (shown === undefined) throw new Error("nothing is known");
  return shown;
};

test("without its host a machine lists what waits here first, then what it saw there last", async () => {
  const { folder, seen, waits, list, here } = openMachine();
  await expect(list()).rejects.toThrow("nothing is known");
  waits("run-101");
  expect(await list()).toEqual(["run-101"]);
  seen("run-102", 1_000);
  seen("run-103", 3_000);
  seen("run-104", 2_000);
  seen("run-101", 500);
  // No run: other folders of ours, and a run that was never seen there.
  seen("list.git", 4_000);
  here("run-105");
  writeFileSync(join(folder, "run-106"), "");
  expect(await list()).toEqual(["run-103", "run-104", "run-102", "run-101"]);
  waits("run-107");
  expect(await list()).toEqual(["run-107", "run-103", "run-104", "run-102", "run-101"]);
});

test("a machine that has only seen runs lists those, with as many that wait here", async () => {
  const { seen, waits, list } = openMachine();
  seen("run-102", 1_000);
  expect(await list()).toEqual(["run-102"]);
  waits("run-101");
  expect(await list()).toEqual(["run-101", "run-102"]);
});

test("what is shown of a run are its lines at the host, and the most that waits here behind them", async () => {
  const host = scriptedHost();
  const [first] = [host.append(["a"]), host.append(["b"])];
  const { run: process, record, store } = processOf({ host });
  const show = () => linesToShow(process, (ask) => ask());
  expect(await show()).toEqual(["a", "b"]);
  pendingFile(record.dir, run, first?.id).append(0, ["b", "c", "d"]);
  expect(await show()).toEqual(["a", "b", "c", "d"]);
  pendingFile(record.dir, run, record.tip?.id).append(0, ["c"]);
  expect(await show()).toEqual(["a", "b", "c", "d"]);
  await store.hold(run);
  await store.append(run, 4, ["e"]);
  expect(await show()).toEqual(["a", "b", "c", "d", "e"]);
});

test("without the host, a run is shown as this machine knows it, and one that it does not know is not", async () => {
  const host = scriptedHost();
  host.append(["a"]);
  const dir = machineFolder();
  const start = () => processOf({ host, dir }).run;
  const show = () => linesToShow(start(), offline);
  await expect(show()).rejects.toThrow("nothing is known");
  pendingFile(dir, run, undefined).append(0, ["a", "b"]);
  expect(await show()).toEqual(["a", "b"]);
  await linesToShow(start(), (ask) => ask());
  expect(await show()).toEqual(["a", "b"]);
  dropPending(dir, "c");
  expect(await show()).toEqual(["a"]);
});
