import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bareRepository } from "../../../src/git/bare-repository.ts";
import { writeCommit } from "../../../src/git/objects.ts";
import { BrokenLogError } from "../../../src/ports/store.ts";
import {
  digestOf,
  notOfARun,
  readHead,
  readLogCommits,
  type Step,
  verifyLogCommit,
  writeLogCommit,
} from "../../../src/stores/git/commit-log.ts";
import { sign, unsigned } from "../../../src/stores/git/sign.ts";

const run = "run-001";
const nonce = "0123456789abcdef";
const started = "2026-01-01T00:00:00.000Z";
const events = Buffer.from("c\nd\n");
const head = { v: 1, run, seq: 3, epoch: 2, nonce, owner: "me", started, lines: 4 };
const intact = { ...head, digest: digestOf("before", events) };
const last = {
  id: "b",
  head: { ...intact, v: 1 as const, seq: 2, lines: 2, digest: "before" },
  lines: ["a", "b"],
};
const text = (value: unknown) => Buffer.from(JSON.stringify(value));
const verify = (state: Buffer | undefined, more: Partial<Parameters<typeof verifyLogCommit>[0]> = {}) =>
  verifyLogCommit({ run, id: "c", last, key: undefined, state, events, ...more });
const damaged = (why: string) =>
  `the record of run ${run} is damaged at commit c: ${why}. Point its ref back to the last intact commit, or start a new run`;

test("an intact commit is read, with the lines that it adds, whether its owner is the last one or a new one", () => {
  expect(verify(text(intact))).toEqual({ id: "c", head: intact, lines: ["c", "d"] });
  expect(verify(text({ ...intact, epoch: 3 })).head.epoch).toBe(3);
  const first = { ...intact, seq: 1, epoch: 0, lines: 0, digest: digestOf(undefined, Buffer.of()) };
  const read = verify(text(first), { last: undefined, events: Buffer.of() });
  expect([read.head, read.lines]).toEqual([first, []]);
});

test.each<[string, Buffer | undefined]>([
  ["it belongs to the run run-002", text({ ...intact, run: "run-002" })],
  ["its number is 4", text({ ...intact, seq: 4 })],
  ["its number is 2", text({ ...intact, seq: 2 })],
  ["its owner had lost the run", text({ ...intact, epoch: 1 })],
  ["its count of lines is wrong", text({ ...intact, lines: 5 })],
  ["its events do not fit its digest", text({ ...intact, digest: digestOf(undefined, events) })],
  ["it was written by a newer until-green; use that one", text({ v: 3 })],
  ["it was written by a newer until-green; use that one", Buffer.from('\n {\n  "v":  12,\n')],
  [notOfARun, text({ run, v: 3 })],
  [notOfARun, text({ ...intact, v: 0 })],
  [notOfARun, text({ ...intact, seq: 0 })],
  [notOfARun, text({ ...intact, epoch: -1 })],
  [notOfARun, text({ ...intact, lines: 1.5 })],
  [notOfARun, text({ ...intact, lines: -1 })],
  [notOfARun, text({ ...intact, nonce: nonce.slice(1) })],
  [notOfARun, text({ ...intact, work: 1 })],
  [notOfARun, Buffer.from("{")],
  [notOfARun, undefined],
])("a damaged commit is refused: %s", (why, state) => {
  expect(() => verify(state)).toThrow(new BrokenLogError(damaged(why)));
});

test("a commit without its events, or with events that end early, is refused", () => {
  expect(() => verify(text(intact), { events: undefined })).toThrow(damaged(notOfARun));
  expect(() => verify(text(intact), { events: events.subarray(0, -1) })).toThrow(
    damaged("its events are cut off"),
  );
});

test("with a state key only what was signed with it is read", () => {
  const key = { secret: "key", repository: "octocat/hello" };
  const signed = { ...intact, repository: "octocat/hello" };
  expect(verify(text(sign(intact, key)), { key }).head).toEqual(intact);
  const why = damaged(unsigned);
  for (const state of [intact, signed, { ...sign(intact, key), owner: "eve" }])
    expect(() => verify(text(state), { key })).toThrow(why);
});

test("a head is read without its chain, and what is none is undefined", () => {
  expect(readHead(text({ ...intact, status: { a: 1 }, unknown: 1 }), undefined)).toEqual({
    ...intact,
    status: { a: 1 },
  });
  for (const state of [undefined, Buffer.of(), text({ ...intact, owner: 1 })])
    expect(readHead(state, undefined)).toBeUndefined();
});

