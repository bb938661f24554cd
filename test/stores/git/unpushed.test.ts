import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BrokenLogError } from "../../../src/ports/store.ts";
import {
  dropPending,
  forgetPending,
  hasPending,
  leftAfter,
  type Pending,
  pendingFile,
  readPending,
  rewritePending,
  runsWaiting,
} from "../../../src/stores/git/unpushed.ts";
import { machineFolder } from "../../parts/scripted-host.ts";

const run = "run-001";
const base = "a".repeat(40);

test("lines wait in a file for the commit that they follow, until they are forgotten", () => {
  const dir = machineFolder();
  expect([readPending(dir, run), hasPending(dir, run)]).toEqual([[], false]);
  pendingFile(dir, run, undefined).append(0, ["a"]);
  pendingFile(dir, run, base).append(0, ["b", "c"]);
  // Other files beside them are none of these.
  for (const name of ["pending-x.jsonl.1", "old-pending-x.jsonl", "tip"]) writeFileSync(join(dir, name), "x");
  const both: readonly Pending[] = [
    { base, lines: ["b", "c"] },
    { base: undefined, lines: ["a"] },
  ];
  expect(readPending(dir, run).toSorted((a, b) => b.lines.length - a.lines.length)).toEqual(both);
  rewritePending({ dir, runId: run, base }, ["d"]);
  rewritePending({ dir, runId: run, base }, ["b"]);
  expect(pendingFile(dir, run, base).read(0)).toEqual(["b"]);
  dropPending(dir, base);
  expect(readPending(dir, run)).toEqual([{ base, lines: ["b"] }]);
  forgetPending(dir, base);
  forgetPending(dir, base);
  expect([readPending(dir, run), hasPending(dir, run)]).toEqual([[], false]);
  expect(readdirSync(dir)).toHaveLength(3);
});

test("files of other commits are dropped, and not those of none", () => {
  const dir = machineFolder();
  pendingFile(dir, run, undefined).append(0, ["a"]);
  dropPending(dir, undefined);
  expect(hasPending(dir, run)).toBe(true);
  dropPending(dir, base);
  expect(hasPending(dir, run)).toBe(false);
});

test("an empty file holds nothing that waits, and lines of another run are damage", () => {
  const dir = machineFolder();
  writeFileSync(join(dir, `pending-${base}.jsonl`), "");
  expect(hasPending(dir, run)).toBe(false);
  pendingFile(dir, "run-002", undefined).append(0, ["a"]);
  const path = join(dir, "pending-none.jsonl");
  expect(() => readPending(dir, run)).toThrow(
    new BrokenLogError(
      `what run ${run} recorded on this machine and never pushed is damaged at line 1 of ${path}: ` +
        `move this file away; what it held is repeated by: until-green resume ${run}`,
    ),
  );
});

test.each<[string, Pending, ReturnType<typeof leftAfter>]>([
  [
    "all of the lines after the last commit",
    { base, lines: ["c", "d"] },
    { left: ["c", "d"], areNext: true },
  ],
  [
    "those that a push did not carry",
    { base: undefined, lines: ["a", "b", "c"] },
    { left: ["c"], areNext: true },
  ],
  ["none, if all of them arrived", { base: undefined, lines: ["a", "b"] }, { left: [], areNext: true }],
  [
    "those that another writer overtook",
    { base: undefined, lines: ["a", "x"] },
    { left: ["x"], areNext: false },
  ],
  ["none, if there are none", { base, lines: [] }, { left: [], areNext: true }],
  [
    "an unknown part, after a commit that is not there",
    { base: "b".repeat(40), lines: ["c"] },
    { left: [], areNext: false },
  ],
])("of lines that were recorded here the host lacks %s", (_, pending, expected) => {
  expect(leftAfter(["a", "b"], pending, new Map([[base, 2]]))).toEqual(expected);
});

test("only folders of runs can have lines that wait", () => {
  const root = machineFolder();
  for (const name of ["run-001", "run-002", "list.git"]) mkdirSync(join(root, name));
  for (const name of ["run-001", "list.git"]) pendingFile(join(root, name), name, base).append(0, ["a"]);
  writeFileSync(join(root, "run-003"), "");
  expect(runsWaiting(root)).toEqual(["run-001"]);
});
