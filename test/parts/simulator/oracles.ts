import type { LogEvent } from "../../../src/engine/log-events.ts";
import { replay } from "../../../src/engine/replay.ts";
import type { History } from "./history.ts";

/**
 * All violations of a history, as text; empty for a sound one. `undisturbed` is the log of the same run without
 * faults.
 */
export function faultsOf(history: History, undisturbed: readonly LogEvent[]): readonly string[] {
  const { log, calls, kills, rewound, unexpected, isOver } = history;
  if (!isOver) return [`it does not end: ${log.length} events, the last ${log.at(-1)?.type}`, ...unexpected];
  const drivers = log.filter(({ type }) => type === "run.resumed").length;
  return [
    ...unexpected,
    ...rewound.map((commit) => `the ref was moved to ${commit}, which does not follow its tip`),
    ...twice(log.flatMap((event) => (event.type === "need.met" ? [event.path] : []))).map(
      (path) => `${path} was answered twice`,
    ),
    ...twice(log.flatMap((event) => (event.type === "run.decided" ? [event.gate] : []))).map(
      (gate) => `${gate} was decided twice`,
    ),
    ...(log.filter(({ type }) => type === "run.ended").length === 1 ? [] : ["it has not one end"]),
    ...calls.flatMap(({ path, by, known }) => (known ? [`${by} asked ${path}, which was on record`] : [])),
    ...calls.flatMap(({ path, by, kept }) =>
      kept ? [`${by} asked ${path}, whose answer its machine had recorded`] : [],
    ),
    ...calls.flatMap(({ path, by, over }) => (over ? [`${by} asked ${path} after it had lost the run`] : [])),
    ...twice(calls.map(({ path, by }) => `${by} asked ${path}`)).map((what) => `${what} twice`),
    ...calls.flatMap(({ path, by, claimed }) =>
      claimed ? [] : [`${by} asked ${path} before its claim was seen`],
    ),
    ...calls.flatMap(({ path, by, overtaken }) =>
      overtaken ? [`${by} asked ${path} when it had read that another process drives the run`] : [],
    ),
    ...misled(history),
    ...unannounced(log),
    ...overRepeated(calls, 1 + kills + drivers),
    ...unlike(history, undisturbed),
  ];
}

const twice = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index);

/** A decision that was reported as recorded is recorded, and one that was reported as refused is not. */
function misled({ log, answers }: History): readonly string[] {
  return answers.flatMap(({ by, at, taken }) => {
    const isThere = log.some(
      (event) =>
        /^run\.(decided|cancelled|messaged)$/.test(event.type) && authorOf(event) === by && event.at === at,
    );
    return isThere === taken ? [] : [`${by} was told at ${at} that it is ${taken ? "" : "not "}on record`];
  });
}

const authorOf = (event: LogEvent) => ("by" in event ? event.by : "from" in event ? event.from : undefined);

/** Every start is recorded before the call, and not more often than processes resume the run. */
function unannounced(log: readonly LogEvent[]): readonly string[] {
  const starts = Map.groupBy(
    log.filter((event) => event.type === "need.begun"),
    ({ path }) => path,
  );
  const silent = log.flatMap((event) =>
    event.type === "need.met" && !starts.has(event.path) ? [`${event.path} was never begun`] : [],
  );
  const claims = log.filter(({ type }) => type === "run.resumed").length;
  const often = [...starts].flatMap(([path, events]) => {
    // Unpushed lines of a killed machine may be recorded twice.
    const times = new Set(events.map(({ at }) => at)).size;
    return times > 1 + claims ? [`${path} was begun ${times} times`] : [];
  });
  return [...silent, ...often];
}

function overRepeated(calls: History["calls"], most: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const { path } of calls) counts.set(path, (counts.get(path) ?? 0) + 1);
  return [...counts].flatMap(([path, count]) => (count > most ? [`${path} was asked ${count} times`] : []));
}

function unlike(history: History, undisturbed: readonly LogEvent[]): readonly string[] {
  const [was, should] = [endOf(history.log), endOf(undisturbed)];
  if (was.conclusion === "cancelled")
    return history.cancelled || isAbrupt(should) ? [] : ["nobody cancelled it"];
  if (isAbrupt(was) && isAbrupt(should)) return [];
  return JSON.stringify(was) === JSON.stringify(should)
    ? []
    : [`it ended as ${JSON.stringify(was)}, undisturbed as ${JSON.stringify(should)}`];
}

interface End {
  readonly conclusion: string | undefined;
  readonly stop_reason: string | undefined;
  readonly output: string | undefined;
  readonly ends: readonly string[];
}

/** What an abrupt end cuts off depends on the order of events. */
const isAbrupt = ({ conclusion, stop_reason }: End) =>
  conclusion === "cancelled" || stop_reason === "rejected";

function endOf(log: readonly LogEvent[]): End {
  const emitted = replay(log).take();
  const end = emitted.findLast((event) => event.type === "run.ended");
  const lastLoop = emitted.findLast((event) => event.type === "loop.ended");
  // Which of two parallel loops ends last depends on time, and a successful run has the stop reason of that one.
  const isOfLoop = end?.conclusion === "success" && end.stop_reason === lastLoop?.stop_reason;
  const ends = emitted.flatMap((event) => {
    if (event.type === "node.ended") return [`${event.path} ${event.status} ${event.output} ${event.reason}`];
    if (event.type === "loop.ended") return [`${event.path} ${event.stop_reason} ${event.iterations}`];
    return [];
  });
  return {
    conclusion: end?.conclusion,
    stop_reason: isOfLoop ? "that of the last loop" : end?.stop_reason,
    output: end?.output,
    ends: ends.toSorted(),
  };
}
