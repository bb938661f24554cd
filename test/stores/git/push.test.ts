import { join } from "node:path";
import { expect, test } from "vitest";
import { bareRepository } from "../../../src/git/bare-repository.ts";
import { writeCommit } from "../../../src/git/objects.ts";
import { push, type RunPush } from "../../../src/stores/git/push.ts";
import {
  machineFolder,
  recordOf,
  run,
  type ScriptedHost,
  scriptedHost,
  stateRef,
  workRef,
} from "../../parts/scripted-host.ts";

const branch = `refs/heads/until-green/${run}/state`;

/** A run that pushes; with `lines`, the host and this process have them already. */
async function open(lines: readonly string[] = [], admitted: readonly ("read" | "write")[] = ["read"]) {
  const host = scriptedHost();
  const dir = machineFolder();
  const gitDir = bareRepository(dir, "state.git", "sha1");
  const record = recordOf({ host, dir, gitDir, admitted });
  const notices: string[] = [];
  const send = (lines: readonly string[], more: Partial<RunPush> = {}) =>
    push(record, {
      ...{ lines, epoch: 1, owner: "me", work: undefined, artifacts: undefined, sessions: undefined },
      ...{ status: undefined, sources: [], notice: (text) => notices.push(text) },
      ...more,
    });
  if (lines.length > 0) await send(lines);
  host.pushes.length = 0;
  /** A snapshot of a checkout, and how it is pushed. */
  const snapshot = (message: string, ...parents: readonly string[]) => {
    const work = writeCommit(gitDir, "sha1", { tree: {}, parents, message });
    return { work, sources: [join(gitDir, "objects")] };
  };
  return { host, record, send, notices, snapshot, gitDir };
}

const rejected = (why: string) => `To the-host\n!\tabc:${stateRef}\t[remote rejected] (${why})\nDone`;
const linesAt = (host: ScriptedHost, ref = stateRef) => host.step(host.refs.get(ref) ?? "")?.lines;

test("lines are pushed behind the last commit, and are on record then", async () => {
  const { host, record, send } = await open();
  expect(await send(["a"], { epoch: 3, status: { x: 1 } })).toBe(true);
  const first = host.refs.get(stateRef) ?? "";
  expect(host.pushes).toEqual([
    { updates: [{ ref: stateRef, to: first, expected: undefined }], atomic: false },
  ]);
  expect(host.step(first)).toMatchObject({
    ...{ run, before: undefined, lines: ["a"], epoch: 3, owner: "me", status: { x: 1 } },
    ...{ nonce: expect.stringMatching(/^[0-9a-f]{32}$/), at: expect.stringMatching(/^\d{4}-.*Z$/) },
  });
  expect(await send(["b"])).toBe(true);
  expect(host.pushes[1]?.updates).toMatchObject([{ expected: first }]);
  expect(host.step(host.refs.get(stateRef) ?? "")?.before?.id).toBe(first);
  expect(host.step(host.refs.get(stateRef) ?? "")?.nonce).not.toBe(host.step(first)?.nonce);
  expect(record.lines).toEqual(["a", "b"]);
  expect(record.tip?.id).toBe(host.refs.get(stateRef));
});

test("a workspace goes together with its record, and only once", async () => {
  const { host, send, snapshot } = await open(["a"]);
  const { work, sources } = snapshot("work");
  const before = host.refs.get(stateRef);
  await send(["b"], { work, sources });
  const to = host.refs.get(stateRef);
  expect(host.pushes).toEqual([
    {
      updates: [
        { ref: workRef, to: work, expected: undefined },
        { ref: stateRef, to, expected: before },
      ],
      atomic: true,
    },
  ]);
  await send(["c"], { work, sources });
  expect(host.pushes[1]).toMatchObject({ updates: [{ ref: stateRef }], atomic: false });
  const next = snapshot("next", work);
  await send(["d"], next);
  expect(host.pushes[2]?.updates[0]).toEqual({ ref: workRef, to: next.work, expected: work });
});

test("whether it is on record is decided by what the host has, whatever it said", async () => {
  const { host, record, send } = await open(["a"], ["read", "write"]);
  // Done, and the answer was lost.
  host.answers = [(updates) => host.carryOut(updates) || "fatal: the remote end hung up unexpectedly"];
  expect(await send(["b"])).toBe(true);
  // Reported as done, and it is not.
  host.answers = [""];
  expect(await send(["c"])).toBe(true);
  expect(host.waits).toEqual([""]);
  // Done, and somebody has continued from it.
  host.answers = [(updates) => host.carryOut(updates) || String(host.append(["theirs"]).id && "")];
  expect(await send(["d"])).toBe(true);
  expect(record.lines).toEqual(["a", "b", "c", "d", "theirs"]);
  // Another one came first.
  host.append(["first"]);
  record.pending = ["e"];
  expect(await send(["e"])).toBe(false);
  expect([record.lines.at(-1), record.undone, record.pending]).toEqual(["first", ["e"], []]);
});

