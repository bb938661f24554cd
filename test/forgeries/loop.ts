import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { env } from "node:process";
import { loopFile } from "../../src/cli/init/starter.ts";
import { builtCommandLine } from "../parts/built.ts";
import type { Project } from "./forgery.ts";
import { goRoot } from "./go-root.ts";
import { bin } from "./projects.ts";

const cli = builtCommandLine();

/** How a loop over a project ended, and what it said on the way. */
export interface LoopEnd {
  readonly conclusion: string;
  /** Green; green, to review; or red. */
  readonly verdict: "green" | "to review" | "red";
  /** Why a person is asked, by kind. */
  readonly asked: readonly string[];
  readonly reason: string;
  /** Codes of notices. */
  readonly notices: readonly string[];
  /** What each check said. */
  readonly checks: readonly string[];
  /** What the reviewer said; empty without one. */
  readonly reviews: readonly string[];
  /** How often the check ran in a fresh clone. */
  readonly clones: number;
}

/** The events of a run, and what it printed beside them. */
export interface Events {
  // biome-ignore lint/suspicious/noExplicitAny: events of all versions
  readonly events: readonly any[];
  readonly err: string;
}

interface Place {
  readonly root: string;
  readonly repo: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A loop to be played: its file, and what is there beside the repository. */
export interface Played {
  readonly files: Project["files"];
  /** The text of the loop file. */
  readonly loop: string;
  /** Bash that runs in the checkout before the first commit. */
  readonly prepare?: string | undefined;
  /** Programs on PATH, outside the checkout and HOME. */
  readonly tools?: Readonly<Record<string, string>> | undefined;
}

/** Runs scripts in the checkout one after the other, as anybody would: their exit codes. */
export async function bareRuns(played: Played, scripts: readonly string[]): Promise<readonly number[]> {
  const place = await writeProject(played);
  try {
    const codes: number[] = [];
    for (const script of scripts) codes.push((await run("bash", ["-c", script], place)).code);
    return codes;
  } finally {
    rmSync(place.root, { recursive: true, force: true });
  }
}

/** Runs the work of an agent in a project and its check then, as anybody would: the exit code. */
export async function bareCheck({ files, check }: Project, agent: string): Promise<number> {
  const [, code = 1] = await bareRuns({ files, loop: starterLoop(check, 1) }, [agent, check]);
  return code;
}

/** Runs a loop whose agent does this: its events, and what it said. */
export async function eventsOf(played: Played, agent: string): Promise<Events> {
  const place = await writeProject(played);
  try {
    writeFileSync(join(place.root, "agent.sh"), agent);
    const command = `command:bash ${join(place.root, "agent.sh")}; echo done`;
    const { out, err } = await run(
      process.execPath,
      [cli, "run", "fix", "--agent", command, "--json"],
      place,
    );
    return {
      events: out
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
      err,
    };
  } finally {
    rmSync(place.root, { recursive: true, force: true });
  }
}

/** What `loopOver` adds to the loop. */
interface Added {
  /** Bash that answers the reviewer's question, which it gets on standard input: the loop has `review: true`. */
  readonly reviewer?: string;
}

/** Runs the loop that `init` writes, for one iteration, whose agent does this. */
export async function loopOver(
  { files, check }: Project,
  agent: string,
  { reviewer }: Added = {},
): Promise<LoopEnd> {
  const loop = `${starterLoop(check, 1)}${reviewer === undefined ? "" : "      review: true\n"}`;
  const roles = `if [ "$UNTIL_GREEN_ROLE" = judge ]; then\n${reviewer ?? "exit 1"}\nexit; fi\n`;
  const { events, err } = await eventsOf({ files, loop }, `${roles}${agent}`);
  const of = (type: string) => events.filter((event) => event.type === type);
  const [end] = [...of("run.ended"), ...of("run.paused")];
  if (end === undefined) throw new Error(`the run did not end: ${err}`);
  const asked = of("gate.opened").flatMap(({ review = [] }) =>
    review.map((one: { readonly kind: string }) => one.kind),
  );
  const { conclusion = "paused" } = end;
  return {
    conclusion,
    verdict: conclusion === "success" ? "green" : asked.length > 0 ? "to review" : "red",
    asked,
    reason: end.stop_reason,
    notices: of("notice").map(({ code }) => code),
    checks: of("stop.tested").map(({ verdict, because }) => `${verdict}: ${because}`),
    reviews: of("stop.tested")
      .filter(({ kind }) => kind === "judge")
      .map(({ because }) => because),
    clones: of("stop.tested").filter(({ clean }) => clean !== undefined).length,
  };
}

/** The loop that `init` writes, for a number of iterations. */
export const starterLoop = (check: string, iterations: number) =>
  loopFile({ name: "fix", dir: "", project: { tool: "", check, install: undefined, setup: [] } }).replace(
    /max_iterations: \d+/,
    `max_iterations: ${iterations}`,
  );

async function writeProject({ files, loop, prepare, tools = {} }: Played): Promise<Place> {
  const root = mkdtempSync(join(tmpdir(), "forgery-"));
  const repo = join(root, "repo");
  const home = join(root, "home");
  for (const folder of [repo, join(home, "bin"), join(root, "tools")]) mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries({ ...files, ".github/loops/fix.yml": loop })) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
  for (const [name, text] of Object.entries(tools))
    writeFileSync(join(root, "tools", name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
  const old = env["HOME"] ?? "";
  const place = {
    root,
    repo,
    env: {
      // npm tells what it starts of the user's own settings; Vitest sets TEST, which rake reads as the file to test.
      ...Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:npm_.*|test)$/i.test(name))),
      HOME: home,
      PATH: [join(home, "bin"), join(root, "tools"), dirname(process.execPath), bin, env["PATH"] ?? ""].join(
        delimiter,
      ),
      ...(existsSync(join(old, ".rustup")) ? { RUSTUP_HOME: join(old, ".rustup") } : {}),
      GOCACHE: env["GOCACHE"] ?? join(old, ".cache/go-build"),
      ...("go.mod" in files ? goRoot() : {}),
      CI: "true",
    } as Record<string, string>,
  };
  if (prepare !== undefined) {
    const { code, err } = await run("bash", ["-ec", prepare], place);
    if (code !== 0) throw new Error(`the project could not be prepared: ${err}`);
  }
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    [...who, "commit", "-qm", "first"],
  ])
    await run("git", args, place);
  return place;
}

function run(program: string, args: readonly string[], { repo, env: variables }: Place) {
  return new Promise<{ readonly code: number; readonly out: string; readonly err: string }>((resolve) => {
    execFile(program, args, { cwd: repo, env: variables, maxBuffer: 64 * 1024 * 1024 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : 1, out, err });
    });
  });
}
