import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openBackground } from "../../src/agents/api/background.ts";
import { rulesAtTop } from "../../src/agents/api/repository-rules.ts";
import { workTools } from "../../src/agents/api/tools.ts";
import { openPrivateHome } from "../../src/agents/cli/private-home.ts";
import { sessionFiles } from "../../src/agents/cli/session-files.ts";
import { geminiSessions, makeHome } from "../../src/agents/gemini-home.ts";
import { writeReport } from "../../src/cli/report.ts";
import type { Launch } from "../../src/ports/isolation.ts";
import { noSuchFile } from "../../src/ports/unreadable.ts";
import { checkReport } from "../../src/processes/check-report.ts";
import { openPrivateTempDir } from "../../src/processes/private-temp-dir.ts";
import { packFiles, unpackFiles } from "../../src/stores/git/files.ts";
import { agentContext } from "../agents/agent.contract.ts";
import { temporaryFolder } from "../workspace/playground.ts";

/*
 * Behind the file wall a program writes in few places. Where our own process, which has no walls, reads or writes in
 * them, a link or a pipe must not lead it elsewhere or hold it.
 */

/** A folder of the user's that nothing may be written to, and what it is after an attempt. */
function elsewhere() {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "settings.json"), "mine");
  return {
    folder,
    isUntouched: () => readdirSync(folder).join() === "settings.json" && textOf(folder) === "mine",
  };
}

const textOf = (folder: string) => readFileSync(join(folder, "settings.json"), "utf8");
const gemini = { auth: "x", credentials: undefined, hasTools: true, trusts: false };

test.each([".homes", ".homes/gemini", ".homes/gemini/.gemini"])(
  "settings of Gemini CLI are not written where %s leads",
  (place) => {
    const [artifacts, user] = [temporaryFolder(), elsewhere()];
    mkdirSync(join(artifacts, place, ".."), { recursive: true });
    symlinkSync(user.folder, join(artifacts, place));
    makeHome(artifacts, gemini);
    expect(user.isUntouched()).toBe(true);
    expect(existsSync(join(artifacts, ".homes/gemini/.gemini/settings.json"))).toBe(true);
  },
);

test("conversations of Gemini CLI are not written where its registry leads, and a broken one is replaced", () => {
  const [artifacts, user, workspace, folder] = [
    temporaryFolder(),
    elsewhere(),
    temporaryFolder(),
    temporaryFolder(),
  ];
  makeHome(artifacts, gemini);
  const home = join(artifacts, ".homes/gemini/.gemini");
  const name = `../../../../../../../../../..${user.folder}`;
  writeFileSync(join(home, "projects.json"), JSON.stringify({ projects: { [workspace]: name } }));
  writeFileSync(join(home, "settings.json"), "no JSON");
  makeHome(artifacts, { ...gemini, hasTools: false });
  const id = "12345678-x";
  writeFileSync(join(folder, "session-1-12345678.jsonl"), id);
  const session = { id, folder, workspace, artifacts, environment: {}, home: "", run: async () => true };
  expect(geminiSessions.bring(session)).toBe(true);
  expect(user.isUntouched()).toBe(true);
});

test.each([".homes", ".homes/one"])("an agent's settings are not copied where %s leads", (place) => {
  const [artifacts, user, theirs] = [temporaryFolder(), elsewhere(), temporaryFolder()];
  writeFileSync(join(theirs, "config.toml"), "theirs");
  mkdirSync(join(artifacts, place, ".."), { recursive: true });
  symlinkSync(user.folder, join(artifacts, place));
  const own = { variable: "HERE", usual: ".one", settings: ["config.toml"] };
  openPrivateHome(own, { name: "one", environment: { HERE: theirs }, artifacts });
  expect(user.isUntouched()).toBe(true);
});

test("a conversation is neither restored to where a link leads, nor taken from there", () => {
  const [artifacts, user, folder, workspace] = [
    temporaryFolder(),
    elsewhere(),
    temporaryFolder(),
    temporaryFolder(),
  ];
  const home = join(artifacts, ".homes/one");
  mkdirSync(home, { recursive: true });
  symlinkSync(user.folder, join(home, "sessions"));
  const sessions = sessionFiles({
    globs: (id) => [`sessions/${id}.json`],
    rebind: (line) => line,
  });
  const session = {
    id: "settings",
    folder,
    workspace,
    artifacts,
    environment: {},
    home,
    run: async () => true,
  };
  expect(sessions.keep(session)).toBe(false);
  mkdirSync(join(folder, "sessions"));
  writeFileSync(join(folder, "sessions/settings.json"), "a conversation");
  expect(sessions.bring(session)).toBe(true);
  expect(user.isUntouched()).toBe(true);
  expect(textOf(join(home, "sessions"))).toBe("a conversation");
});

