import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { RunEvent } from "../../src/engine/run-events.ts";
import { builtCommandLine } from "./built.ts";

const program = builtCommandLine();

/** The output and exit code of a command line. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: readonly RunEvent[];
}

export interface Folder {
  readonly path: string;
  write(files: Readonly<Record<string, string>>): void;
  /** Runs the real command line in the folder. */
  run(...args: readonly string[]): Promise<Ended>;
  /** The same without waiting: for a process that is stopped. */
  start(...args: readonly string[]): { readonly process: ChildProcess; readonly ended: Promise<Ended> };
}

/** A separate folder for a test, removed when it ends; a git repository with one commit unless `bare`. */
export function openFolder({ bare = false }: { readonly bare?: boolean } = {}): Folder {
  const path = mkdtempSync(join(tmpdir(), "until-green-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const folder = folderAt(path);
  if (!bare) {
    folder.write({ "README.md": "a project\n" });
    const git = (...args: string[]) =>
      execFileSync("git", args, { cwd: path, env: { ...process.env, ...identity } });
    git("init", "--quiet", "--initial-branch=main");
    git("add", "--all");
    git("commit", "--quiet", "--message", "begin");
  }
  return folder;
}

/** This process's environment, as if npm had not started it: commands are shown with the program's own name. */
export const typed = () => ({ ...process.env, npm_command: undefined, npm_lifecycle_event: undefined });

/**
 * An existing folder, with the environment of its processes; default: this process's. They are started `through`
 * another program if given.
 */
export function folderAt(
  path: string,
  env?: Readonly<Record<string, string | undefined>>,
  through: readonly string[] = [],
): Folder {
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), text);
    }
  };
  const start = (...commandLine: readonly string[]) => {
    const [command = "", ...args] = [...through, process.execPath, program, ...commandLine];
    const child = spawn(command, args, {
      cwd: path,
      env: env ?? typed(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    const ended = new Promise<Ended>((done) => {
      child.on("close", (code) =>
        done({ code, stdout, stderr, events: commandLine.includes("--json") ? eventsOf(stdout) : [] }),
      );
    });
    return { process: child, ended };
  };
  return { path, write, start, run: (...args) => start(...args).ended };
}

const identity = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
};

/** Parses NDJSON, complete lines only: a killed process may leave half of one. */
const eventsOf = (stdout: string): readonly RunEvent[] =>
  stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** A complete loop workflow around these keys. */
export const loopFile = (keys: string, before = "") =>
  `name: t\n${before}nodes:\n  - id: fix\n    loop:\n${keys.trim().replace(/^ */gm, "      ")}\n`;

/** True if a process is running; a zombie is not. */
export function isAlive(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
