import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { env } from "node:process";
import { loopFile } from "../../src/cli/init/starter.ts";
import { builtCommandLine } from "../parts/built.ts";
import type { Project } from "./forgery.ts";
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

interface Place {
  readonly root: string;
  readonly repo: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the work of an agent in a project and its check then, as anybody would: the exit code. */
export async function bareCheck(project: Project, agent: string): Promise<number> {
  const place = await writeProject(project);
  try {
    await run("bash", ["-c", agent], place);
    return (await run("bash", ["-c", project.check], place)).code;
  } finally {
    rmSync(place.root, { recursive: true, force: true });
  }
}

/** What `loopOver` adds to the loop. */
interface Added {
  /** Bash that answers the reviewer's question, which it gets on standard input: the loop has `review: true`. */
  readonly reviewer?: string;
}

/** Runs the loop that `init` writes, whose agent does this. */
export async function loopOver(project: Project, agent: string, { reviewer }: Added = {}): Promise<LoopEnd> {
  const place = await writeProject(project, reviewer === undefined ? "" : "      review: true\n");
  try {
    const roles = `if [ "$UNTIL_GREEN_ROLE" = judge ]; then\n${reviewer ?? "exit 1"}\nexit; fi\n`;
    writeFileSync(join(place.root, "agent.sh"), `${roles}${agent}`);
    const command = `command:bash ${join(place.root, "agent.sh")}; echo done`;
    const { out, err } = await run(
      process.execPath,
      [cli, "run", "fix", "--agent", command, "--json"],
      place,
    );
    const events = out
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
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
  } finally {
    rmSync(place.root, { recursive: true, force: true });
  }
}

/** The loop that `init` writes, for one iteration. */
const loop = (check: string) =>
  loopFile({ name: "fix", dir: "", project: { tool: "", check, install: undefined, setup: [] } }).replace(
    /max_iterations: \d+/,
    "max_iterations: 1",
  );

async function writeProject(project: Project, keys = ""): Promise<Place> {
  const root = mkdtempSync(join(tmpdir(), "forgery-"));
  const repo = join(root, "repo");
  const home = join(root, "home");
  for (const folder of [repo, join(home, "bin")]) mkdirSync(folder, { recursive: true });
  const files = { ...project.files, ".github/loops/fix.yml": `${loop(project.check)}${keys}` };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
  const old = env["HOME"] ?? "";
  const place = {
    root,
    repo,
    env: {
      // npm tells what it starts of the user's own settings; Vitest sets TEST, which rake reads as the file to test.
      ...Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:npm_.*|test)$/i.test(name))),
      HOME: home,
      PATH: [join(home, "bin"), dirname(process.execPath), bin, env["PATH"] ?? ""].join(delimiter),
      ...(existsSync(join(old, ".rustup")) ? { RUSTUP_HOME: join(old, ".rustup") } : {}),
      GOCACHE: env["GOCACHE"] ?? join(old, ".cache/go-build"),
      CI: "true",
    } as Record<string, string>,
  };
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
