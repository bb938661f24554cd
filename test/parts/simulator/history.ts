import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { type LogEvent, parseLogEvent } from "../../../src/engine/log-events.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import { withLazyModules } from "../../../src/ports/lazy-module.ts";
import { resume, start } from "../../../src/runner/run.ts";
import type { RunEnvironment } from "../../../src/runner/run-environment.ts";
import { randomWorkflow } from "../random-workflow.ts";
import { planOf, runId, stage } from "../stage.ts";
import {
  type Answer,
  attend,
  attendByApp,
  cancel,
  chatter,
  expected,
  hasEnded,
  type Scene,
} from "./people.ts";
import { type SimProcess, startProcess } from "./process.ts";
import { openRemote } from "./remote.ts";
import { openSim, roll } from "./sim.ts";

/** One call of an agent or a script, as the world saw it. */
export interface Call {
  readonly path: string;
  readonly by: string;
  readonly at: number;
  /** Whether an answer was on record, at the remote or on this machine, when this process took the run. */
  readonly known: boolean;
  /** Whether an answer had been recorded on this machine at any time. */
  readonly kept: boolean;
  /** Whether this process had been told before that it lost the run, or had died. */
  readonly over: boolean;
  /** Whether everybody could see that this process drives the run. */
  readonly claimed: boolean;
  /** Whether this process had read that another one drives the run. */
  readonly overtaken: boolean;
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

interface Actors extends Scene {
  readonly plan: Plan;
  readonly calls: Call[];
  /** What each machine has recorded: the run, by its first line, and the path. */
  readonly kept: ReadonlyMap<string, Set<string>>;
  /** The processes that drive the run, one for each machine. */
  readonly drivers: Map<string, SimProcess>;
  over: boolean;
}

/** For the first minutes everything goes wrong; then the world heals, and the run must come to its end. */
const troubleMs = 15 * 60_000;
const patienceMs = 48 * 3_600_000;

/** What can be left out of a history: nodes of its workflow, actors, and what goes wrong. */
export const partsOf = (seed: number): readonly string[] => [
  ...["cancel", "teller", "app", "another", "worst moment", "faults", "second machine"],
  ...Array.from({ length: mostKills }, (_, at) => `kill ${at + 1}`),
  ...nodesOf(workflowOf(seed)).map(({ id }) => `node ${id}`),
];

const mostKills = 6;

const nodesOf = (source: string): readonly { readonly id: string; depends_on?: string[] }[] =>
  JSON.parse(source).nodes ?? [];

/** A workflow without some of its nodes; others no longer wait for them. */
function without(source: string, left: ReadonlySet<string>): string {
  const all = nodesOf(source);
  const nodes = all.filter(({ id }) => !left.has(`node ${id}`));
  for (const node of nodes)
    if (node.depends_on) node.depends_on = node.depends_on.filter((id) => !left.has(`node ${id}`));
  return nodes.length === all.length ? source : JSON.stringify({ ...JSON.parse(source), nodes });
}

/** Without retries, whose calls look like the first one to the world; most have gates, where people meet machines. */
export const workflowOf = (seed: number): string => {
  const [source = "{}"] = fc.sample(randomWorkflow, { seed, numRuns: 1 });
  const once = (key: string, value: unknown) => {
    if (key === "retry" || key === "retries") return undefined;
    return key === "on_error" && value === "retry" ? "continue" : value;
  };
  const workflow = JSON.parse(source, once);
  for (let gate = roll(`gates ${seed}`) % 4; gate > 0; gate -= 1)
    workflow.nodes.push(
      { id: `gate${gate}`, approval: { message: "sure?" } },
      { id: `after${gate}`, prompt: "go on", depends_on: [`gate${gate}`] },
    );
  return JSON.stringify(workflow);
};

/** Plays one history; without trouble it is the undisturbed run. */
export async function play(
  seed: number,
  trouble: boolean,
  left: ReadonlySet<string> = new Set(),
): Promise<History> {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "simulated-"));
  const chance = Math.random;
  const sim = openSim(seed);
  Math.random = () => sim.random();
  try {
    const plan = await withLazyModules(() => planOf(without(workflowOf(seed), left)));
    const remote = openRemote(sim);
    const machines = trouble && !left.has("second machine") ? ["one", "two"] : ["one"];
    const actors: Actors = {
      sim,
      remote,
      plan,
      seed,
      folder,
      calls: [],
      answers: [],
      unexpected: [],
      kept: new Map(machines.map((machine) => [machine, new Set()])),
      drivers: new Map(),
      over: false,
    };
    for (const machine of machines) drive(actors, machine, 0);
    attend(actors, "person");
    const done = trouble ? makeTrouble(actors, machines, left) : { kills: 0, cancelled: false };
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
      kills: done.kills,
      cancelled: done.cancelled,
      isOver,
      rewound: remote.rewound,
      unexpected: actors.unexpected,
    };
  } finally {
    Math.random = chance;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lets a host fail, people and the app interfere and processes die, for a time; returns what was done so far. */
function makeTrouble(actors: Actors, machines: readonly string[], left: ReadonlySet<string>) {
  const { sim, remote } = actors;
  const done = { kills: 0, cancelled: false };
  // What is left out still takes its part of the randomness: the rest stays as it was, as far as can be.
  const unless = (part: string, act: () => void) => {
    if (!left.has(part)) act();
  };
  const faulty = sim.pick([0.1, 0.25, 0.5]);
  unless("faults", () => {
    remote.faulty = faulty;
  });
  unless("another", () => attend(actors, "another"));
  unless("app", () => attendByApp(actors));
  if (sim.chance(0.5)) unless("teller", () => chatter(actors, "teller"));
  const kill = (machine: string) => {
    const process = actors.drivers.get(machine);
    if (process?.alive() !== true || actors.over) return;
    done.kills += 1;
    process.kill();
    drive(actors, machine, sim.between(1_000, 120_000));
  };
  for (let number = sim.between(0, mostKills); number > 0; number -= 1) {
    const after = sim.between(1_000, troubleMs);
    unless(`kill ${number}`, () => sim.after(after, () => kill(sim.pick(machines))));
  }
  // At the worst moment: what is on record there is not known to be here.
  remote.carriedOut = (name) => {
    const machine = machines.find((one) => actors.drivers.get(one)?.name === name);
    if (machine !== undefined && sim.now() < troubleMs && sim.chance(0.05))
      unless("worst moment", () => kill(machine));
  };
  if (sim.chance(0.15))
    unless("cancel", () => {
      done.cancelled = true;
      sim.after(sim.between(1_000, troubleMs), () => cancel(actors));
    });
  sim.after(troubleMs, () => {
    remote.faulty = 0;
  });
  return done;
}

/** A process that begins the run or goes on with it, again and again, until it has ended. */
function drive(actors: Actors, machine: string, delay: number): void {
  const { sim, remote, folder } = actors;
  sim.after(delay, () => {
    const name = `${machine} at ${sim.now()}`;
    const process = startProcess({ sim, remote, dir: join(folder, machine) }, name);
    actors.drivers.set(machine, process);
    void goOn(actors, machine, process).catch((error: unknown) =>
      actors.unexpected.push(`${name}: ${error}`),
    );
  });
}

async function goOn(actors: Actors, machine: string, process: SimProcess): Promise<void> {
  const { sim, remote, unexpected } = actors;
  for (let turn = 0; !actors.over && !hasEnded(remote); turn += 1) {
    const state = { over: false, resumes: false };
    await stretch(actors, { machine, process, taken: new Set(answered(remote.lines())), state, turn }).catch(
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

const answered = (lines: readonly string[]): readonly string[] =>
  lines.map(parseLogEvent).flatMap((event) => (event.type === "need.met" ? [event.path] : []));

interface Turn {
  readonly machine: string;
  readonly process: SimProcess;
  /** What was answered on record, there or on this machine, when it took the run. */
  readonly taken: Set<string>;
  readonly state: { over: boolean; resumes: boolean };
  readonly turn: number;
}

/** A world that answers by where it is asked alone. */
function environmentOf(actors: Actors, { machine, process, taken, state, turn }: Turn): RunEnvironment {
  const { sim, remote, plan, seed, calls } = actors;
  const kept = actors.kept.get(machine) ?? new Set();
  const { world } = stage(plan);
  const ask = async (env: Readonly<Record<string, string | undefined>>, signal: AbortSignal) => {
    const path = env["UNTIL_GREEN_PATH"] ?? "";
    const by = `${process.name}, turn ${turn}`;
    const over = state.over || !process.alive();
    const claimed = isClaimed(remote.lines(), state.resumes ? by : undefined);
    const overtaken = isOvertaken(process.read(runId), by);
    const isKept = kept.has(`${remote.lines()[0]} ${path}`);
    calls.push({ path, by, at: sim.now(), known: taken.has(path), kept: isKept, over, claimed, overtaken });
    await process.clock.sleep(sim.between(500, 30_000), signal);
    return roll(`${seed} ${path}`);
  };
  return {
    ...world,
    store: {
      ...process.store,
      async append(id, after, lines) {
        await process.store.append(id, after, lines);
        for (const path of answered(lines)) kept.add(`${process.first(id)} ${path}`);
      },
    },
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