test("a host that does not allow it is not asked again, unless it has allowed it before", async () => {
  const { host, send } = await open();
  host.answers = ["fatal: The requested URL returned error: 403"];
  await expect(send(["a"])).rejects.toThrow("the-host does not allow this job to save the run");
  expect([host.pushes.length, host.waits]).toEqual([1, []]);
  const limited = await open(["a"], ["write"]);
  limited.host.answers = ["error: 403"];
  expect(await limited.send(["b"])).toBe(true);
  expect(limited.host.waits).toEqual(["error: 403"]);
});

test("a repository that is archived is named as such", async () => {
  const { host, send } = await open();
  host.answers = ["remote: This repository was archived so it is read-only.\nfatal: error: 403"];
  await expect(send(["a"])).rejects.toThrow("the-host is archived and takes nothing: unarchive it");
});

test("a host that cannot update two refs at once gets the workspace first, and no record without it", async () => {
  const { host, record, send, snapshot } = await open(["a"]);
  host.answers = ["fatal: the receiving end does not support --atomic push", "fatal: it hung up"];
  await send(["b"], snapshot("work"));
  const refs = host.pushes.map(({ updates, atomic }) => [...updates.map(({ ref }) => ref), atomic]);
  // The second push of the workspace failed, so the record waited for the third.
  expect(refs).toEqual([
    [workRef, stateRef, true],
    [workRef, false],
    [workRef, false],
    [stateRef, false],
  ]);
  expect(host.waits).toEqual(["fatal: it hung up"]);
  expect(record.lines).toEqual(["a", "b"]);
  // It has nothing to say about a single ref: the text is not believed twice.
  const odd = await open(["a"]);
  odd.host.answers = Array(9).fill("does not support --atomic");
  await expect(odd.send(["b"])).rejects.toThrow("patience ran out");
  expect(odd.host.waits).toHaveLength(4);
});

test.each([
  "cannot lock ref",
  "failed to update ref",
  "stale info",
  "fetch first",
  "incorrect old value provided",
  "reference already exists",
  "atomic push failed",
  "atomic transaction failed",
  "unpacker error: No space left on device",
])("a rejection that may pass (%s) is tried again, and the workspace stays in it", async (why) => {
  const { host, record, send, notices, snapshot } = await open(["a"]);
  host.answers = [rejected(why)];
  expect(await send(["b"], snapshot("work"))).toBe(true);
  expect(host.waits).toEqual([rejected(why)]);
  expect([record.space, notices]).toEqual(["refs/until-green", []]);
  expect(host.refs.has(workRef)).toBe(true);
});

test("a host that takes no refs of ours keeps the run in branches", async () => {
  const { host, record, send, notices } = await open();
  host.answers = [rejected("deny updating a hidden ref")];
  expect(await send(["a"])).toBe(true);
  expect([...host.refs.keys()]).toEqual([branch]);
  expect([record.lines, host.waits]).toEqual([["a"], []]);
  expect(notices).toEqual([
    "the-host accepts no refs outside branches and tags (deny updating a hidden ref): the run is kept in branches until-green/…",
  ]);
});

test("a host that takes no branches of ours either is an error with its reason", async () => {
  const { host, send } = await open();
  host.answers = [rejected("no"), rejected("pre-receive hook declined")];
  await expect(send(["a"])).rejects.toThrow(/^the-host did not accept the run: pre-receive hook declined$/);
  expect([host.refs.size, host.waits]).toEqual([0, []]);
});

test("a workspace that the host does not take stays here, and the record goes", async () => {
  const { host, send, notices, snapshot } = await open(["a"]);
  host.answers = [rejected("file too large")];
  expect(await send(["b"], snapshot("work"))).toBe(true);
  expect([...host.refs.keys()]).toEqual([stateRef]);
  expect(notices).toEqual(["the-host did not accept the workspace of this iteration (file too large)"]);
});

