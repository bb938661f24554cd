import { join } from "node:path";
import { type LogEvent, parseLogEvent } from "../../../src/engine/log-events.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import { resume, start } from "../../../src/runner/run.ts";
import type { RunEnvironment } from "../../../src/runner/run-environment.ts";
import { randomOf } from "../random.ts";
import { runId, stage } from "../stage.ts";
import { type DiskFailure, type DiskFaults, formatDisks, simulatedRoot } from "./disk.ts";
import { type Answer, attend, attendByApp, cancel, chatter, isExpected, type Scene } from "./people.ts";
import { type SimProcess, startProcess } from "./process.ts";
import { openRemote } from "./remote.ts";
import { openSim, roll } from "./sim.ts";
import { answersOf, type Env } from "./undisturbed.ts";
import { mostKills, planFor } from "./workflow.ts";

/** One call of an agent or script, as the simulated world saw it. */
export interface Call {
  readonly path: string;
  readonly by: string;
  readonly at: number;
  /** True if an answer was recorded, remotely or on this machine, when this process took the run. */
  readonly known: boolean;
  /** Whether an answer had been recorded on this machine at any time. */
  readonly kept: boolean;
  /** True if this process had already learned that it lost the run, or could not continue. */
  readonly over: boolean;
  /** True if everyone could see that this process drives the run. */
  readonly claimed: boolean;
  /** True if this process had read that another one drives the run. */
  readonly overtaken: boolean;
}

/** The result of one history. */
export interface History {
  readonly log: readonly LogEvent[];
  readonly calls: readonly Call[];
  readonly answers: readonly Answer[];
  readonly kills: number;
  /** Writes refused by a disk. */
  readonly refused: number;
  readonly cancelled: boolean;
  readonly isOver: boolean;
  readonly rewound: readonly string[];
  /** Errors that no actor expects. */
  readonly unexpected: readonly string[];
}

interface Actors extends Scene {
  readonly plan: Plan;
  readonly disks: DiskFaults;
  readonly calls: Call[];
  /** What each machine recorded, and when: the run, by its first line, and the path. */
  readonly kept: ReadonlyMap<string, Map<string, number>>;
  /** Processes that drive the run, one per machine. */
  readonly drivers: Map<string, SimProcess>;
  /** A second process on a machine: somebody resumes a run that is already driven there. */
  readonly twins: Map<string, SimProcess>;
  over: boolean;
}

/** In the first minutes everything can fail; then faults stop, and the run must end. */
const troubleMs = 15 * 60_000;
const patienceMs = 48 * 3_600_000;
/** Maximum time until a disk has synced a write. */
const mostSyncMs = 50;

/** Plays one history with faults. */
export async function play(seed: number, left: ReadonlySet<string> = new Set()): Promise<History> {
  const chance = Math.random;
  const sim = openSim(seed);
  Math.random = () => sim.random();
  try {
    const plan = await planFor(seed, left);
    const remote = openRemote(sim);
    // A machine without others finds what it left.
    const isAlone = roll(`alone ${seed}`) % 3 === 0 || left.has("second machine");
    const machines = isAlone ? ["one"] : ["one", "two"];
    const disks: DiskFaults = {
      fail: () => undefined,
      sync: (ring) => void sim.after(sim.between(1, mostSyncMs), ring),
    };
    formatDisks(disks);
    const actors: Actors = {
      disks,
      sim,
      remote,
      plan,
      seed,
      calls: [],
      answers: [],
      unexpected: [],
      kept: new Map(machines.map((machine) => [machine, new Map()])),
      drivers: new Map(),
      twins: new Map(),
      over: false,
    };
    for (const machine of machines) drive(actors, machine, 0);
    attend(actors, "person");
    const done = makeTrouble(actors, machines, left);
    await sim.run(remote.ended, patienceMs);
    const isOver = remote.ended();
    // Operations in flight at the end may still report something.
    await sim.run(() => false, 10 * 60_000);
    actors.over = true;
    for (const process of [...actors.drivers.values(), ...actors.twins.values()]) process.kill();
    return {
      log: remote.lines().map(parseLogEvent),
      calls: actors.calls,
      answers: actors.answers,
      kills: done.kills,
      refused: done.refused,
      cancelled: done.cancelled,
      isOver,
      rewound: remote.rewound,
      unexpected: actors.unexpected,
    };
  } finally {
    Math.random = chance;
  }
}

