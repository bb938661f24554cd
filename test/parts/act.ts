import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { env } from "node:process";
import { runProcess } from "../../src/processes/process.ts";

/** A workflow for a third-party runner, on this machine and without a container. */
export interface ActRun {
  /** The checkout that contains the workflow. */
  readonly cwd: string;
  /** The workflow's file, relative to the top of the checkout. */
  readonly workflow: string;
  readonly event: string;
  readonly payload?: unknown;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  /** Stubs for other people's actions, by `owner/name@ref`: the text of their `action.yml`. */
  readonly actions?: Readonly<Record<string, string>>;
}

export interface ActResult {
  readonly ok: boolean;
  readonly log: string;
}

/** True if that runner is installed. */
export function hasAct(): boolean {
  try {
    execFileSync("act", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Runs a workflow with `act`, with this repository's action as shipped. */
export async function runAct({ cwd, workflow, event, ...run }: ActRun): Promise<ActResult> {
  const root = mkdtempSync(join(tmpdir(), "act-"));
  try {
    const replaced = {
      "until-green/until-green@v1": shippedAction(root),
      ...standIns(root, run.actions ?? {}),
    };
    const payload = join(root, "event.json");
    writeFileSync(payload, JSON.stringify(run.payload ?? {}));
    const end = await runProcess({
      command: "act",
      args: [
        ...[
          event,
          "--workflows",
          workflow,
          "--eventpath",
          payload,
          "--action-offline-mode",
          "--no-skip-checkout",
        ],
        ...["--platform", "ubuntu-latest=-self-hosted"],
        ...Object.entries(replaced).flatMap(([name, path]) => ["--local-repository", `${name}=${path}`]),
        ...Object.entries(run.secrets ?? {}).flatMap(([name, value]) => ["--secret", `${name}=${value}`]),
        ...Object.entries(run.variables ?? {}).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
      ],
      cwd,
      env: environment(root),
      timeoutMs: 120_000,
      keepBytes: 4 * 1024 * 1024,
      signal: new AbortController().signal,
      reap: true,
    });
    return { ok: end.how === "exited" && end.exitCode === 0, log: `${end.stdout}\n${end.stderr}` };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The files of an action release that a job needs. */
function shippedAction(root: string): string {
  const folder = join(root, "action");
  mkdirSync(folder);
  for (const part of ["action.yml", "dist"]) cpSync(part, join(folder, part), { recursive: true });
  return folder;
}

function standIns(root: string, actions: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(actions).map(([name, text], index) => {
    const folder = join(root, `stand-in-${index}`);
    mkdirSync(folder);
    writeFileSync(join(folder, "action.yml"), text);
    return [name, folder];
  });
  return Object.fromEntries(entries);
}

/** A separate home; the action finds the Node that runs the tests. */
function environment(root: string): Record<string, string> {
  const path = [dirname(process.execPath), env["PATH"] ?? ""].join(delimiter);
  return { PATH: path, HOME: root, LANG: "C.UTF-8", XDG_CACHE_HOME: join(root, "cache") };
}
