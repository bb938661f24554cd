import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { bareRepository } from "../../../src/git/bare-repository.ts";
import { sessionsFolder } from "../../../src/ports/agent.ts";
import { runFolder } from "../../../src/stores/git/artifacts.ts";
import { isEncrypted } from "../../../src/stores/git/encrypt.ts";
import type { RemoteRun } from "../../../src/stores/git/run-refs.ts";
import { machineFolder, recordOf, scriptedHost } from "../../parts/scripted-host.ts";

/** The folder of a run on one machine; `at` is what the last commit of its record names. */
function open(secrets: readonly string[] = [], key?: RemoteRun["key"]) {
  const host = scriptedHost();
  const dir = machineFolder();
  const gitDir = bareRepository(dir, "state.git", "sha1");
  const start = (at: object = {}) => {
    const record = { ...recordOf({ host, dir, gitDir }), key };
    record.tip = { id: "c", head: at as never, lines: [] };
    return runFolder(record, secrets);
  };
  const fill = (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, "artifacts", name)), { recursive: true });
      writeFileSync(join(dir, "artifacts", name), text);
    }
  };
  const files = () => {
    const all = readdirSync(join(dir, "artifacts"), { recursive: true, encoding: "utf8" });
    return all.filter((name) => statSync(join(dir, "artifacts", name)).isFile()).toSorted();
  };
  const clear = () => rmSync(join(dir, "artifacts"), { recursive: true, force: true });
  return { dir, start, fill, files, clear };
}
const at = (path: string) => join(sessionsFolder, path);

test("the files of a run and the conversations of its agents come back on another machine", async () => {
  const { dir, start, fill, files, clear } = open();
  expect(start().packed()).toEqual({});
  fill({ "note.txt": "note", "sub/deep.txt": "deep", [at("claude/1.jsonl")]: "{}\n" });
  const packed = start().packed();
  expect(packed).toEqual({
    artifacts: expect.stringMatching(/^[0-9a-f]{40}$/),
    sessions: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  clear();
  expect(await start(packed).filled()).toBe(join(dir, "artifacts"));
  expect(files()).toEqual([at("claude/1.jsonl"), "note.txt", "sub/deep.txt"].toSorted());
  expect(readFileSync(join(dir, "artifacts/note.txt"), "utf8")).toBe("note");
  expect(statSync(join(dir, "artifacts", sessionsFolder)).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, "artifacts", at("claude/1.jsonl"))).mode & 0o777).toBe(0o600);
  expect(start().path).toBe(join(dir, "artifacts"));
});

test("a folder that has what the record names is left alone, and any other one is filled again", async () => {
  const { start, fill, files, clear } = open();
  fill({ "note.txt": "note" });
  const first = start().packed();
  fill({ "note.txt": "mine", "more.txt": "more", [at("claude/1.jsonl")]: "{}" });
  const second = start().packed();
  clear();
  await start(first).filled();
  expect(files()).toEqual(["note.txt"]);
  fill({ "note.txt": "an agent continues it" });
  await start(first).filled();
  expect(start().packed()).not.toMatchObject(first);
  await start(second).filled();
  expect(files()).toEqual([at("claude/1.jsonl"), "more.txt", "note.txt"].toSorted());
  // What this machine has pushed, it has.
  clear();
  start({ sessions: "s" }).marked();
  await start({ sessions: "s" }).filled();
  expect(files()).toEqual([]);
  await start({ ...first, sessions: second.sessions }).filled();
  expect(files()).toEqual([at("claude/1.jsonl"), "note.txt"].toSorted());
});

test("a folder of a run without a record is empty, and its conversations are private", async () => {
  const { dir, start, fill, files, clear } = open();
  await start().filled();
  expect(files()).toEqual([]);
  fill({ [at("claude/1.jsonl")]: "{}" });
  const { sessions } = start().packed();
  clear();
  mkdirSync(join(dir, "artifacts", sessionsFolder), { recursive: true });
  chmodSync(join(dir, "artifacts", sessionsFolder), 0o755);
  await start({ sessions }).filled();
  expect(statSync(join(dir, "artifacts", sessionsFolder)).mode & 0o777).toBe(0o700);
  expect(existsSync(join(dir, "artifacts/note.txt"))).toBe(false);
});

