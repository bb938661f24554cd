import { execFileSync, type SpawnOptions, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RunEvent } from "../../src/engine/run-events.ts";

export const runId = "killed-run";
const killHook = resolve("test/parts/kill-at-write.ts");

export type Args = readonly string[];
export type Store = "dir" | "git";

/** A folder with a checkout in which commands are killed. */
export interface Place {
  readonly folder: string;
  readonly checkout: string;
  readonly temporary: string;
  readonly store: Store;
  /** The program of the command line. */
  readonly program: string;
}

type Base = Pick<Place, "folder" | "store" | "program">;

export const placeAt = ({ folder, store, program }: Base): Place => ({
  folder,
  store,
  program,
  checkout: join(folder, "checkout"),
  temporary: join(folder, "temporary"),
});

/** Makes a checkout with one commit of these files, and its host if runs are stored there. */
export function openPlace(base: Base, files: Readonly<Record<string, string>>): Place {
  const place = placeAt(base);
  const { folder, checkout, temporary, store } = place;
  for (const path of [checkout, temporary]) mkdirSync(path, { recursive: true });
  const all = { ".gitignore": "calls\n", ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(checkout, name), text);
  const git = (...args: Args) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: checkout });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "begin");
  if (store === "git") {
    execFileSync("git", ["init", "--quiet", "--bare", join(folder, "host.git")]);
    // Also right in a copy of the folder.
    git("remote", "add", "origin", "../host.git");
    git("push", "--quiet", "origin", "main");
  }
  return place;
}

interface Kill {
  /** Variables for the hook that kills before a write. */
  readonly hook?: Readonly<Record<string, string>>;
  readonly end?: Parameters<typeof runKillable>[2];
}

/** Runs a command in a folder, and kills it if requested. */
export async function type(place: Place, args: Args, { hook, end }: Kill = {}) {
  const { checkout, temporary, store, folder, program } = place;
  const hooked = hook === undefined ? [] : ["--import", killHook];
  const where = store === "git" ? ["--store", "git"] : [];
  const env = { ...process.env, TMPDIR: temporary, RUNNER_TEMP: temporary, HOME: folder, ...hook };
  return await runKillable([...hooked, program, ...args, ...where], { cwd: checkout, env }, end);
}

/** The events in what a command printed; a killed one may have printed half of one. */
export const eventsIn = (text: string): readonly RunEvent[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line));

/** How a process ended that may have been killed. */
interface KillableEnd {
  /** `null` if it was killed. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly errors: string;
}

/** Starts Node, with a signal that ends it after a while. */
function runKillable(
  args: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env">,
  end?: { readonly signal: NodeJS.Signals; readonly afterMs: number },
): Promise<KillableEnd> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    const timer = end && setTimeout(() => child.kill(end.signal), end.afterMs);
    // An orphan may hold its pipe: only the process counts.
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      setImmediate(() => {
        for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
        resolve({ code, signal, out, errors });
      });
    });
  });
}
