import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { gitLogHost, systemTimer } from "../../../src/stores/git/log-host.ts";
import { localHost } from "../../parts/local-host.ts";

const run = "run-001";
const ref = `refs/until-green/${run}/state`;

test("a run's record is read, written and checked at a git host", async () => {
  const { remote, repository, write, git } = localHost();
  const gitDir = repository();
  const host = gitLogHost(await remote(), gitDir, "sha1");
  const first = write(run);
  expect(await host.listRefs([`${ref}*`])).toEqual(new Map([[ref, first.id]]));
  await host.fetch(ref, undefined);
  expect(await host.readCommits(run, { before: undefined, tip: first.id })).toEqual([first]);
  const step = { ...{ before: first, lines: ["b"], run, epoch: 1, nonce: "n".repeat(32), owner: "me" } };
  const none = {
    work: undefined,
    artifacts: undefined,
    sessions: undefined,
    status: undefined,
    key: undefined,
  };
  const link = host.writeCommit({ ...step, ...none, at: "2026-01-01T00:00:00Z" });
  expect(await host.push([{ ref, to: link.id, expected: undefined }], false)).toMatch(/rejected|stale/);
  expect(await host.push([{ ref, to: link.id, expected: first.id }], false)).toBe("");
  expect(git("rev-parse", ref)).toBe(link.id);
  expect([await host.hasCommit(link.id), await host.hasCommit("1".repeat(40))]).toEqual([true, false]);
  const later = write(run, { before: link });
  await host.fetch(ref, link.id);
  expect(await host.readCommits(run, { before: link, tip: later.id })).toEqual([later]);
  expect(execFileSync("git", ["-C", gitDir, "for-each-ref"], { encoding: "utf8" })).toBe("");
  expect(await host.deepen()).toBe(false);
});

test("a timer rings once, unless it was cancelled", async () => {
  const before = systemTimer.elapsed();
  let rings = 0;
  const cancel = systemTimer.after(1, () => {
    rings += 10;
  });
  cancel();
  await new Promise<void>((done) => {
    // Nothing else keeps the process alive here, so the test does.
    const alive = setInterval(() => undefined, 1_000);
    systemTimer.after(5, () => {
      rings += 1;
      clearInterval(alive);
      done();
    });
  });
  expect(rings).toBe(1);
  expect(systemTimer.elapsed()).toBeGreaterThan(before);
});