test.each([
  `fatal: unable to read ${"a".repeat(40)}`,
  `error: Could not read ${"a".repeat(40)}\nfatal: it died`,
  `bad object ${"a".repeat(40)}`,
])("a workspace that is damaged here stays here, and the record goes: %j", async (text) => {
  const { host, send, notices, snapshot } = await open(["a"]);
  host.answers = [text];
  expect(await send(["b"], snapshot("work"))).toBe(true);
  expect([...host.refs.keys()]).toEqual([stateRef]);
  expect(notices).toEqual([
    expect.stringMatching(
      /^snapshots on this machine are damaged \(.*[0-9a-f]{40}\): the workspace of this iteration stays on this machine, the record of the run does not$/i,
    ),
  ]);
});

test("what only looks like damage here keeps the workspace, or is tried again without one", async () => {
  const { host, send, snapshot } = await open(["a"]);
  host.answers = [`remote: fatal: unable to read ${"a".repeat(40)}`, "unable to read askpass response"];
  await send(["b"], snapshot("work"));
  expect(host.refs.has(workRef)).toBe(true);
  host.answers = [`unable to read ${"a".repeat(40)}`];
  await send(["c"]);
  expect(host.waits).toHaveLength(3);
});

test("a history that is cut off is completed; if that fails, the workspace stays here", async () => {
  const cutOff = rejected("shallow update not allowed");
  const { host, send, snapshot, notices } = await open(["a"]);
  host.canDeepen = true;
  host.answers = [cutOff];
  await send(["b"], snapshot("work"));
  expect([host.refs.has(workRef), notices, host.waits]).toEqual([true, [], []]);
  const moved = await open();
  moved.host.answers = [cutOff];
  await moved.send(["a"], moved.snapshot("work"));
  // Our refs are no part of that: the run stays where it is.
  expect([...moved.host.refs.keys()]).toEqual([stateRef]);
  expect(moved.notices).toEqual([
    "the-host did not accept the workspace of this iteration (its branch was moved: check out with `fetch-depth: 0`)",
  ]);
});

const lacks = rejected("missing necessary objects");

/** A run whose host has its record and its workspace, and refuses the next push. */
async function openLossy(...lost: readonly ("work" | "state")[]) {
  const it = await open();
  const snapshot = it.snapshot("work");
  await it.send(["a"], snapshot);
  it.host.pushes.length = 0;
  const [work = "", state = ""] = [workRef, stateRef].map((ref) => it.host.refs.get(ref));
  for (const what of lost) it.host.lost.add({ work, state }[what]);
  it.host.answers = [lacks];
  return { ...it, ids: { work, state }, again: () => it.send(["b"], snapshot) };
}

test.each<[string, readonly ("work" | "state")[], readonly string[]]>([
  ["its workspace", ["work"], ["the-host has lost objects of the run's workspace: its ref is created again"]],
  ["its record", ["state"], ["the-host has lost records of the run: they are pushed again"]],
  [
    "both",
    ["work", "state"],
    [
      "the-host has lost objects of the run's workspace: its ref is created again",
      "the-host has lost records of the run: they are pushed again",
    ],
  ],
])("a host that lost %s gets it again, and the run goes on", async (_, lost, says) => {
  const { host, notices, ids, again, record } = await openLossy(...lost);
  expect(await again()).toBe(true);
  expect(notices).toEqual(says);
  const deletions = lost.map((what) => ({
    updates: [{ ref: what === "work" ? workRef : stateRef, to: "", expected: ids[what] }],
    atomic: false,
  }));
  for (const deletion of deletions) expect(host.pushes).toContainEqual(deletion);
  expect(host.pushes.flatMap(({ updates }) => updates.filter(({ to }) => to === ""))).toHaveLength(
    lost.length,
  );
  expect(host.refs.get(workRef)).toBe(ids.work);
  expect([record.lines, linesAt(host)]).toEqual([["a", "b"], ["b"]]);
});

test("a record that was taken away is put back until it is there, or the error says how", async () => {
  const { host, again } = await openLossy("state");
  host.answers = [lacks, undefined, "fatal: it hung up"];
  expect(await again()).toBe(true);
  expect(host.waits).toEqual(["fatal: it hung up"]);
  const refused = await openLossy("state");
  refused.host.answers = [lacks, undefined, rejected("no")];
  await expect(refused.again()).rejects.toThrow(
    /^the-host has lost records of the run, and does not take them again \(.*\): until-green status run-001 says how to put them there$/,
  );
});

test("a host that lost what is none of the run's names the way out, and nothing is deleted", async () => {
  const { host, record, send } = await open(["a"]);
  host.answers = [lacks];
  await expect(send(["b"])).rejects.toThrow(
    /^the-host did not accept the run: missing necessary objects: one of its refs names a commit that it lost; find it there with git fsck and delete that ref, then until-green resume run-001$/,
  );
  expect([host.pushes.length, record.lines]).toEqual([1, ["a"]]);
});
