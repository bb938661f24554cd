import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandAgent } from "../../src/agents/command.ts";
import type { Agent } from "../../src/ports/agent.ts";
import { directoryStore } from "../../src/stores/directory.ts";
import { gitWorkspace } from "../../src/workspace/workspace.ts";
import type { Bench, Row } from "./bench.ts";
import { ms, percentile } from "./figures.ts";
import { endless, inFolder, play } from "./scene.ts";

/** One iteration with real processes, an agent and a check, compared with the same two processes started directly. */
export const processes: Bench = {
  async rows(inChild) {
    const plain = await inChild<Turns>("plain");
    const kept = await inChild<Turns>("kept");
    const changed = await inChild<Turns>("changed");
    const reference = "two bare bash";
    const rowOf = (turns: Turns, percent: number): Row => {
      const ours = percentile(turns.ours, percent);
      const bare = percentile(turns.bare, percent);
      return { what: "", figure: ms(ours), reference: `${ms(bare)}, ${reference}`, ratio: ours / bare };
    };
    const withGit = (turns: Turns): Omit<Row, "what"> => {
      const row = rowOf(turns, 50);
      return { ...row, goal: "≤ 2.5x", ok: (row.ratio ?? 9) <= 2.5 };
    };
    const p50 = rowOf(plain, 50);
    const p95 = rowOf(plain, 95);
    return [
      { ...p50, what: "an iteration with processes, p50", goal: "≤ 1.15x", ok: (p50.ratio ?? 9) <= 1.15 },
      { ...p95, what: "an iteration with processes, p95", goal: "≤ 1.3x", ok: (p95.ratio ?? 9) <= 1.3 },
      { ...withGit(kept), what: "the same with a snapshot in git, p50" },
      { ...withGit(changed), what: "the same if the agent changes a file, p50" },
    ];
  },
  measurements: {
    plain: () => inFolder((folder) => turnsIn(folder, { snapshots: false, iterations: 200 })),
    kept: () => inFolder((folder) => turnsIn(folder, { snapshots: true, iterations: 80 })),
    changed: () => inFolder((folder) => turnsIn(folder, { snapshots: true, iterations: 80, work: changing })),
  },
};

/** Milliseconds of each iteration, and of the two bare processes started before it. */
interface Turns {
  readonly ours: readonly number[];
  readonly bare: readonly number[];
}

const idle = "cat >/dev/null; echo hi";
const changing = "cat >/dev/null; echo $RANDOM$RANDOM >src/0.js";
const check = "test -f never";
const warmUp = 10;

async function turnsIn(
  folder: string,
  {
    snapshots,
    iterations,
    work = idle,
  }: { readonly snapshots: boolean; readonly iterations: number; readonly work?: string },
): Promise<Turns> {
  const workspace = join(folder, "project");
  makeProject(workspace);
  const ours: number[] = [];
  const bare: number[] = [];
  const privateDir = () => join(folder, "snapshots");
  let begun: number | undefined;
  const real = commandAgent(work);
  const agent: Agent = {
    name: "timed",
    // Everything between two agent calls is ours, except for the reference that runs in between.
    async answer(request, context) {
      if (begun !== undefined) ours.push(performance.now() - begun);
      bare.push(await bareTurn(work, workspace, request.prompt));
      begun = performance.now();
      return await real.answer(request, context);
    },
  };
  await play({
    plan: endless(iterations + warmUp, { until_bash: check }),
    store: directoryStore(join(folder, "runs")),
    workspace,
    agent,
    ...(snapshots ? { gitWorkspace: gitWorkspace({ privateDir }) } : {}),
  });
  return { ours: ours.slice(warmUp), bare: bare.slice(warmUp) };
}

function makeProject(folder: string): void {
  mkdirSync(join(folder, "src"), { recursive: true });
  for (let file = 0; file < 100; file += 1)
    writeFileSync(join(folder, "src", `${file}.js`), `// ${file}\n`.repeat(50));
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", folder, ...args]);
  git("init", "--quiet");
  git("add", "--all");
  git(
    "-c",
    "user.name=bench",
    "-c",
    "user.email=bench@localhost",
    "commit",
    "--quiet",
    "--message",
    "A project",
  );
}

async function bareTurn(work: string, cwd: string, prompt: string): Promise<number> {
  const before = performance.now();
  await bareProcess(work, { cwd, stdin: prompt });
  await bareProcess(check, { cwd });
  return performance.now() - before;
}

function bareProcess(
  script: string,
  { cwd, stdin }: { readonly cwd: string; readonly stdin?: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", script], {
      cwd,
      stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    child.stdout?.resume();
    child.stderr?.resume();
    child.once("error", reject);
    child.once("exit", () => resolve());
    child.stdin?.end(stdin);
  });
}
