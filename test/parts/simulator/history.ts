import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { decide } from "../../../src/decisions/decide.ts";
import { viewOf } from "../../../src/decisions/run-view.ts";
import { type LogEvent, parseLogEvent } from "../../../src/engine/log-events.ts";
import type { RunSession } from "../../../src/engine/session.ts";
import { withLazyModules } from "../../../src/expressions/lazy-module.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import { appendDecision } from "../../../src/runner/append-decision.ts";
import { resume, start } from "../../../src/runner/run.ts";
import type { RunEnvironment } from "../../../src/runner/run-environment.ts";
import { randomWorkflow } from "../random-workflow.ts";
import { planOf, runId, stage } from "../stage.ts";
import { type SimProcess, startProcess } from "./process.ts";
import { type FakeRemote, openRemote } from "./remote.ts";
import { openSim, type Sim } from "./sim.ts";

/** One call of an agent or a script, as the world saw it. */
export interface Call {
  readonly path: string;
  readonly by: string;
  readonly at: number;
  /** Whether an answer was on record, at the remote or on this machine, when this process took the run. */
  readonly known: boolean;
  /** Whether this process had been told before that it lost the run, or had died. */
  readonly over: boolean;
  /** Whether everybody could see that this process drives the run. */
  readonly claimed: boolean;
  /** Whether this process had read that another one drives the run. */
  readonly overtaken: boolean;
}

/** What somebody was answered who decided something. */
export interface Answer {
  readonly by: string;
  /** When it was said, in ISO 8601: one person says one thing at a time. */
  readonly at: string;
  readonly taken: boolean;
}

/** What happened in one history. */
export interface History {
  readonly log: readonly LogEvent[];
  readonly calls: readonly Call[];
  readonly answers: readonly Answer[];
  readonly kills: number;
  readonly cancelled: boolean;
  readonly isOver: boolean;
  readonly rewound: readonly string[];
  /** Errors that no actor expects. */
  readonly unexpected: readonly string[];
}

interface Actors {
  readonly sim: Sim;
  readonly remote: FakeRemote;
  readonly plan: Plan;
  readonly seed: number;
  readonly folder: string;
  readonly calls: Call[];
  readonly answers: Answer[];
  readonly unexpected: string[];
  /** The processes that drive the run, one for each machine. */
  readonly drivers: Map<string, SimProcess>;
  over: boolean;
}

/** For the first minutes everything goes wrong; then the world heals, and the run must come to its end. */
const troubleMs = 15 * 60_000;
const patienceMs = 48 * 3_600_000;

/** Without retries, whose calls look like the first one to the world. */
export const workflowOf = (seed: number): string => {
  const [source = "{}"] = fc.sample(randomWorkflow, { seed, numRuns: 1 });
  const once = (key: string, value: unknown) => {
    if (key === "retry" || key === "retries") return undefined;
    return key === "on_error" && value === "retry" ? "continue" : value;
  };
  return JSON.stringify(JSON.parse(source, once));
};

