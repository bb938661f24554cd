import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gitRefStore } from "../../src/adapters/stores/git-ref.ts";
import { build } from "../build.ts";
import type { Row } from "./bench.ts";
import { mb, median, ms, timed } from "./figures.ts";
import { inFolder } from "./scene.ts";

const run = promisify(execFile);
const program = join(process.cwd(), "dist/action.js");

const parts: Readonly<Record<string, (folder: string) => Promise<readonly Row[]>>> = {
  start: starts,
  checkpoint: checkpoints,
  resume: resumes,
  push: pushes,
};

/** What a job pays for the action: its start, what it keeps at the host, and how soon a run goes on in a fresh clone. */
export async function actionRows(names = Object.keys(parts)): Promise<readonly Row[]> {
  if (!existsSync(program)) await build("dist");
  const rows: Row[] = [];
  for (const name of names) {
    console.error(`${name} …`);
    rows.push(...(await inFolder(parts[name] ?? unknown(name))));
  }
  return rows;
}

function unknown(name: string): never {
  throw new Error(`no part ${name}; there are ${Object.keys(parts).join(", ")}`);
}

interface Use {
  readonly cwd: string;
  readonly home: string;
  readonly inputs: Readonly<Record<string, string>>;
}

/** One step of a job; answers when it began, in milliseconds since 1970. */
async function use({ cwd, home, inputs }: Use): Promise<number> {
  const temp = join(home, "temp");
  mkdirSync(temp, { recursive: true });
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, GITHUB_WORKSPACE: cwd, RUNNER_TEMP: temp };
  const begun = Date.now();
  const child = run(process.execPath, [program], { cwd, env });
  child.child.stdin?.end(JSON.stringify(inputs));
  await child.catch((error: { readonly stdout?: string }) => {
    throw new Error(`the action failed: ${error.stdout}`);
  });
  return begun;
}

/** Tells the time when it is asked. */
const teller = (file: string, then: string) => `date +%s%N > '${file}'; ${then}`;
const told = (file: string) => Number(readFileSync(file, "utf8")) / 1e6;

/** From the start of the program to the first call of an agent, beside a script that has nothing to do. */
async function starts(folder: string): Promise<readonly Row[]> {
  const [empty, at, cwd] = [join(folder, "empty.js"), join(folder, "at"), join(folder, "checkout")];
  writeFileSync(empty, "");
  mkdirSync(cwd);
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < 11; round += 1) {
    bare.push(await timed(() => run(process.execPath, [empty])));
    const inputs = { prompt: "go", until: "DONE", "agent-command": teller(at, "echo DONE") };
    const begun = await use({ cwd, home: folder, inputs });
    ours.push(told(at) - begun);
  }
  const [first, nothing] = [median(ours), median(bare)];
  return [
    {
      what: "action: start to the first agent call",
      figure: ms(first),
      reference: `${ms(nothing)}, an empty script`,
      ratio: first / nothing,
      goal: "≤ 150 ms, ≤ 5x",
      ok: first <= 150 && first / nothing <= 5,
    },
  ];
}

/** A repository with a host of its own, which is a folder. */
function openHost(folder: string): { readonly remote: string; clone(name: string): string } {
  const remote = join(folder, "host.git");
  const git = (...words: readonly string[]) => execFileSync("git", words, { stdio: "ignore" });
  const first = join(folder, "first");
  git("init", "--quiet", "--bare", "--initial-branch=main", remote);
  git("init", "--quiet", "--initial-branch=main", first);
  writeFileSync(join(first, "README.md"), "x\n");
  git("-C", first, "add", "--all");
  const who = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"];
  git("-C", first, ...who, "commit", "--quiet", "--message", "All there is");
  git("-C", first, "push", "--quiet", remote, "main");
  return {
    remote,
    clone(name) {
      const path = join(folder, name, "checkout");
      mkdirSync(dirname(path), { recursive: true });
      git("clone", "--quiet", "--depth=1", `file://${remote}`, path);
      return path;
    },
  };
}