function open() {
  const top = mkdtempSync(join(tmpdir(), "commit-log-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const gitDir = bareRepository(top, "state.git", "sha1");
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", gitDir, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
  const write = (before: Step["before"], lines: readonly string[], more: Partial<Step> = {}) =>
    writeLogCommit(gitDir, "sha1", {
      ...{ before, lines, run, epoch: 1, nonce, owner: "me", at: started, key: undefined, status: undefined },
      ...{ work: undefined, artifacts: undefined, sessions: undefined },
      ...more,
    });
  const chain = () => {
    const first = write(undefined, ["a", "b"]);
    const second = write(first, ["c"], { epoch: 2, at: "2026-01-01T00:01:00.000Z" });
    return { first, second, third: write(second, [], { epoch: 2 }) };
  };
  const read = (tip: string, before?: Step["before"]) => readLogCommits(gitDir, run, { before, tip });
  return { gitDir, git, write, chain, read };
}

test("a commit has the state, the events and the folders of its run, and comes back as it was written", async () => {
  const { gitDir, git, write, read } = open();
  const folder = git("hash-object", "-w", "-t", "tree", "/dev/null");
  const first = write(undefined, ["a", "b"]);
  const more = { work: "1".repeat(40), artifacts: folder, sessions: folder, status: { a: 1 } };
  const second = write(first, ["c"], { ...more, epoch: 2, at: "2026-01-01T00:01:00.000Z" });
  expect(second.head).toEqual({
    ...{ v: 1, run, seq: 2, epoch: 2, nonce, owner: "me", started, lines: 3 },
    digest: digestOf(digestOf(undefined, Buffer.from("a\nb\n")), Buffer.from("c\n")),
    ...{ work: more.work, artifacts: folder, sessions: folder, status: { a: 1 } },
  });
  expect(git("log", "--reverse", "--format=%s|%b|%aI|%P", second.id)).toBe(
    `${run}: 1|${nonce}\n|2026-01-01T00:00:00+00:00|\n${run}: 2|${nonce}\n|2026-01-01T00:01:00+00:00|${first.id}`,
  );
  expect(git("ls-tree", "--name-only", second.id).split("\n")).toEqual([
    ...["artifacts", "events", "sessions", "state"],
  ]);
  expect(git("ls-tree", "--name-only", first.id).split("\n")).toEqual(["events", "state"]);
  expect(git("show", `${first.id}:state`)).toBe(JSON.stringify(first.head, undefined, 2));
  expect(await read(second.id)).toEqual([first, second]);
  const key = { secret: "key", repository: "octocat/hello" };
  expect(writeLogCommit(gitDir, "sha1", { ...stepOf(first), key }).head.v).toBe(2);
});

const stepOf = (before: Step["before"]): Step => ({
  ...{ before, lines: [], run, epoch: 1, nonce, owner: "me", at: started, key: undefined, status: undefined },
  ...{ work: undefined, artifacts: undefined, sessions: undefined },
});

test("only the commits after a known one are read", async () => {
  const { chain, read } = open();
  const { first, second, third } = chain();
  expect(await read(third.id, first)).toEqual([second, third]);
  expect(await read(third.id, third)).toEqual([]);
});

test.each<[string, (at: ReturnType<typeof open>) => { tip: string; before?: Step["before"]; why: string }]>([
  ["an object that is not here", () => ({ tip: "1".repeat(40), why: "its commits cannot be read" })],
  [
    "no commit",
    ({ git }) => ({ tip: git("hash-object", "-w", "-t", "tree", "/dev/null"), why: "it is no commit" }),
  ],
  [
    "a commit before the known one",
    ({ chain }) => {
      const { first, second } = chain();
      return { tip: first.id, before: second, why: `it does not follow ${second.id}` };
    },
  ],
  [
    "a commit beside the known one",
    ({ chain, write }) => {
      const { first, second } = chain();
      return { tip: write(first, ["x"]).id, before: second, why: `it does not follow ${second.id}` };
    },
  ],
  [
    "a merge",
    ({ chain, gitDir, git }) => {
      const { first, second, third } = chain();
      const tree = git("rev-parse", `${third.id}^{tree}`);
      const tip = writeCommit(gitDir, "sha1", { tree, parents: [second.id, first.id], message: "merge" });
      return { tip, why: `it does not follow ${second.id}` };
    },
  ],
])("a tip that is %s is refused", async (_, make) => {
  const at = open();
  const { tip, before, why } = make(at);
  await expect(at.read(tip, before)).rejects.toThrow(`damaged at commit ${tip}: ${why}. Point`);
});

test("a chain whose start is cut off is refused", async () => {
  const { gitDir, git, chain, read } = open();
  const { first, second } = chain();
  const tree = git("rev-parse", `${second.id}^{tree}`);
  const root = writeCommit(gitDir, "sha1", { tree, parents: [], message: "root" });
  await expect(read(root)).rejects.toThrow(`damaged at commit ${root}: its number is 2`);
  const state = git("rev-parse", `${first.id}^{tree}`);
  const grafted = writeCommit(gitDir, "sha1", { tree: state, parents: [second.id], message: "again" });
  await expect(read(grafted, first)).rejects.toThrow(`damaged at commit ${grafted}: its number is 1`);
});
