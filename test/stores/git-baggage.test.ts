import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sessionsFolder } from "../../src/ports/agent.ts";
import { gitRefStore } from "../../src/stores/git-ref.ts";
import { type GitServer, machineOf, openGitServer } from "../parts/git-server.ts";

const ref = "refs/until-green/run-001/state";

async function host() {
  const server = await openGitServer();
  const top = mkdtempSync(join(tmpdir(), "git-baggage-"));
  onTestFinished(async () => {
    await server.close();
    rmSync(top, { recursive: true, force: true, maxRetries: 3 });
  });
  const stateOf = () => JSON.parse(server.git("show", `${ref}:state`));
  return { server, top, stateOf, open: (more: More = {}) => openAt(server, top, more) };
}

type More = Partial<Parameters<typeof gitRefStore>[0]>;

/** A store of a machine of its own. */
const openAt = (server: GitServer, top: string, more: More) =>
  gitRefStore({
    remote: server.url,
    cwd: top,
    environment: machineOf(server, { home: top, temporary: mkdtempSync(join(top, "machine-")) }),
    rhythm: { pushMs: 60_000, lookMs: 0 },
    ...more,
  });

test("the status is pushed with the very lines it belongs to, however late they are pushed", async () => {
  const { open, stateOf } = await host();
  const store = open();
  const release = await store.hold("run-001");
  store.describe?.("run-001", { after: 1 });
  await store.append("run-001", 0, ["a"]);
  await store.flush?.("run-001");
  expect(stateOf()).toMatchObject({ lines: 1, status: { after: 1 } });
  // Described, but its lines are not appended yet: what is pushed meanwhile says what it said.
  store.describe?.("run-001", { after: 2 });
  await store.append("run-001", 1, ["b"]);
  store.describe?.("run-001", { after: 3 });
  await store.flush?.("run-001");
  expect(stateOf()).toMatchObject({ lines: 2, status: { after: 2 } });
  await store.append("run-001", 2, ["c"]);
  await release();
  expect(stateOf()).toMatchObject({ lines: 3, status: { after: 3 } });
  expect(await open().status?.("run-001")).toEqual({ after: 3 });
});

test("who does not hold the run describes it with the one append, and nothing older stays", async () => {
  const { open, stateOf } = await host();
  const store = open();
  await store.read("run-001");
  store.describe?.("run-001", { after: 1 });
  await store.append("run-001", 0, ["a"]);
  expect(stateOf()).toMatchObject({ status: { after: 1 } });
  await store.append("run-001", 1, ["b"]);
  expect(stateOf()).not.toHaveProperty("status");
  expect(await open().status?.("run-002")).toBeUndefined();
});

test("lines that a killed process left waiting keep the status that was recorded last", async () => {
  const { open, server, top, stateOf } = await host();
  const environment = machineOf(server, { home: top, temporary: mkdtempSync(join(top, "machine-")) });
  const killed = open({ environment });
  await killed.hold("run-001");
  killed.describe?.("run-001", { after: 1 });
  await killed.append("run-001", 0, ["a"]);
  await killed.flush?.("run-001");
  killed.describe?.("run-001", { after: 2 });
  await killed.append("run-001", 1, ["b"]);
  // As a kill would leave it: the lock is a dead process's.
  rmSync(join(await killed.artifacts("run-001"), "..", "owner"));
  const next = open({ environment });
  await (await next.hold("run-001"))();
  expect(stateOf()).toMatchObject({ lines: 2, status: { after: 1 } });
});

function fill(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

test("conversations of agents are copied, with private permissions, without secrets, keys and binary files", async () => {
  const { open } = await host();
  const store = open({ secrets: ["hush-hush-hush"] });
  const release = await store.hold("run-001");
  const sessions = join(await store.artifacts("run-001"), sessionsFolder);
  fill(sessions, {
    "claude/1234-abcd.jsonl": '{"said":"hush-hush-hush"}\n',
    "codex/2026/rollout-1234.jsonl": "{}\n",
    "codex/auth.json": "{}",
    "claude/.credentials.json": "{}",
    "opencode/store.db": "SQLite",
    "top.jsonl": "{}",
    "gemini/with blank.json": "{}",
  });
  await store.append("run-001", 0, ["a"]);
  await release();
  const there = join(await open().artifacts("run-001"), sessionsFolder);
  const path = join(there, "claude/1234-abcd.jsonl");
  expect(readFileSync(path, "utf8")).toBe('{"said":"***"}\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(there).mode & 0o777).toBe(0o700);
  expect(statSync(join(there, "claude")).mode & 0o077).toBe(0);
  expect(existsSync(join(there, "codex/2026/rollout-1234.jsonl"))).toBe(true);
  for (const name of ["codex/auth.json", "claude/.credentials.json", "opencode/store.db", "top.jsonl"])
    expect(existsSync(join(there, name)), name).toBe(false);
});

test("of conversations that do not all fit the newest travel, and a decision elsewhere keeps them", async () => {
  const { open } = await host();
  const store = open();
  const release = await store.hold("run-001");
  const sessions = join(await store.artifacts("run-001"), sessionsFolder);
  const size = 4 * 1024 * 1024;
  for (let age = 0; age < 6; age += 1) {
    fill(sessions, { [`claude/s-${age}.jsonl`]: String(age).repeat(age === 5 ? size + 1 : size) });
    const changed = new Date(Date.UTC(2026, 0, 1) - age * 60_000);
    utimesSync(join(sessions, `claude/s-${age}.jsonl`), changed, changed);
  }
  await store.append("run-001", 0, ["a"]);
  await release();
  await open().append("run-001", 1, ["decided"]);
  const there = join(await open().artifacts("run-001"), sessionsFolder);
  const kept = [0, 1, 2, 3, 4, 5].filter((age) => existsSync(join(there, `claude/s-${age}.jsonl`)));
  expect(kept).toEqual([0, 1, 2, 3]);
});
