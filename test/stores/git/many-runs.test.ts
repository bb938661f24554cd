import { readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeCommit } from "../../../src/git/objects.ts";
import { notOfARun } from "../../../src/stores/git/commit-log.ts";
import { encrypted } from "../../../src/stores/git/encrypt.ts";
import { listRuns, tipsOf } from "../../../src/stores/git/list.ts";
import { fetchCommits, readManyRuns } from "../../../src/stores/git/many-runs.ts";
import type { StateKey } from "../../../src/stores/git/sign.ts";
import { localHost } from "../../parts/local-host.ts";

const branches = "refs/heads/until-green";

test("runs are listed once each, the newest first, wherever they are, and damaged ones last", async () => {
  const { write, git, remote, repository } = localHost();
  const day = (number: number) => ({ at: `2026-01-0${number}T00:00:00Z` });
  write("run-001", day(2));
  write("run-003", day(2));
  write("run-002", day(2));
  write("run-004", { ...day(3), space: branches });
  write("run-004", { ...day(1), space: branches });
  write("run-001-item-3", day(4));
  git("update-ref", "refs/until-green/run-001/work", "refs/until-green/run-001/state");
  git("update-ref", "refs/until-green/run-001/claims", "refs/until-green/run-001/state");
  git("update-ref", "refs/heads/main", "refs/until-green/run-001/state");
  const tree = git("hash-object", "-w", "-t", "tree", "/dev/null");
  for (const name of ["run-008", "run-009"])
    git(
      "update-ref",
      `refs/until-green/${name}/state`,
      writeCommit(git("rev-parse", "--absolute-git-dir"), "sha1", { tree, parents: [], message: name }),
    );
  expect(await listRuns(await remote(), repository())).toEqual([
    ...["run-001-item-3", "run-003", "run-002", "run-001", "run-004", "run-009", "run-008"],
  ]);
});

test("a run in refs of its own and in branches is one run", async () => {
  const { write, remote, repository } = localHost();
  write("run-001");
  write("run-001", { space: branches });
  expect(await listRuns(await remote(), repository())).toEqual(["run-001"]);
});

test("the status of each run is read with one commit of it, and only with the key that encrypted it", async () => {
  const { write, git, remote, repository, open, keyOf } = localHost();
  const key = keyOf("key");
  const first = write("run-001", { status: { a: 1 } });
  write("run-001", { status: { a: 2 }, before: first });
  write("run-002", { status: { b: 1 }, key });
  const gitDir = repository();
  const read = async (key?: StateKey) => {
    const tips = await tipsOf(await remote(), gitDir, key);
    return Object.fromEntries(tips.map(({ id, head }) => [id, head?.status]));
  };
  expect(await read()).toEqual({ "run-001": { a: 2 }, "run-002": undefined });
  expect(await read(key)).toEqual({ "run-001": { a: 2 }, "run-002": { b: 1 } });
  expect(await open().survey?.()).toEqual([{ a: 2 }, undefined]);
  expect(await open({ stateKey: "key" }).survey?.()).toEqual([{ a: 2 }, { b: 1 }]);
  expect(git("rev-parse", "refs/until-green/run-001/state~1")).toBe(first.id);
  const there = localHost();
  expect(await listRuns(await there.remote(), there.repository())).toEqual([]);
});

