import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { onTestFinished } from "vitest";
import type { RunEvent, RunEventBody } from "../../src/engine/run-events.ts";
import { builtCommandLine } from "../parts/built.ts";

const main = builtCommandLine();

/** What one command line came to. */
export interface CommandResult {
  readonly code: number;
  readonly events: readonly RunEvent[];
  readonly stderr: string;
}

export interface Repository {
  readonly cwd: string;
  /** Runs `until-green` there in a process of its own, with `--json`. */
  untilGreen(...args: readonly string[]): Promise<CommandResult>;
  /** Commits all that is there. */
  commit(subject: string): void;
}

interface Contents {
  /** A folder that is copied into it. */
  readonly copy?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** A folder of programs that come first on the PATH. */
  readonly programs?: string;
}

/** A git repository of its own with one commit, gone when the test is over. */
export function openRepository({ copy, files = {}, programs }: Contents = {}): Repository {
  const cwd = mkdtempSync(join(tmpdir(), "until-green-example-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  if (copy !== undefined) cpSync(copy, cwd, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
  const commit = (subject: string) => {
    git(cwd, ["add", "--all"]);
    git(cwd, [...who, "commit", "--quiet", "--allow-empty", "--message", subject]);
  };
  git(cwd, ["init", "--quiet", "--initial-branch=main"]);
  commit("What there is");
  const path = programs === undefined ? env["PATH"] : `${resolve(programs)}${delimiter}${env["PATH"]}`;
  return { cwd, commit, untilGreen: (...args) => untilGreen(args, { cwd, env: { ...env, PATH: path } }) };
}

/** The events of one type, in order. */
export function eventsOf<T extends RunEventBody["type"]>(
  { events }: CommandResult,
  type: T,
): Extract<RunEvent, { type: T }>[] {
  return events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
}

const git = (cwd: string, args: readonly string[]) => execFileSync("git", args, { cwd, stdio: "pipe" });

function untilGreen(
  commandLine: readonly string[],
  { cwd, env: environment }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<CommandResult> {
  const args = [main, ...commandLine, "--json"];
  return new Promise((done) => {
    execFile(execPath, args, { cwd, env: environment, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const lines = stdout.split("\n").filter((line) => line !== "");
      const code = error === null ? 0 : Number(error.code ?? -1);
      done({ code, events: lines.map((line) => JSON.parse(line) as RunEvent), stderr });
    });
  });
}
