import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { directoryStore, goneLog } from "../../src/stores/directory.ts";

test.each([
  ["only its empty folders are there, as after a kill before its first line", () => undefined, undefined],
  [
    "its log is empty, as after a full disk at its first line",
    (run: string) => writeFileSync(join(run, "log.jsonl"), ""),
    undefined,
  ],
  ["files of its work are there", (run: string) => mkdirSync(join(run, "artifacts/.outputs")), goneLog],
  ["its snapshots are there", (run: string) => mkdirSync(join(run, "workspace")), goneLog],
])("a run without a log: %s", (_, damage, why) => {
  const root = mkdtempSync(join(tmpdir(), "lost-log-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const run = join(root, "run-001");
  mkdirSync(join(run, "artifacts"), { recursive: true });
  damage(run);
  const gone = directoryStore(root).whyGone?.("run-001");
  expect(gone).toBe(why?.("run-001", join(run, "log.jsonl")));
});
