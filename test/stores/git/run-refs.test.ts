import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RemoteError } from "../../../src/git/remote.ts";
import { BrokenLogError } from "../../../src/ports/store.ts";
import { push } from "../../../src/stores/git/push.ts";
import {
  fetchNewCommits,
  readKnownCommits,
  readRemoteTip,
  rememberTip,
  whyGone,
} from "../../../src/stores/git/run-refs.ts";
import {
  machineFolder,
  manualTimer,
  recordOf,
  run,
  scriptedHost,
  stateRef,
  workRef,
} from "../../parts/scripted-host.ts";

const branch = `refs/heads/until-green/${run}/state`;

/** A host with a run, and processes of one machine. */
function open(...commits: readonly (readonly string[])[]) {
  const host = scriptedHost();
  const links = commits.map((lines) => host.append(lines));
  const dir = machineFolder();
  const timer = manualTimer();
  const start = () => recordOf({ host, dir, gitDir: "/private/state.git", timer });
  const said = () => fetchNewCommits(start()).then(String, ({ message }: Error) => message);
  const tip = () => host.refs.get(stateRef) ?? "";
  return { host, links, dir, timer, start, said, tip, ids: links.map(({ id }) => id) };
}
const restore = "To put it where this machine knows it: git -C /private/state.git push the-host";

test("the commits after the known one are read, and what waits here is behind them no more", async () => {
  const { host, start, timer, ids, dir } = open(["a", "b"], ["c"]);
  const record = start();
  await timer.pass(7);
  await fetchNewCommits(record);
  expect(record.lines).toEqual(["a", "b", "c"]);
  expect([...record.counts]).toEqual([
    [ids[0], 2],
    [ids[1], 3],
  ]);
  expect(record.looked).toBe(7);
  expect(readFileSync(join(dir, "tip"), "utf8")).toBe(`${ids[0]} ${ids[1]} refs/until-green \n`);
  // Nothing new: nothing is fetched.
  await fetchNewCommits(record);
  expect(host.fetches).toEqual([[stateRef, undefined]]);
  record.pending = ["mine"];
  const { id } = host.append(["theirs"]);
  host.refs.set(workRef, "w1");
  await fetchNewCommits(record);
  expect(host.fetches[1]).toEqual([stateRef, ids[1]]);
  expect(record).toMatchObject({ undone: ["mine"], pending: [], work: "w1", tip: { id } });
  expect(readFileSync(join(dir, "tip"), "utf8")).toBe(`${ids[0]} ${id} refs/until-green w1\n`);
});

test("of what waits here, only what a push of ours carried is on record", async () => {
  const { host, start } = open(["a"]);
  const record = start();
  await fetchNewCommits(record);
  record.pending = ["b", "c"];
  record.inFlight = host.append(["b"]);
  await fetchNewCommits(record);
  expect(record).toMatchObject({ lines: ["a", "b"], pending: ["c"], undone: [] });
});

test("a run that is in branches is found there, and in refs of its own first", async () => {
  const { host, start } = open();
  const record = start();
  expect(await readRemoteTip(record)).toBeUndefined();
  const { id } = host.append(["a"], {}, branch);
  await fetchNewCommits(record);
  expect(record).toMatchObject({ space: "refs/heads/until-green", tip: { id }, lines: ["a"] });
  host.refs.set(stateRef, "other");
  expect(await readRemoteTip(record)).toBe("other");
  expect(record.space).toBe("refs/until-green");
});

test("a ref that moves between being listed and read is read again, once", async () => {
  const { host, start } = open(["a"]);
  let left = 1;
  host.fetching = () => {
    if (left-- > 0) throw new BrokenLogError("moved");
  };
  const record = start();
  await fetchNewCommits(record);
  expect([record.lines, host.fetches.length]).toEqual([["a"], 2]);
  left = 2;
  host.append(["b"]);
  await expect(fetchNewCommits(record)).rejects.toThrow("moved");
  expect(host.fetches).toHaveLength(4);
  host.fetching = () => {
    throw new RemoteError("away");
  };
  await expect(fetchNewCommits(record)).rejects.toThrow("away");
  expect(host.fetches).toHaveLength(5);
});

test("a run that is not at the host is gone only if this process, or this machine, knew it", async () => {
  const { host, start, ids, tip, said } = open(["a"], ["b"]);
  host.refs.set(workRef, "w1");
  const [record, fresh] = [start(), start()];
  expect(whyGone(fresh)).toBeUndefined();
  await fetchNewCommits(record);
  const last = tip();
  host.refs.clear();
  await expect(fetchNewCommits(record)).rejects.toThrow(
    new BrokenLogError(
      `the record of run ${run} is gone: ${stateRef} of the-host was deleted. ${restore} ${last}:${stateRef} w1:${workRef}; then until-green resume ${run}`,
    ),
  );
  // A later process starts anew, and can say what this machine knew.
  expect(await said()).toBe("undefined");
  expect(whyGone(fresh)).toBe(
    `the record of run ${run} is gone: ${stateRef} of the-host was deleted; this machine knows it at ${last}. ` +
      `${restore} ${last}:${stateRef} w1:${workRef}; if it was deleted on purpose, as by list --prune, start a new run`,
  );
  // What this process knows counts more than what another one noted.
  writeFileSync(join(record.dir, "tip"), `${ids[0]} ${ids[0]} refs/until-green w0\n`);
  await expect(fetchNewCommits(record)).rejects.toThrow(`push the-host ${last}:${stateRef}; then`);
});

