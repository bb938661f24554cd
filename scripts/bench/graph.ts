import { spawn } from "node:child_process";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { runBranches } from "../../src/engine/dependency-scheduler.ts";
import type { Effect } from "../../src/engine/operation.ts";
import { startSession } from "../../src/engine/session.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { directoryStore } from "../../src/stores/directory.ts";
import { type Bench, row } from "./bench.ts";
import { byTurns, median, ms, repeated, timed, us } from "./figures.ts";
import { factsOf, inFolder, planOf, play } from "./scene.ts";
import { wideGraph } from "./wide-graph.ts";

/** The cost of many nodes: to start them in order, to record their ends, and to run a thousand of them. */
export const graph: Bench = {
  async rows(inChild) {
    const [order, map] = await inChild<readonly [number, number]>("order", 10_000);
    const [most] = await inChild<readonly [number, number]>("order", mostNodes);
    const session = await inChild<number>("session", 10_000);
    const ours = await repeated(3, () => inChild<Blocked>("run", 1_000));
    const bare = await repeated(3, () => inChild<Blocked>("bare", 1_000));
    const middle = (all: readonly Blocked[], what: keyof Blocked) => median(all.map((it) => it[what]));
    const block = middle(ours, "longestMs");
    const each = (most * 1_000) / mostNodes;
    return [
      row("scheduling, per node of 10,000", us, {
        value: order / 10,
        than: [map / 10, "filling a map"],
        goal: ["≤ 2 µs", order / 10 <= 2],
      }),
      row("the same of 20,000, the most a file may have", us, { value: each, goal: ["≤ 2 µs", each <= 2] }),
      row("the whole engine, per node of 10,000", us, { value: session / 10 }),
      row("longest block of the event loop, 1,000 bash nodes, 4 at a time", ms, {
        value: block,
        goal: ["≤ 50 ms", block <= 50],
      }),
      row("those 1,000 nodes in all", ms, {
        value: middle(ours, "wholeMs"),
        than: [middle(bare, "wholeMs"), "bare spawns"],
      }),
    ];
  },
  measurements: {
    order: (count) => orderNodes(Number(count)),
    session: (count) => feedSession(Number(count)),
    run: (count) => inFolder((folder) => blocked(() => runNodes(folder, Number(count)))),
    bare: (count) => blocked(() => runBare(Number(count))),
  },
};

const mostNodes = 20_000;

async function orderNodes(count: number): Promise<readonly [number, number]> {
  const { nodes } = wideGraph(count).workflow;
  const branches = nodes.map(({ id, depends_on: after = [] }) => ({
    id,
    after,
    begin: (): never => undefined as never,
  }));
  const drive = () => {
    const queue: (() => void)[] = [];
    runBranches<number>(
      { branches, atMost: 8 },
      { start: (_, ended) => queue.push(() => ended(1)), finish: () => {} },
    );
    for (let head = 0; head < queue.length; head += 1) queue[head]?.();
    if (queue.length !== count) throw new Error(`${queue.length} of ${count} nodes were started`);
  };
  const fill = () => new Map(nodes.map(({ id }) => [id, 1]));
  for (let round = 0; round < 5; round += 1) [drive(), fill()];
  return byTurns(
    15,
    () => timed(drive),
    () => timed(fill),
  );
}

/** Milliseconds for a session in which every node ends immediately. */
async function feedSession(count: number): Promise<number> {
  const plan = planOf(wideGraph(count).workflow);
  const times = await repeated(7, () => timed(() => feedAll(plan)));
  return median(times.slice(2));
}

const at = "2026-01-01T00:00:00.000Z";

function feedAll(plan: Plan): void {
  const session = startSession({ type: "run.started", at, v: 1, plan, facts: factsOf("/artifacts") });
  const answer = { exitCode: 0, stdout: "", tail: "" };
  for (let effect = oldest(session.effects); effect !== undefined; effect = oldest(session.effects)) {
    session.apply({ type: "need.begun", at, path: effect.path });
    session.apply({ type: "need.met", at, path: effect.path, port: "shell", answer });
    session.take();
  }
  if (!session.ended) throw new Error("the session did not end");
}

const oldest = (effects: ReadonlyMap<string, Effect>): Effect | undefined => effects.values().next().value;

interface Blocked {
  readonly longestMs: number;
  readonly wholeMs: number;
}

const resolution = 1;

async function blocked(work: () => Promise<unknown>): Promise<Blocked> {
  const delay = monitorEventLoopDelay({ resolution });
  const before = performance.now();
  delay.enable();
  await work();
  delay.disable();
  return { longestMs: delay.max / 1e6 - resolution, wholeMs: performance.now() - before };
}

async function runNodes(folder: string, count: number): Promise<void> {
  const nodes = Array.from({ length: count }, (_, index) => ({ id: `n${index}`, bash: "true" }));
  const plan = planOf({ name: "ready", max_concurrency: 4, nodes });
  await play({ plan, store: directoryStore(join(folder, "runs")), workspace: folder });
}

async function runBare(count: number): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left-- > 0) await bareProcess();
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
}

function bareProcess(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", "true"], { stdio: ["ignore", "pipe", "pipe"] });
    child.once("error", reject);
    child.once("exit", () => resolve());
  });
}
