import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandAgent } from "../../src/agents/command.ts";
import type { Agent } from "../../src/ports/agent.ts";
import { directoryStore } from "../../src/stores/directory.ts";
import { gitWorkspace } from "../../src/workspace/workspace.ts";
import { type Bench, row } from "./bench.ts";
import { ms, percentile } from "./figures.ts";
import { endless, inFolder, play } from "./scene.ts";

/** One iteration with real processes, an agent and a check, compared with the same two processes started directly. */
export const processes: Bench = {
  async rows(inChild) {
    const plain = await inChild<Turns>("plain");
    const kept = await inChild<Turns>("kept");
    const changed = await inChild<Turns>("changed");
    const compared = (turns: Turns, percent: number, most: number) => {
      const [value, bare] = [percentile(turns.ours, percent), percentile(turns.bare, percent)];
      const than = [bare, "two bare bash"] as const;
      return { value, than, goal: [`≤ ${most}x`, value / bare <= most] as const };
    };
    return [
      row("an iteration with processes, p50", ms, compared(plain, 50, 1.15)),
      row("an iteration with processes, p95", ms, compared(plain, 95, 1.3)),
      row("the same with a snapshot in git, p50", ms, compared(kept, 50, 2.5)),
      row("the same if the agent changes a file, p50", ms, compared(changed, 50, 2.5)),
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

interface TurnOptions {
  readonly snapshots: boolean;
  readonly iterations: number;
  readonly work?: string;
}

async function turnsIn(folder: string, options: TurnOptions): Promise<Turns> {
  const { snapshots, iterations, work = idle } = options;
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
  const who = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
  git(...who, "commit", "--quiet", "--message", "A project");
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
