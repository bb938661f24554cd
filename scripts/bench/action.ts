import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { stdinOf } from "../../test/parts/action-inputs.ts";
import { build } from "../build.ts";
import { type Row, row } from "./bench.ts";
import { checkpoints } from "./checkpoint.ts";
import { median, ms, timed } from "./figures.ts";
import { type Host, openHost } from "./host.ts";
import { inFolder } from "./scene.ts";
import { rowsOfAll } from "./table.ts";

const run = promisify(execFile);
const program = join(process.cwd(), "dist/action.js");

const parts: Readonly<Record<string, (folder: string) => Promise<readonly Row[]>>> = {
  start: starts,
  checkpoint: checkpoints,
  resume: resumes,
  push: pushes,
};

/**
 * The cost of the action in a job: its start, what it stores at the host, and how soon a run resumes in a fresh
 * clone.
 */
export async function actionRows(names = Object.keys(parts)): Promise<readonly Row[]> {
  if (!existsSync(program)) await build("dist");
  return await rowsOfAll(parts, names, async (part) => await inFolder(part));
}

interface Use {
  readonly cwd: string;
  readonly home: string;
  readonly inputs: Readonly<Record<string, string>>;
}

const loop = { prompt: "go", until: "DONE" };

/** Time limit of a step, in milliseconds. */
const longest = 180_000;

/** Runs one step of a job; returns its start in milliseconds since 1970. */
async function use({ cwd, home, inputs }: Use): Promise<number> {
  const temp = join(home, "temp");
  mkdirSync(temp, { recursive: true });
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, GITHUB_WORKSPACE: cwd, RUNNER_TEMP: temp };
  const begun = Date.now();
  const child = run(process.execPath, [program], { cwd, env, timeout: longest });
  child.child.stdin?.end(stdinOf(inputs));
  await child.catch((error: { readonly stdout?: string; readonly code?: unknown }) => {
    // 3 is a pause: a run without success never exits with 0.
    if (error.code === 3) return;
    throw new Error(`the action failed, or took more than ${longest / 1000} s: ${error.stdout}`);
  });
  return begun;
}

/** An agent that reports when it was called. */
const recordTime = (file: string, then: string) => `date +%s%N > '${file}'; ${then}`;
const recordedTime = (file: string) => Number(readFileSync(file, "utf8")) / 1e6;

/** From the start of the program to its first effect, and to the agent call, compared with an empty script. */
async function starts(folder: string): Promise<readonly Row[]> {
  const [empty, at, cwd] = [join(folder, "empty.js"), join(folder, "at"), join(folder, "checkout")];
  writeFileSync(empty, "");
  mkdirSync(cwd);
  const [effects, calls, bare]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < 15; round += 1) {
    bare.push(await timed(() => run(process.execPath, [empty])));
    const id = `bench-start-${round}`;
    const inputs = { ...loop, "agent-command": recordTime(at, "echo DONE"), "run-id": id };
    const begun = await use({ cwd, home: folder, inputs });
    effects.push(firstEffect(join(folder, "temp/until-green/runs", id, "log.jsonl")) - begun);
    calls.push(recordedTime(at) - begun);
  }
  const [value, agent, nothing] = [median(effects), median(calls), median(bare)];
  const than = [nothing, "an empty script"] as const;
  const isReached = value <= 150 && value / nothing <= 5;
  return [
    row("action: start to the first effect", ms, { value, than, goal: ["≤ 150 ms, ≤ 5x", isReached] }),
    row("action: start to the first output of its agent, a shell command", ms, { value: agent, than }),
  ];
}

/** When a run started its first effect, in milliseconds since 1970. */
function firstEffect(log: string): number {
  const begun = readFileSync(log, "utf8")
    .split("\n")
    .find((line) => line.includes('"type":"need.begun"'));
  return Date.parse(/"at":"([^"]+)"/.exec(begun ?? "")?.[1] ?? "");
}

/** A run that paused in one job resumes in a fresh clone, on another machine. */
async function resumes(folder: string): Promise<readonly Row[]> {
  const host = openHost(folder);
  const at = join(folder, "at");
  const agent = `if [ -e "$HOME/second" ]; then ${recordTime(at, "echo DONE")}; else sleep 60; fi`;
  const begin = { ...loop, "agent-command": agent, "max-minutes": "0.05" };
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < 5; round += 1) {
    const id = `bench-resume-${round}`;
    const first = host.clone(`first-${round}`);
    await use({ cwd: first, home: dirname(first), inputs: { ...begin, "run-id": id } });
    const second = host.clone(`second-${round}`);
    writeFileSync(join(dirname(second), "second"), "");
    bare.push(await exchanges(host, id, join(folder, `bare-${round}`)));
    const inputs = { command: "resume", "run-id": id };
    ours.push(-(await use({ cwd: second, home: dirname(second), inputs })) + recordedTime(at));
  }
  const [value, network] = [median(ours), median(bare)];
  const than = [network, "what it asks the host for, by git alone"] as const;
  const goal = ["≤ 300 ms and the host's part", value - network <= 300] as const;
  return [row("action: resume in a fresh clone to the first agent call", ms, { value, than, goal })];
}

/**
 * How long the host takes for a resume: two lookups, the record, the work and a claim, with git alone; in
 * milliseconds.
 */
async function exchanges({ remote }: Host, id: string, into: string): Promise<number> {
  await run("git", ["init", "--quiet", "--bare", into]);
  const refs = `refs/until-green/${id}`;
  return await timed(async () => {
    for (const args of [
      ["ls-remote", remote, `${refs}/*`],
      ["fetch", "--quiet", remote, `${refs}/state`],
      ["push", "--quiet", remote, `FETCH_HEAD:refs/bench/${id}`],
      ["fetch", "--quiet", "--depth=1", remote, `${refs}/work`],
      ["ls-remote", remote, `${refs}/*`],
    ])
      await run("git", ["-C", into, ...args]);
  });
}

/** How often a loop without pauses pushes, which hosts limit. */
async function pushes(folder: string): Promise<readonly Row[]> {
  const host = openHost(folder);
  const counted = join(folder, "pushes");
  const hook = join(host.remote, "hooks/post-receive");
  writeFileSync(hook, `#!/bin/sh\ndate +%s%N >> '${counted}'\n`, { mode: 0o755 });
  const cwd = host.clone("job");
  const inputs = { ...loop, "agent-command": "echo on", "max-iterations": "10000", "max-minutes": "1" };
  await use({ cwd, home: dirname(cwd), inputs });
  const times = readFileSync(counted, "utf8").trim().split("\n").map(Number);
  const inMinute = times.map((from) => times.filter((at) => at >= from && at - from < minute).length);
  const value = Math.max(...inMinute);
  const what = `action: most pushes in a minute of a loop that never rests (${times.length} in all)`;
  return [row(what, String, { value, goal: ["≤ 6", value <= 6] })];
}

/** In nanoseconds. */
const minute = 60e9;