/** Lets the host fail, people and the app act, and processes die, for a time; returns what was done so far. */
function makeTrouble(actors: Actors, machines: readonly string[], left: ReadonlySet<string>) {
  const { sim, remote } = actors;
  const done = { kills: 0, refused: 0, cancelled: false };
  // Parts that are left out still consume their random numbers, so that the rest stays the same if possible.
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
  const kill = (machine: string, losesPower = false) => {
    const process = actors.drivers.get(machine);
    if (process?.alive() !== true || actors.over) return;
    done.kills += 1;
    process.kill(losesPower);
    actors.twins.get(machine)?.kill(losesPower);
    // Data written just now was not yet synced.
    const kept = actors.kept.get(machine) ?? new Map<string, number>();
    for (const [path, at] of kept) if (losesPower && at >= sim.now() - mostSyncMs) kept.delete(path);
    // A supervisor restarts it immediately, a person later, after others have continued.
    drive(actors, machine, sim.between(1_000, sim.pick([4_000, 120_000])));
  };
  for (let number = sim.between(0, mostKills); number > 0; number -= 1) {
    const after = sim.between(1_000, troubleMs);
    const losesPower = sim.chance(0.3) && !left.has("power");
    unless(`kill ${number}`, () => sim.after(after, () => kill(sim.pick(machines), losesPower)));
  }
  const fails = failingDisks(actors, (path) => {
    const machine = machines.find((one) => path.startsWith(`${simulatedRoot}/${one}/`));
    if (machine !== undefined) kill(machine);
  });
  unless("disks", () => {
    actors.disks.fail = (path) => {
      const failure = fails(path);
      if (failure !== undefined) done.refused += 1;
      return failure;
    };
  });
  if (sim.chance(0.5)) {
    const [machine, after] = [sim.pick(machines), sim.between(1_000, troubleMs)];
    unless("twin", () => sim.after(after, () => resumeTwice(actors, machine)));
  }
  // The worst moment: what is recorded remotely is not known here.
  remote.carriedOut = (name, isSlow) => {
    const machine = machines.find((one) => actors.drivers.get(one)?.name === name);
    if (machine !== undefined && sim.now() < troubleMs && sim.chance(isSlow ? 0.3 : 0.05))
      unless("worst moment", () => sim.after(isSlow ? sim.between(0, 10_000) : 0, () => kill(machine)));
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

/** Disks, some of which fail in the first minutes; sometimes their process is killed during a write. */
function failingDisks({ sim, seed }: Actors, killWriting: (path: string) => void) {
  // Separate random numbers, so that the rest of the history is the same without failing disks.
  const random = randomOf(roll(`disks ${seed}`));
  const rate = [0, 0, 0.01, 0.05][Math.floor(random() * 4)] ?? 0;
  const codes = ["ENOSPC", "EDQUOT", "EIO"] as const;
  return (path: string): DiskFailure | undefined => {
    if (sim.now() >= troubleMs || random() >= rate) return undefined;
    if (random() < 0.3) killWriting(path);
    return { code: codes[Math.floor(random() * 3)] ?? "EIO", half: random() < 0.5 };
  };
}

/** A process that starts or resumes the run again and again until it has ended. */
function drive(actors: Actors, machine: string, delay: number): void {
  const { sim, remote } = actors;
  sim.after(delay, () => {
    const name = `${machine} at ${sim.now()}`;
    const process = startProcess({ sim, remote, dir: join(simulatedRoot, machine) }, name);
    actors.drivers.set(machine, process);
    void goOn(actors, machine, process).catch((error: unknown) =>
      actors.unexpected.push(`${name}: ${error}`),
    );
  });
}

/** Starts a second process on a machine where one drives the run, or just did; it tries once. */
function resumeTwice(actors: Actors, machine: string): void {
  const { sim, remote, unexpected } = actors;
  if (actors.drivers.get(machine)?.alive() !== true || actors.over || remote.ended()) return;
  const name = `twin of ${machine} at ${sim.now()}`;
  const process = startProcess({ sim, remote, dir: join(simulatedRoot, machine) }, name);
  actors.twins.set(machine, process);
  const taken = new Set(answered(remote.lines()));
  const state = { over: false, resumes: false };
  void stretch(actors, { machine, process, taken, state, turn: 0 })
    .catch((error: unknown) => {
      if (!isExpected(error)) unexpected.push(`${name}: ${error}`);
    })
    .finally(() => {
      state.over = true;
    });
}

async function goOn(actors: Actors, machine: string, process: SimProcess): Promise<void> {
  const { sim, remote, unexpected } = actors;
  for (let turn = 0; !actors.over && !remote.ended(); turn += 1) {
    const state = { over: false, resumes: false };
    await stretch(actors, { machine, process, taken: new Set(answered(remote.lines())), state, turn }).catch(
      (error: unknown) => {
        if (!isExpected(error)) unexpected.push(`${process.name}: ${error}`);
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
  const isStarted = remote.lines().length > 0 || waiting.length > 0;
  const { facts } = stage(plan);
  for (const path of answered(waiting)) turn.taken.add(path);
  turn.state.resumes = isStarted;
  await (isStarted ? resume(runId, environment) : start({ plan, facts }, environment));
}

const answered = (lines: readonly string[]): readonly string[] =>
  lines
    .filter((line) => line.includes('"type":"need.met"'))
    .map((line) => (JSON.parse(line) as { readonly path: string }).path);

interface Turn {
  readonly machine: string;
  readonly process: SimProcess;
  /** Answers recorded remotely or on this machine when it took the run. */
  readonly taken: Set<string>;
  readonly state: { over: boolean; resumes: boolean };
  readonly turn: number;
}

/** A world whose answers depend only on the place of the call. */
function environmentOf(actors: Actors, { machine, process, taken, state, turn }: Turn): RunEnvironment {
  const { sim, remote, plan, seed, calls } = actors;
  const kept = actors.kept.get(machine) ?? new Map();
  const { world } = stage(plan);
  const ask = async (env: Env, signal: AbortSignal) => {
    const path = env["UNTIL_GREEN_PATH"] ?? "";
    const by = `${process.name}, turn ${turn}`;
    // A process killed during a write never returns from it: the world sees nothing more of it.
    if (!process.alive()) return await new Promise<never>(() => undefined);
    const { over } = state;
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
        for (const path of answered(lines)) kept.set(`${process.first(id)} ${path}`, sim.now());
      },
    },
    clock: process.clock,
    owner: `${process.name}, turn ${turn}`,
    gitWorkspace: undefined,
    ...answersOf(ask),
  };
}

/** True if the log shows who drives the run: by its start, or by the claim of a resuming process. */
const isClaimed = (lines: readonly string[], by: string | undefined) =>
  by === undefined
    ? lines.length > 0
    : lines.some((line) => line.includes('"type":"run.resumed"') && line.includes(JSON.stringify(by)));

function isOvertaken(lines: readonly string[], by: string): boolean {
  const claims = lines.filter((line) => line.includes('"type":"run.resumed"'));
  const own = claims.findLastIndex((line) => line.includes(JSON.stringify(by)));
  return own >= 0 && own < claims.length - 1;
}