test.each([
  ["claude/1.jsonl", true],
  ["claude/1.json", true],
  ["claude/2026/11/1.ndjson", true],
  ["claude/notes.md", true],
  ["claude/notes.txt", true],
  ["claude/a.yaml", true],
  ["claude/a.yml", true],
  ["claude/sessions/1234", true],
  ["a@b+c=d,e-f/1.json", true],
  ["claude/1.v2.json", true],
  ["claude/tokenizer.json", true],
  ["claude/monkey.json", true],
  ["claude.json", false],
  ["claude/.hidden.json", false],
  ["claude/.cache/1.json", false],
  ["clau de/1.json", false],
  ["claude/1 2.json", false],
  ["cla.ude/1.json", false],
  ["claude/1.db", false],
  ["claude/1.json.bak", false],
  ["claude/1.jsonx", false],
  ["claude/auth.json", false],
  ["claude/oauth_creds.json", false],
  ["claude/credential.json", false],
  ["claude/credentials.json", false],
  ["claude/my-token.json", false],
  ["claude/tokens.json", false],
  ["claude/secret/1.json", false],
  ["claude/api_keys.json", false],
  ["claude/key.json", false],
  ["claude/PASSWORD.txt", false],
  ["claude/cookies", false],
  ["secrets/1.json", false],
])("whether a conversation with the name %s travels: %s", (name, travels) => {
  const { start, fill } = open();
  fill({ [at(name)]: "{}" });
  expect(start().packed().sessions !== undefined).toBe(travels);
});

test("files travel within limits, conversations within larger ones, and both without secrets", async () => {
  const { dir, start, fill, files, clear } = open(["hush-hush-hush"]);
  const kib = 1024;
  fill({
    "small.txt": "x".repeat(64 * kib),
    "large.txt": "x".repeat(64 * kib + 1),
    "secret.txt": "hush-hush-hush",
    [at("claude/small.txt")]: "x".repeat(4 * kib * kib),
    [at("claude/large.txt")]: "x".repeat(4 * kib * kib + 1),
    [at("claude/said.txt")]: "hush-hush-hush",
  });
  const packed = start().packed();
  clear();
  await start(packed).filled();
  expect(files()).toEqual(
    ["secret.txt", "small.txt", at("claude/said.txt"), at("claude/small.txt")].toSorted(),
  );
  for (const name of ["secret.txt", at("claude/said.txt")])
    expect(readFileSync(join(dir, "artifacts", name), "utf8")).toBe("***");
});

test("of many files and conversations, as many travel as the limits allow", async () => {
  const { start, fill, files, clear } = open();
  const many = (count: number, name: (at: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), "x"]));
  fill({ ...many(201, (at) => `${at}.txt`), ...many(501, (number) => at(`claude/${number}.txt`)) });
  const packed = start().packed();
  clear();
  await start(packed).filled();
  const [sessions, rest] = [true, false].map((is) =>
    files().filter((name) => name.startsWith(sessionsFolder) === is),
  );
  expect([rest?.length, sessions?.length]).toEqual([200, 500]);
});

test("with a state key files are encrypted, and files of earlier versions are read too", async () => {
  const key = { secret: "key", repository: "project" };
  const { dir, start, fill, clear } = open([], key);
  fill({ "note.txt": "note" });
  const { artifacts = "" } = start().packed();
  clear();
  const plain = open();
  plain.fill({ "note.txt": "ug1 is no prefix" });
  const before = plain.start().packed();
  const show = (gitDir: string, tree: string) =>
    execFileSync("git", ["-C", gitDir, "show", `${tree}:note.txt`], { encoding: "utf8" });
  expect(isEncrypted(show(join(dir, "state.git"), artifacts))).toBe(true);
  await start({ artifacts }).filled();
  expect(readFileSync(join(dir, "artifacts/note.txt"), "utf8")).toBe("note");
  expect(show(join(plain.dir, "state.git"), before.artifacts ?? "")).toBe("ug1 is no prefix");
  const later = runFolder(
    {
      ...recordOf({ host: scriptedHost(), dir: plain.dir, gitDir: join(plain.dir, "state.git") }),
      key,
      tip: { id: "c", head: before as never, lines: [] },
    },
    [],
  );
  plain.clear();
  await later.filled();
  expect(readFileSync(join(plain.dir, "artifacts/note.txt"), "utf8")).toBe("ug1 is no prefix");
});
