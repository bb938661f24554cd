import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { localHost } from "../../parts/local-host.ts";

const ended = (endedAt: string) => ({ status: { summary: { state: "ended", endedAt } } });
const before = "2026-01-02T00:00:00Z";

test.each<[string, number, readonly string[]]>([
  ["there is one too many", 5, ["run-001"]],
  ["there are two too many", 4, ["run-001", "run-003"]],
  ["there may be none", 0, ["run-001", "run-003", "run-002"]],
])("runs that ended before a time are deleted, and the oldest of the others if %s", async (_, most, gone) => {
  const { write, git, refs, open } = localHost();
  write("run-001", ended("2026-01-01T23:59:59Z"));
  write("run-002", { ...ended("2026-01-03T00:00:00Z"), space: "refs/heads/until-green" });
  write("run-003", ended(before));
  // These have not ended, as far as is known.
  write("run-004", { status: { summary: { state: "paused", endedAt: "2026-01-01T00:00:00Z" } } });
  write("run-005", { status: { summary: { state: "ended" } } });
  write("run-006");
  for (const kind of ["work", "attempt", "claims"])
    git("update-ref", `refs/until-green/run-001/${kind}`, "refs/until-green/run-001/state");
  const all = refs();
  expect(await open().prune?.({ endedBefore: before, most })).toEqual(gone);
  expect(refs()).toEqual(all.filter((ref) => !gone.some((run) => ref.includes(`/${run}/`))));
});

test("a run that is written to while it is deleted stays, and is not among the deleted ones", async () => {
  const { write, git, refs, open, path } = localHost();
  const first = write("run-001", ended("2026-01-01T00:00:00Z"));
  write("run-002", ended("2026-01-01T00:00:00Z"));
  const { id } = write("run-001", { before: first });
  git("update-ref", "refs/until-green/run-001/state", first.id);
  // The moment after the runs were read.
  const hook = `#!/bin/sh\ngit update-ref refs/until-green/run-001/state ${id}\n`;
  writeFileSync(join(path, "hooks/pre-receive"), hook, { mode: 0o755 });
  expect(await open().prune?.({ endedBefore: before, most: 100 })).toEqual(["run-002"]);
  expect(refs()).toEqual(["refs/until-green/run-001/state"]);
  expect(git("rev-parse", "refs/until-green/run-001/state")).toBe(id);
});

test("the claims of a fan-out are deleted with its last item, and not before", async () => {
  const { write, git, refs, open } = localHost();
  write("run-001-item-1", ended("2026-01-01T00:00:00Z"));
  write("run-001-item-2");
  write("run-002-item-1", ended("2026-01-01T00:00:00Z"));
  for (const run of ["run-001", "run-002"])
    git("update-ref", `refs/until-green/${run}/claims`, "refs/until-green/run-001/items/1/state");
  const gone = await open().prune?.({ endedBefore: before, most: 100 });
  expect(gone?.toSorted()).toEqual(["run-001-item-1", "run-002-item-1"]);
  expect(refs()).toEqual(["refs/until-green/run-001/claims", "refs/until-green/run-001/items/2/state"]);
});

test("encrypted runs are deleted only by who can read that they ended", async () => {
  const { write, refs, open, keyOf } = localHost();
  write("run-001", { ...ended("2026-01-01T00:00:00Z"), key: keyOf("key") });
  expect(await open().prune?.({ endedBefore: before, most: 0 })).toEqual([]);
  expect(await open({ stateKey: "key" }).prune?.({ endedBefore: before, most: 0 })).toEqual(["run-001"]);
  expect(refs()).toEqual([]);
});

test("more refs than one push may delete are deleted by several", async () => {
  const { write, path, refs, open } = localHost();
  const { id } = write("run-000", ended("2026-01-01T00:00:00Z"));
  const runs = Array.from({ length: 60 }, (_, at) => `run-${String(at).padStart(3, "0")}`);
  const updates = runs.flatMap((run) =>
    ["state", "work"].map((kind) => `update refs/until-green/${run}/${kind} ${id}\n`),
  );
  execFileSync("git", ["-C", path, "update-ref", "--stdin"], { input: updates.join("") });
  expect((await open().prune?.({ endedBefore: before, most: 100 }))?.toSorted()).toEqual(runs);
  expect(refs()).toEqual([]);
});