test("a run that was kept in branches is put back there", async () => {
  const { host, start } = open();
  host.append(["a"], {}, branch);
  await fetchNewCommits(start());
  host.refs.clear();
  expect(whyGone(start())).toContain(`:${branch}; if it`);
  // A name that no version wrote is not believed.
  writeFileSync(join(start().dir, "tip"), "c1 c2 refs/heads/main \n");
  expect(whyGone(start())).toContain(`c2:${stateRef}; if it`);
});

test("a ref that was moved back is noticed by the machine that knew better", async () => {
  const { host, start, ids, said, dir } = open(["a"], ["b"]);
  await fetchNewCommits(start());
  host.refs.set(stateRef, ids[0] ?? "");
  expect(await said()).toBe(
    `${stateRef} of the-host was moved back: this machine knows it at ${ids[1]}. ${restore} ${ids[1]}:${stateRef}; ` +
      `to continue from its current state: delete ${join(dir, "tip")}`,
  );
  // One that knows less has nothing to say, and one that follows it neither.
  rmSync(join(dir, "tip"));
  expect(await said()).toBe("undefined");
  host.append(["c"]);
  expect(await said()).toBe("undefined");
  // Another run with the same id, after the first one was deleted.
  host.refs.clear();
  host.append(["new"]);
  expect(await said()).toBe("undefined");
});

const damaged = (tip: string) =>
  `the record of run ${run} is damaged at commit ${tip}: ${stateRef} of the-host names it, and the host does not have it. ` +
  "Point its ref back to the last intact commit, or start a new run";
const zeros = "0".repeat(40);

test("a commit that the host does not have can come from a machine that has it", async () => {
  const { host, said, tip } = open(["a"]);
  host.lost.add(tip());
  expect(await said()).toBe(
    `${damaged(tip())}. A machine that has it pushes it again: until-green resume ${run} there`,
  );
  // No machine has what cannot be named.
  host.refs.set(stateRef, zeros);
  expect(await said()).toBe(damaged(zeros));
});

test.each<[string, { state: string; work?: string; lost?: boolean }, readonly string[]]>([
  ["its record", { state: "gone" }, [`push the-host :${stateRef}`]],
  ["its record, and has its workspace", { state: "gone", work: "w1" }, [`push the-host :${stateRef}`]],
  [
    "both",
    { state: "gone", work: "w1", lost: true },
    [`push the-host :${stateRef}`, `push the-host :${workRef}`],
  ],
  [
    "what either ref says",
    { state: zeros, work: zeros },
    [`delete the file of ${stateRef} at the host`, `delete the file of ${workRef} at the host`],
  ],
])("the machine that knew a run tells how to replace what the host lost: %s", async (_, at, steps) => {
  const { host, start, said, tip } = open(["a"]);
  await fetchNewCommits(start());
  const known = tip();
  host.refs.set(stateRef, at.state);
  if (at.work !== undefined) host.refs.set(workRef, at.work);
  if (at.lost) host.lost.add(at.work ?? "");
  const removals = steps.map((step) => step.replace(/^push/, "git -C /private/state.git push"));
  const commands = [...removals, `git -C /private/state.git push the-host ${known}:${stateRef}`];
  expect(await said()).toBe(
    `${damaged(at.state)}. To put it where this machine knows it: ${commands.join("; then ")}`,
  );
});

test("damage that the host reports in any other way is the reader's error, and no remedy is invented", async () => {
  const { host, start, said } = open(["a"]);
  await fetchNewCommits(start());
  host.append(["b"]);
  host.fetching = () => {
    throw new TypeError("odd");
  };
  expect(await said()).toBe("odd");
  host.fetching = () => {
    throw new BrokenLogError("cut");
  };
  expect(await said()).toMatch(/^cut\. To put it where/);
});

test("what this machine last saw is read without the host", async () => {
  const { host, start, ids } = open(["a"], ["b"]);
  expect(await readKnownCommits(start())).toBe(false);
  await fetchNewCommits(start());
  host.refs.clear();
  host.listing = () => {
    throw new Error("asked");
  };
  const later = start();
  expect(await readKnownCommits(later)).toBe(true);
  expect([later.lines, later.tip?.id]).toEqual([["a", "b"], ids[1]]);
  expect(await readKnownCommits(later)).toBe(true);
  expect(later.lines).toEqual(["a", "b"]);
});

test("what cannot be noted for later processes is an error, unless the disk is full", async () => {
  const { start } = open(["a"]);
  const record = start();
  await fetchNewCommits(record);
  rmSync(record.dir, { recursive: true });
  expect(() => rememberTip(record)).toThrow("ENOENT");
  mkdirSync(record.dir);
  rememberTip(record);
  expect(existsSync(join(record.dir, "tip"))).toBe(true);
  // Whatever else is there, such as a folder, is replaced.
  rmSync(join(record.dir, "tip"));
  mkdirSync(join(record.dir, "tip"));
  expect(whyGone(record)).toBeUndefined();
  rememberTip(record);
  expect(whyGone(record)).toContain("is gone");
});

test("a tip that others saw while ours was pushed is the one that is noted", async () => {
  const { host, start, dir } = open(["a"]);
  const record = start();
  await fetchNewCommits(record);
  const more = { lines: ["b"], epoch: 1, owner: "me", work: undefined, artifacts: undefined } as const;
  const rest = { sessions: undefined, status: undefined, sources: [], notice: () => undefined };
  expect(await push(record, { ...more, ...rest })).toBe(true);
  expect(readFileSync(join(dir, "tip"), "utf8").split(" ")[1]).toBe(host.refs.get(stateRef));
});
