import { expect, test } from "vitest";
import { type LogEvent, parseLogEvent } from "../../src/engine/log-events.ts";
import { replay } from "../../src/engine/replay.ts";
import type { RunEvent } from "../../src/engine/run-events.ts";
import type { RunSession } from "../../src/engine/session.ts";
import { AgentError } from "../../src/ports/agent.ts";
import type { LogStore } from "../../src/ports/store.ts";
import { EndedRunError } from "../../src/runner/run.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { CrashError, crashingStore } from "../parts/crashing-store.ts";
import { fc } from "../parts/random.ts";
import { randomBlocks } from "../parts/random-blocks.ts";
import { randomWorkflow } from "../parts/random-workflow.ts";
import { play } from "../parts/simulator/history.ts";
import { faultsOf } from "../parts/simulator/oracles.ts";
import { playUndisturbed } from "../parts/simulator/undisturbed.ts";
import { type Props, planOf, runId, type Stage, stage } from "../parts/stage.ts";

const scenarioOf = (source: fc.Arbitrary<string>) =>
  fc.record({
    source,
    seed: fc.nat(1_000_000),
    first: fc.integer({ min: 1, max: 6 }),
    written: fc.boolean(),
  });

test.each([
  ["workflows", randomWorkflow],
  ["blocks", randomBlocks],
])(
  "random %s: whatever is cut off where, a run ends as it would have ended in one go",
  {
    timeout: 240_000,
  },
  async (_, sources) => {
    await fc.assert(
      fc.asyncProperty(scenarioOf(sources), async ({ source, seed, first, written }) => {
        const straight = await perform({ source, seed });
        expectSound(source, straight.log);
        // What is told as it happens is what the log tells later.
        expect(straight.events).toEqual(eventsOf(straight.log));

        const crashed = await perform({ source, seed, crash: { first, written } });
        expectSound(source, crashed.log);
        expect(endOf(crashed.log)).toEqual(endOf(straight.log));
      }),
      { numRuns: 120, seed: 1 },
    );
  },
);

// As many as fit into a short test; test/runner/two-machines.long.test.ts plays more, and `npm run simulate` any number.
test("40 histories of two machines, people, a failing host and failing disks are sound", {
  timeout: 240_000,
}, async () => {
  for (let seed = 1; seed <= 40; seed += 1)
    expect(faultsOf(await play(seed), await playUndisturbed(seed)), `seed ${seed}`).toEqual([]);
});

interface Performance {
  readonly source: string;
  readonly seed: number;
  readonly crash?: { readonly first: number; readonly written: boolean };
}

/** Runs a workflow to its end, a new world after each crash; people decide by where the gate is. */
async function perform({ source, seed, crash }: Performance) {
  const kept = memoryStore();
  const store = crash === undefined ? kept : crashingStore(kept, crash);
  const plan = planOf(source);
  const events: RunEvent[] = [];
  let session: RunSession | undefined;
  for (let process = 0; session?.ended !== true; process++) {
    if (process > 500) throw new Error("the run does not come to an end");
    const it = stage(plan, worldOf(seed, store));
    try {
      const first = (await kept.read(runId)).length === 0;
      session = first ? await it.begin() : await goOn(it, { session, seed });
    } catch (error) {
      // The last append may have been that of the run's end.
      if (error instanceof EndedRunError) break;
      if (!(error instanceof CrashError)) throw error;
      session = undefined;
    }
    events.push(...it.events);
  }
  return { log: (await kept.read(runId)).map(parseLogEvent), events: events };
}

async function goOn(
  it: Stage,
  { session, seed }: { readonly session: RunSession | undefined; readonly seed: number },
): Promise<RunSession> {
  const [gate] = session?.paused ? session.gates().toSorted((a, b) => (a.need < b.need ? -1 : 1)) : [];
  if (gate === undefined) return await it.resume();
  const dice = roll(`${seed} ${gate.need}`);
  const text = dice % 3 === 0 ? "" : `said ${dice}`;
  return await it.decide(dice % 5 === 0 ? "reject" : "approve", text, gate.need);
}

/** A world that answers by where it is asked alone; what fails for a while is counted by the run itself. */
function worldOf(seed: number, store: LogStore): Props {
  const here = new Map<string, number>();
  return {
    store,
    async agent({ node }, _, { env, tags }) {
      const path = env["UNTIL_GREEN_PATH"] ?? "";
      const dice = roll(`${seed} ${path}`);
      await ticks(dice % 3);
      const failures = dice % 7 === 0 ? 1 + (dice % 3) : 0;
      const used = Math.max(here.get(path) ?? 0, tags.get(path) ?? 0);
      here.set(path, used + 1);
      if (used < failures) {
        const fault = dice % 2 === 0 ? "rate-limit" : "crash";
        return new AgentError(fault, `${node} failed`, { tag: path });
      }
      return { text: dice % 4 === 0 ? "all is well\nDONE" : `${node} ${dice % 5}`, tag: path };
    },
    async shell({ role }, _, { env }) {
      const dice = roll(`${seed} ${env["UNTIL_GREEN_PATH"]}`);
      await ticks(dice % 3);
      if (dice % 11 === 0) return { exitCode: role === "check" ? 127 : 3, tail: "broken" };
      if (role === "check") return { exitCode: dice % 3 === 0 ? 0 : 1, tail: `failing ${dice % 4}` };
      return `ran ${dice % 10}\n`;
    },
    workspace: (request) => {
      const dice = roll(`${seed} ${JSON.stringify(request)}`);
      if (request.op === "fork") return { path: `/forks/${request.name}`, commit: "base" };
      if (request.op === "join") return dice % 9 === 0 ? { conflicts: ["a.js"] } : {};
      if (request.op === "snapshot") return { commit: request.message, tree: `tree ${dice % 3}` };
      return dice % 5 === 0 ? { restored: ["test/a.js"] } : {};
    },
  };
}