/** Plays one history; without trouble it is the undisturbed run. */
export async function play(seed: number, trouble: boolean): Promise<History> {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "simulated-"));
  const chance = Math.random;
  const sim = openSim(seed);
  Math.random = () => sim.random();
  try {
    const plan = await withLazyModules(() => planOf(workflowOf(seed)));
    const remote = openRemote(sim);
    const actors: Actors = {
      sim,
      remote,
      plan,
      seed,
      folder,
      calls: [],
      answers: [],
      unexpected: [],
      drivers: new Map(),
      over: false,
    };
    const machines = trouble ? ["one", "two"] : ["one"];
    let kills = 0;
    for (const machine of machines) drive(actors, machine, 0);
    attend(actors, "person");
    let cancelled = false;
    if (trouble) {
      remote.faulty = 0.25;
      attend(actors, "another");
      const kill = (machine: string) => {
        const process = actors.drivers.get(machine);
        if (process?.alive() !== true || actors.over) return;
        kills += 1;
        process.kill();
        drive(actors, machine, sim.between(1_000, 120_000));
      };
      for (let left = sim.between(0, 6); left > 0; left -= 1)
        sim.after(sim.between(1_000, troubleMs), () => kill(sim.pick(machines)));
      // At the worst moment: what is on record there is not known to be here.
      remote.carriedOut = (name) => {
        const machine = machines.find((one) => actors.drivers.get(one)?.name === name);
        if (machine !== undefined && sim.now() < troubleMs && sim.chance(0.05)) kill(machine);
      };
      if (sim.chance(0.15)) {
        cancelled = true;
        sim.after(sim.between(1_000, troubleMs), () => cancel(actors));
      }
      sim.after(troubleMs, () => {
        remote.faulty = 0;
      });
    }
    const ended = () => remote.lines().some((line) => line.includes('"type":"run.ended"'));
    await sim.run(ended, patienceMs);
    const isOver = ended();
    // What was under way when it ended may still say something.
    await sim.run(() => false, 10 * 60_000);
    actors.over = true;
    for (const process of actors.drivers.values()) process.kill();
    return {
      log: remote.lines().map(parseLogEvent),
      calls: actors.calls,
      answers: actors.answers,
      kills,
      cancelled,
      isOver,
      rewound: remote.rewound,
      unexpected: actors.unexpected,
    };
  } finally {
    Math.random = chance;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A process that begins the run or goes on with it, again and again, until it has ended. */
function drive(actors: Actors, machine: string, delay: number): void {
  const { sim, remote, folder } = actors;
  sim.after(delay, () => {
    const name = `${machine} at ${sim.now()}`;
    const process = startProcess({ sim, remote, dir: join(folder, machine) }, name);
    actors.drivers.set(machine, process);
    void goOn(actors, process).catch((error: unknown) => actors.unexpected.push(`${name}: ${error}`));
  });
}

async function goOn(actors: Actors, process: SimProcess): Promise<void> {
  const { sim, remote, unexpected } = actors;
  for (let turn = 0; !actors.over && !hasEnded(remote); turn += 1) {
    const state = { over: false, resumes: false };
    await stretch(actors, { process, taken: new Set(answered(remote.lines())), state, turn }).catch(
      (error: unknown) => {
        if (!expected.has((error as Error).name)) unexpected.push(`${process.name}: ${error}`);
      },
    );
    state.over = true;
    await process.live(sim.between(5_000, 40_000), () => undefined);
  }
}

async function stretch(actors: Actors, turn: Turn): Promise<void> {
  const { remote, plan } = actors;
  const environment = environmentOf(actors, turn);
  const waiting = (await turn.process.store.preview?.(runId)) ?? [];
  const isBegun = remote.lines().length > 0 || waiting.length > 0;
  const { facts } = stage(plan);
  for (const path of answered(waiting)) turn.taken.add(path);
  turn.state.resumes = isBegun;
  await (isBegun ? resume(runId, environment) : start({ plan, facts }, environment));
}

const expected: ReadonlySet<string> = new Set([
  "RemoteError",
  "TakenRunError",
  "RunHeldError",
  "LostRunError",
  "EndedRunError",
  "StaleLogError",
]);

const hasEnded = (remote: FakeRemote) => remote.lines().some((line) => line.includes('"type":"run.ended"'));

const answered = (lines: readonly string[]): readonly string[] =>
  lines.map(parseLogEvent).flatMap((event) => (event.type === "need.met" ? [event.path] : []));

interface Turn {
  readonly process: SimProcess;
  /** What was answered on record, there or on this machine, when it took the run. */
  readonly taken: Set<string>;
  readonly state: { over: boolean; resumes: boolean };
  readonly turn: number;
}

/** A world that answers by where it is asked alone. */
function environmentOf(actors: Actors, { process, taken, state, turn }: Turn): RunEnvironment {
  const { sim, remote, plan, seed, calls } = actors;
  const { world } = stage(plan);
  const ask = async (env: Readonly<Record<string, string | undefined>>, signal: AbortSignal) => {
    const path = env["UNTIL_GREEN_PATH"] ?? "";
    const by = `${process.name}, turn ${turn}`;
    const over = state.over || !process.alive();
    const claimed = isClaimed(remote.lines(), state.resumes ? by : undefined);
    const overtaken = isOvertaken(process.read(runId), by);
    calls.push({ path, by, at: sim.now(), known: taken.has(path), over, claimed, overtaken });
    await process.clock.sleep(sim.between(500, 30_000), signal);
    return roll(`${seed} ${path}`);
  };
  return {
    ...world,
    store: process.store,
    clock: process.clock,
    owner: `${process.name}, turn ${turn}`,
    gitWorkspace: undefined,
    agent: () => ({
      name: "pretended",
      async answer(_request, { env, signal }) {
        const dice = await ask(env, signal);
        return { text: dice % 4 === 0 ? "all is well\nDONE" : `said ${dice % 5}`, session: "s" };
      },
    }),
    shell: {
      async run({ role }, { env, signal }) {
        const dice = await ask(env, signal);
        if (role === "check") return { exitCode: dice % 3 === 0 ? 0 : 1, stdout: "", tail: `${dice % 4}` };
        return { exitCode: dice % 11 === 0 ? 3 : 0, stdout: `ran ${dice % 10}\n`, tail: "" };
      },
    },
  };
}

/** Whether the log shows who drives the run: by its start, or by the claim of a process that goes on with it. */
const isClaimed = (lines: readonly string[], by: string | undefined) =>
  by === undefined
    ? lines.length > 0
    : lines.some((line) => line.includes('"type":"run.resumed"') && line.includes(JSON.stringify(by)));

function isOvertaken(lines: readonly string[], by: string): boolean {
  const claims = lines.filter((line) => line.includes('"type":"run.resumed"'));
  const own = claims.findLastIndex((line) => line.includes(JSON.stringify(by)));
  return own >= 0 && own < claims.length - 1;
}

/** Somebody who looks now and then, and answers the gate that is open; what is said depends on the gate alone. */
function attend(actors: Actors, who: string): void {
  const { sim, remote, folder, seed } = actors;
  const process = startProcess({ sim, remote, dir: join(folder, who) }, who);
  const look = async () => {
    while (!actors.over && !hasEnded(remote)) {
      await process.live(sim.between(10_000, 90_000), () => undefined);
      if ((await process.store.read(runId)).length === 0) continue;
      const at = process.clock.now();
      const done = await appendDecision({ store: process.store }, runId, (session) =>
        answerGate(session, { who, at, seed }),
      );
      actors.answers.push({ by: who, at, taken: "session" in done });
    }
  };
  const again = async (): Promise<void> => {
    try {
      await look();
    } catch (error) {
      if (!expected.has((error as Error).name)) actors.unexpected.push(`${who}: ${error}`);
      else if (!actors.over) await again();
    }
  };
  void again();
}

interface Answering {
  readonly who: string;
  /** Now, in ISO 8601. */
  readonly at: string;
  readonly seed: number;
}

function answerGate(session: RunSession, { who, at, seed }: Answering) {
  const view = viewOf(session);
  const [gate] = view.gates.toSorted((a, b) => (a.need < b.need ? -1 : 1));
  const no = { refused: "wrong", because: "no gate is open" };
  if (gate === undefined || view.state !== "paused") return no;
  const dice = roll(`${seed} ${gate.need}`);
  const kind = dice % 5 === 0 ? "reject" : "approve";
  const text = dice % 3 === 0 ? "" : `said ${dice}`;
  const decided = decide(view, { kind, by: who, text, at, since: Date.parse(at), gate: gate.path });
  return "record" in decided ? decided : no;
}

function cancel(actors: Actors): void {
  const { sim, remote, folder } = actors;
  const process = startProcess({ sim, remote, dir: join(folder, "canceller") }, "canceller");
  const at = process.clock.now();
  const choose = (session: Parameters<typeof viewOf>[0]) => {
    const decided = decide(viewOf(session), {
      kind: "cancel",
      by: "eve",
      text: "",
      at,
      since: Date.parse(at),
    });
    return "record" in decided ? decided : { refused: "wrong", because: "it has ended" };
  };
  void appendDecision({ store: process.store }, runId, choose)
    .then((done) => void actors.answers.push({ by: "eve", at, taken: "session" in done }))
    .catch((error: unknown) => {
      // Nothing to cancel yet, or nobody to be reached.
      if (!/EmptyLog|Remote/.test((error as Error).name)) actors.unexpected.push(`canceller: ${error}`);
    });
}

/** A number that a text always gives. */
function roll(text: string): number {
  let value = 2_166_136_261;
  for (const letter of text) value = Math.imul(value ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return (value ^ (value >>> 15)) >>> 0;
}