/** How much the record of so many iterations of 2 KB takes at the host, each pushed by itself. */
async function checkpoints(folder: string): Promise<readonly Row[]> {
  const sizes = new Map<number, { readonly bytes: number; readonly each: number; readonly plain: number }>();
  for (const count of [100, 1_000]) {
    const place = join(folder, String(count));
    mkdirSync(place);
    const host = openHost(place);
    const before = bytesOf(host.remote);
    const times = await keep(host, host.clone("job"), count);
    const plain = await timed(() => run("git", ["-C", host.remote, "rev-parse", "HEAD"]));
    sizes.set(count, { bytes: bytesOf(host.remote) - before, each: median(times), plain });
  }
  const [few, many] = [sizes.get(100), sizes.get(1_000)];
  if (few === undefined || many === undefined) return [];
  return [
    {
      what: "action: a checkpoint that is pushed, to a host on the same disk",
      figure: ms(many.each),
      reference: `${ms(many.plain)}, one git process`,
      ratio: many.each / many.plain,
    },
    {
      what: "action: 1,000 iterations of 2 KB at the host",
      figure: mb(many.bytes),
      reference: `${mb(few.bytes)}, 100 of them`,
      ratio: many.bytes / few.bytes,
      goal: "≤ 20 MB, ≤ 10.5x",
      ok: many.bytes <= 20e6 && many.bytes / few.bytes <= 10.5,
    },
  ];
}

const bytesOf = (repository: string) =>
  Number(execFileSync("du", ["--summarize", "--bytes", repository], { encoding: "utf8" }).split("\t")[0]);

async function keep(
  host: { readonly remote: string },
  cwd: string,
  count: number,
): Promise<readonly number[]> {
  const environment = { ...process.env, RUNNER_TEMP: dirname(cwd) };
  const store = gitRefStore({ remote: host.remote, cwd, environment });
  const times: number[] = [];
  const release = await store.hold("bench-run");
  try {
    for (let at = 0; at < count; at += 1) {
      await store.append("bench-run", at, [JSON.stringify({ at, text: noise(at) })]);
      times.push(await timed(() => store.flush?.("bench-run")));
    }
  } finally {
    await release();
  }
  return times;
}

/** 2 KB that compress no better than what agents say. */
const noise = (seed: number) =>
  Array.from({ length: 256 }, (_, at) =>
    ((seed * 2_654_435_761 + at * 40_503) >>> 3).toString(36).padStart(8, "0"),
  ).join("");

/** A run that rested in one job goes on in a fresh clone, on a machine that knows nothing of it. */
async function resumes(folder: string): Promise<readonly Row[]> {
  const host = openHost(folder);
  const at = join(folder, "at");
  const agent = `if [ -e "$HOME/second" ]; then ${teller(at, "echo DONE")}; else sleep 60; fi`;
  const begin = { prompt: "go", until: "DONE", "agent-command": agent, "max-minutes": "0.05" };
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < 5; round += 1) {
    const id = `bench-resume-${round}`;
    const first = host.clone(`first-${round}`);
    await use({ cwd: first, home: dirname(first), inputs: { ...begin, "run-id": id } });
    const second = host.clone(`second-${round}`);
    writeFileSync(join(dirname(second), "second"), "");
    bare.push(await timed(() => run("git", ["ls-remote", host.remote])));
    const inputs = { command: "resume", "run-id": id };
    ours.push(-(await use({ cwd: second, home: dirname(second), inputs })) + told(at));
  }
  const [first, network] = [median(ours), median(bare)];
  return [
    {
      what: "action: resume in a fresh clone to the first agent call",
      figure: ms(first),
      reference: `${ms(network)}, one git ls-remote`,
      ratio: first / network,
      goal: "≤ 300 ms",
      ok: first <= 300,
    },
  ];
}

/** How often a loop that never rests pushes: hosts count that. */
async function pushes(folder: string): Promise<readonly Row[]> {
  const host = openHost(folder);
  const counted = join(folder, "pushes");
  const hook = join(host.remote, "hooks/post-receive");
  writeFileSync(hook, `#!/bin/sh\ndate +%s >> '${counted}'\n`, { mode: 0o755 });
  const cwd = host.clone("job");
  const inputs = {
    prompt: "go",
    until: "DONE",
    "agent-command": "echo on",
    "max-iterations": "10000",
    "max-minutes": "1",
  };
  await use({ cwd, home: dirname(cwd), inputs });
  const made = readFileSync(counted, "utf8").trim().split("\n").length;
  // The claim and the end are pushed at once.
  return [
    {
      what: "action: pushes in a minute of a loop that never rests",
      figure: String(made),
      goal: "≤ 6 and the two ends",
      ok: made <= 8,
    },
  ];
}
