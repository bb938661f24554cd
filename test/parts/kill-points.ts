import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunEvent } from "../../src/engine/run-events.ts";
import { again, differences, type Outcome, outcomeOf } from "./kill-outcome.ts";
import {
  type Args,
  eventsIn,
  openPlace,
  type Place,
  placeAt,
  runId,
  type Store,
  type,
} from "./kill-place.ts";

/** A command that is killed, the commands before it, and those that a person types afterwards. */
export interface KillScenario {
  readonly name: string;
  readonly workflow: string;
  /** Files committed before the run, besides the workflow. */
  readonly files?: Readonly<Record<string, string>>;
  readonly before?: readonly Args[];
  /** Other preparations. */
  readonly prepare?: (place: Place) => void;
  readonly killed: Args;
  /**
   * The next command, by the last event of the run, until there is nothing left to do: `killed` right after the kill,
   * `undefined` if no run is recorded.
   */
  readonly after?: (last: string | undefined, typed: number) => Args | undefined;
  /** Calls may run again without a notice, and the run need not end. */
  readonly isAside?: boolean;
  readonly stores?: readonly Store[];
}

export interface PointReport {
  /** Number of steps of the command: writes to files, starts of programs, requests. */
  points: number;
  /** How many of them find a new state of the disk, and are of a new kind if requested. */
  states: number;
  kills: number;
  /** Calls that ran again, and notices about that. */
  again: number;
  messages: number;
  readonly faults: string[];
}

export interface Points {
  readonly store: Store;
  readonly program: string;
  /** Number of kills, spread over all points; default all. */
  readonly most?: number;
  /** One for each kind of step: operation, and kind of file, program or route. */
  readonly isOfEachKind?: boolean;
  /** Maximum parallelism. */
  readonly parallel?: number;
  /** Receives each error immediately. */
  readonly say?: (line: string) => void;
}

/** Kills the scenario's command at its points, one after the other, and compares the results. */
export async function killAtPoints(scenario: KillScenario, points: Points): Promise<PointReport> {
  const { most = Number.POSITIVE_INFINITY, parallel = 1, isOfEachKind = false, say } = points;
  const top = mkdtempSync(join(tmpdir(), "kill-points-"));
  const files = { ...scenario.files, "w.yml": scenario.workflow };
  const ready = openPlace({ ...points, folder: join(top, "ready") }, files);
  for (const args of scenario.before ?? []) await type(ready, args, { end: late });
  scenario.prepare?.(ready);
  const straight = copyPlace(ready, join(top, "straight"));
  const list = join(top, "states");
  const hook = { KILL_STATES: list, KILL_FOLDER: straight.folder };
  await type(straight, scenario.killed, { hook, end: late });
  const should = outcomeOf(straight, await finish(straight, scenario, true));
  const steps = readSteps(list);
  const different = spread(pointsOf(steps, isOfEachKind));
  const counts = { points: steps.length, states: different.length, kills: 0, again: 0, messages: 0 };
  const report: PointReport = { ...counts, faults: [] };
  const left = different.slice(0, most);
  const work = async () => {
    for (let at = left.shift(); at !== undefined; at = left.shift()) {
      const place = copyPlace(ready, join(top, `at-${at}`));
      const faults = await killAt({ place, at, scenario, should, report });
      for (const fault of faults) say?.(`${fault}\n  in ${place.folder}`);
      report.faults.push(...faults);
      if (faults.length === 0) remove(place.folder);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  // Failed cases are kept for inspection.
  if (report.faults.length === 0) remove(top);
  return report;
}

interface Killing {
  readonly place: Place;
  readonly at: number;
  readonly scenario: KillScenario;
  /** The result of a run without a kill. */
  readonly should: Outcome;
  readonly report: PointReport;
}

async function killAt({ place, at, scenario, should, report }: Killing): Promise<readonly string[]> {
  const describeFault = (fault: string) =>
    `${scenario.name} over ${place.store}, killed at step ${at}: ${fault}`;
  try {
    const { signal } = await type(place, scenario.killed, { hook: { KILL_AT_WRITE: `${at}` }, end: late });
    if (signal === "SIGKILL") report.kills += 1;
    const was = outcomeOf(place, await finish(place, scenario, at % 4 === 0));
    report.again += again(was, should);
    report.messages += was.messages;
    return differences(was, should, scenario.isAside === true).map(describeFault);
  } catch (error) {
    return [describeFault((error as Error).message)];
  }
}

export interface Step {
  readonly kind: string;
  readonly state: string;
}

export const readSteps = (list: string): readonly Step[] =>
  readFileSync(list, "utf8")
    .split("\n")
    .map((line) => JSON.parse(line));

/** The numbers of the steps to kill at: one for each state of the disk, or for each kind of step. */
export function pointsOf(steps: readonly Step[], isOfEachKind: boolean): readonly number[] {
  const first = (key: keyof Step, value: string) => steps.findIndex((step) => step[key] === value);
  const chosen = steps.filter(({ kind }, at) => !isOfEachKind || first("kind", kind) === at);
  return [...new Set(chosen.map(({ state }) => first("state", state) + 1))];
}

/** Reordered so that the first ones are far apart. */
export const spread = (points: readonly number[]): number[] =>
  points
    .map((point, at) => ({ point, rank: (at * 0.618034) % 1 }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ point }) => point);

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 9 });

function copyPlace(place: Place, folder: string): Place {
  cpSync(place.folder, folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  return placeAt({ ...place, folder });
}

/** No command takes this long. */
const late = { signal: "SIGABRT", afterMs: 300_000 } as const;

async function eventsOf(place: Place): Promise<readonly RunEvent[]> {
  const { code, out } = await type(place, ["status", runId, "--json"], { end: late });
  return code === 2 ? [] : eventsIn(out);
}

export const resume: Args = ["resume", runId, "--isolation", "off"];
export const approve: Args = ["approve", runId];

/** Runs a person's commands until there is nothing left to do, and maybe once more; returns the run's events. */
async function finish(place: Place, scenario: KillScenario, twice: boolean): Promise<readonly RunEvent[]> {
  const { after = goOn(scenario), isAside = false } = scenario;
  const typed: string[] = [];
  let events: readonly RunEvent[] = [];
  for (let args = after("killed", 0); args !== undefined; args = after(events.at(-1)?.type, typed.length)) {
    const { code, signal, errors } = await type(place, args, { end: late });
    typed.push(`${args.join(" ")}: ${code} ${errors.trim().slice(-500)}`);
    if (notForPeople.test(errors) || signal === "SIGABRT")
      throw new Error(`what is said is not for people:\n${typed.join("\n")}`);
    if (typed.length > 6) throw new Error(`the run does not end:\n${typed.join("\n")}`);
    events = await eventsOf(place);
  }
  if (!twice || isAside) return events;
  const { code, errors } = await type(place, resume, { end: late });
  if (code !== 2 && code !== 0)
    throw new Error(`the ended run, resumed: ${code} ${errors}; before:\n${typed.join("\n")}`);
  return events;
}

const notForPeople = /^\s+at .*:\d+:\d+|is not valid JSON|ENOENT|a defect in until-green/m;

const goOn =
  ({ killed, before = [] }: KillScenario) =>
  (last: string | undefined): Args | undefined => {
    if (last === "run.ended") return undefined;
    if (last === undefined) return before[0] ?? killed;
    return last === "run.paused" ? approve : resume;
  };