/** A number that a text always gives. */
function roll(text: string): number {
  let value = 2_166_136_261;
  for (const letter of text) value = Math.imul(value ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return (value ^ (value >>> 15)) >>> 0;
}

/** Lets others go first, so that answers come in another order than the questions. */
async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await new Promise(setImmediate);
}

const eventsOf = (log: readonly LogEvent[]) => replay(log).take();

/** How everything ended. What an abrupt end cut off depends on who came first; what ended it does not. */
function endOf(log: readonly LogEvent[]) {
  const events = eventsOf(log);
  const { conclusion, stop_reason, output, results, iterations, because } = of(events, "run.ended")[0] ?? {};
  const abrupt = conclusion === "cancelled" || stop_reason === "rejected";
  if (abrupt) return { conclusion, stop_reason };
  const ends = events.flatMap((event) => {
    if (event.type === "node.ended") return [`${event.path} ${event.status} ${event.output} ${event.reason}`];
    if (event.type === "loop.ended") return [`${event.path} ${event.stop_reason} ${event.iterations}`];
    return [];
  });
  return { conclusion, output, results, iterations, because, ends: ends.toSorted() };
}

function of<T extends RunEvent["type"]>(events: readonly RunEvent[], type: T) {
  return events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
}

/** What holds of every run, however it went. */
function expectSound(source: string, log: readonly LogEvent[]): void {
  const events = eventsOf(log);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(log.filter(({ type }) => type === "run.ended")).toHaveLength(1);
  expectAnsweredOnce(log);
  expectPaired(events);
  expectBounded(source, events);
}

function expectAnsweredOnce(log: readonly LogEvent[]): void {
  const answered = log.flatMap((event) => {
    if (event.type === "run.decided") return [event.gate];
    return event.type === "need.met" || (event.type === "need.failed" && event.final) ? [event.path] : [];
  });
  expect(answered.filter((path, index) => answered.indexOf(path) !== index)).toEqual([]);
}

/** Each start has one end, and what lies inside it ends before. */
function expectPaired(events: readonly RunEvent[]): void {
  const open = new Set<string>();
  for (const event of events) {
    const [what = "", how] = event.type.split(".");
    const path = "path" in event ? event.path : "";
    const key = `${what} ${path}`;
    if (how === "started") {
      if (open.has(key)) throw new Error(`${key} started twice`);
      open.add(key);
    } else if (how === "ended" && !open.delete(key)) {
      expect(event).toMatchObject({ type: "node.ended", status: expect.stringMatching(/skipped|cancelled/) });
    } else if (how === "ended" && what === "node") {
      expect([...open].filter((it) => it.split(" ")[1]?.startsWith(`${path}/`))).toEqual([]);
    }
  }
  expect([...open]).toEqual([]);
}

interface Source {
  readonly max_concurrency?: number;
  readonly blocks?: Readonly<Record<string, { readonly exits?: readonly unknown[] }>>;
}

function expectBounded(source: string, events: readonly RunEvent[]): void {
  const { max_concurrency: most = 1, blocks = {} } = JSON.parse(source) as Source;
  const atWork = new Map<string, Set<string>>();
  for (const event of events) {
    if (event.type !== "node.started" && event.type !== "node.ended") continue;
    const graph = event.path.slice(0, event.path.lastIndexOf("/"));
    const nodes = atWork.get(graph) ?? new Set();
    atWork.set(graph, nodes);
    if (event.type === "node.started") nodes.add(event.node);
    else nodes.delete(event.node);
    const block = blocks[graph.slice(graph.lastIndexOf("/") + 1)];
    expect(nodes.size).toBeLessThanOrEqual(block?.exits?.length ?? most);
  }
  expectIterationsBounded(events);
}

function expectIterationsBounded(events: readonly RunEvent[]): void {
  const allowed = new Map(
    of(events, "loop.started").map(({ path, max, items }) => [path, max ?? items ?? 0]),
  );
  for (const { path, iterations } of of(events, "loop.ended")) {
    const granted = of(events, "gate.answered").filter(
      (it) => it.path.startsWith(`${path}#`) && it.text !== "",
    );
    expect(iterations).toBeLessThanOrEqual((allowed.get(path) ?? 0) + granted.length);
  }
}