test("many runs are read at once, each verified from its start, and damage stays with its run", async () => {
  const { write, git, path, remote, repository } = localHost();
  const first = write("run-001", { status: { a: 1 } });
  write("run-001", { status: { a: 2 }, before: first, lines: ["b", "c"] });
  write("run-002-item-1", { status: { b: 1 }, space: branches });
  write("run-002-item-2");
  write("run-003-item-10");
  const lost = write("run-004");
  const merged = write("run-005");
  const tree = git("rev-parse", `${merged.id}^{tree}`);
  const merge = writeCommit(path, "sha1", { tree, parents: [merged.id, first.id], message: "merge" });
  git("update-ref", "refs/until-green/run-005/state", merge);
  const base = write("run-006");
  const gapped = write("run-006", { before: { ...base, head: { ...base.head, seq: 2 } } });
  rmSync(join(path, "objects", lost.id.slice(0, 2), lost.id.slice(2)));
  const runs = ["run-001", "run-002-item-1", "run-003-item-10", "run-004", "run-005", "run-006", "run-009"];
  const found = await readManyRuns(await remote(), { runs, gitDir: repository(), key: undefined });
  expect([...found.keys()]).toEqual(runs.slice(0, -1));
  const shown = (run: string) => {
    const { status, damage } = found.get(run) ?? {};
    return { status, damage: damage?.message };
  };
  expect(shown("run-001")).toEqual({ status: { a: 2 }, damage: undefined });
  expect(shown("run-002-item-1")).toEqual({ status: { b: 1 }, damage: undefined });
  expect(shown("run-003-item-10")).toEqual({ status: undefined, damage: undefined });
  const says = (run: string, at: string, why: string) =>
    expect(shown(run)).toEqual({
      status: undefined,
      damage: expect.stringContaining(`the record of run ${run} is damaged at commit ${at}: ${why}. Point`),
    });
  says("run-004", lost.id, notOfARun);
  says("run-005", merge, "it does not begin there");
  says("run-006", gapped.id, "its number is 3");
  expect(await readManyRuns(await remote(), { runs: [], gitDir: repository(), key: undefined })).toEqual(
    new Map(),
  );
});

test("many runs are verified with the key, and those of another key are damaged", async () => {
  const { write, open, keyOf } = localHost();
  write("run-001", { status: 1, key: keyOf("key") });
  write("run-002", { status: 2, key: keyOf("other") });
  const runs = ["run-001", "run-002"];
  const found = await open({ stateKey: "key" }).readMany?.(runs);
  expect(found?.get("run-001")).toEqual({ status: 1 });
  expect(found?.get("run-002")?.damage?.message).toContain(encrypted);
});

test("of commits that a host does not have all, the others are fetched", async () => {
  const { write, remote, repository, path } = localHost();
  const links = ["run-001", "run-002", "run-003"].map((run) => write(run));
  const [first, second, third] = links.map(({ id }) => id);
  rmSync(join(path, "objects", second?.slice(0, 2) ?? "", second?.slice(2) ?? ""));
  const host = await remote();
  const gitDir = repository();
  const zeros = "0".repeat(40);
  const commits = [first, second, zeros, third, first].map(String);
  await fetchCommits(host, { gitDir, commits });
  expect((await readManyRuns(host, { runs: ["run-003"], gitDir, key: undefined })).size).toBe(1);
  await fetchCommits(host, { gitDir, commits: [zeros] });
  await fetchCommits(host, { gitDir, commits: [] });
  renameSync(path, `${path}.away`);
  const away = fetchCommits({ ...host, patienceMs: 0 }, { gitDir, commits: [String(third), "1".repeat(40)] });
  await expect(away).rejects.toThrow("cannot be reached");
});

test("one pattern asks for all items of a run, since a command line has room for few", async () => {
  const { write, remote, repository, top } = localHost();
  for (const run of ["run-001", "run-002-item-1", "run-002-item-22"]) write(run);
  const calls = join(top, "calls");
  const host = await remote();
  const traced = { ...host, env: { ...host.env, GIT_TRACE: calls } };
  const runs = ["run-001", "run-002-item-1", "run-002-item-22"];
  const found = await readManyRuns(traced, { runs, gitDir: repository(), key: undefined });
  expect(found.size).toBe(3);
  const patterns = ["run-001", "run-002/items"].flatMap((place) =>
    ["refs/until-green", branches].map((space) => `${space}/${place}/*`),
  );
  const [, asked] = /built-in: git ls-remote \S+ (.*)/.exec(readFileSync(calls, "utf8")) ?? [];
  expect(asked?.replaceAll("'", "")).toBe(patterns.join(" "));
});