test("artifacts are not unpacked through links, and links are not packed", async () => {
  const [gitDir, from, to, user] = [temporaryFolder(), temporaryFolder(), temporaryFolder(), elsewhere()];
  execFileSync("git", ["init", "-q", "--bare", gitDir]);
  for (const name of ["settings.json", "deep/settings.json"]) {
    mkdirSync(join(from, name, ".."), { recursive: true });
    writeFileSync(join(from, name), "packed");
  }
  symlinkSync(join(user.folder, "settings.json"), join(from, "linked"));
  const caps = { fileBytes: 1000, bytes: 1000, files: 10 };
  const packing = {
    folder: from,
    caps,
    secrets: [],
    travels: () => true,
    seal: (_: string, body: Buffer) => body,
  };
  const tree = packFiles({ gitDir, format: "sha1" }, packing) ?? "";
  symlinkSync(join(user.folder, "settings.json"), join(to, "settings.json"));
  symlinkSync(user.folder, join(to, "deep"));
  await unpackFiles({ gitDir }, { tree, folder: to, travels: () => true, open: (_, stored) => stored });
  expect(user.isUntouched()).toBe(true);
  expect([textOf(to), textOf(join(to, "deep")), readdirSync(to).sort()]).toEqual([
    "packed",
    "packed",
    ["deep", "settings.json"],
  ]);
});

test("a report replaces a link that an agent left where it is written", () => {
  const [cwd, user] = [temporaryFolder(), elsewhere()];
  symlinkSync(join(user.folder, "settings.json"), join(cwd, "report.md"));
  writeReport("a report", { out: "report.md", quiet: true, cwd });
  expect(user.isUntouched()).toBe(true);
  expect(readFileSync(join(cwd, "report.md"), "utf8")).toBe("a report");
  writeReport("a report", { out: "/dev/null", quiet: true, cwd });
  expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
});

test("a pipe in the place of a check's report does not hold us", async () => {
  const workspace = temporaryFolder();
  const scratch = openPrivateTempDir(temporaryFolder());
  const report = checkReport({ scratch, base: {}, workspace, script: "pytest", artifacts: workspace });
  const junit = /--junitxml=([^"\s]+)/.exec(JSON.stringify(report.env))?.[1] ?? "";
  makePipe(junit);
  const answer = { exitCode: 0, stdout: "ok", stderr: "", tail: "ok", stdoutBytes: 2 };
  expect(await report.read(answer as never)).toMatchObject({ exitCode: 0 });
  scratch.remove();
});

test("the built-in agent reaches files as its commands do: behind the walls, and without waiting for a pipe", async () => {
  const launches: Launch[] = [];
  const context = {
    ...agentContext(),
    wrap: async (launch: Launch) => {
      launches.push(launch);
      return launch;
    },
  };
  const background = openBackground();
  const { signal } = new AbortController();
  const environment = { PATH: process.env["PATH"] };
  const use = async (name: string, given: Record<string, unknown>) =>
    await workTools[name]?.use(given, { context, environment, background, signal, onSound: () => undefined });
  await use("write", { path: "deep/a.txt", content: "one" });
  await use("edit", { path: "deep/a.txt", old: "one", new: "two" });
  expect(await use("read", { path: "deep/a.txt" })).toBe("1\ttwo");
  expect(await use("list", { path: "." })).toContain("deep/");
  expect(launches).toHaveLength(5);
  for (const name of ["pipe", "AGENTS.md"]) makePipe(join(context.workspace, name));
  await expect(use("read", { path: "pipe" })).rejects.toThrow("pipe: it is no regular file");
  await expect(use("write", { path: "pipe", content: "x" })).rejects.toThrow("pipe: it is no regular file");
  await expect(use("read", { path: "missing" })).rejects.toThrow(`missing: ${noSuchFile}`);
  expect(await rulesAtTop({ context, environment } as never)).toBe("");
  symlinkSync("/", join(context.workspace, "root"));
  await expect(use("read", { path: "root/etc/passwd" })).rejects.toThrow("leaves the workspace");
  await expect(use("glob", { pattern: "/etc/*" })).rejects.toThrow("leaves the workspace");
  expect(await use("glob", { pattern: "root/etc/*" })).toBe("no file matches");
  expect(readlinkSync(join(context.workspace, "root"))).toBe("/");
  await background.end();
});

function makePipe(path: string): void {
  execFileSync("bash", ["-c", 'mkfifo "$0"', path]);
}
