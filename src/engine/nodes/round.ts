import type { LoopNode } from "../../plan/plan.ts";
import { stripSignals } from "../../stops/signal-text.ts";
import type { Iteration } from "../../stops/stop.ts";
import { type Flow, tell } from "../flow.ts";
import type { Entry, Frame, Here } from "../here.ts";
import type { Failed, Outcome } from "../outcome.ts";
import { attemptOf, iterationOf } from "../path.ts";
import { scopeAt } from "../scope.ts";
import { type BodyDone, tellBody } from "./body.ts";
import { failureOf } from "./failure.ts";
import { entryOf, historyForJudge, keepsHistory } from "./history.ts";
import { carryOn, countRound } from "./loop-memory.ts";
import { measure, protect, type Snapshot, snapshot } from "./loop-workspace.ts";
import { countIdle, frameOf, type Memory } from "./memory.ts";
import { waitToRetry } from "./on-error.ts";
import { type Tested, testStops } from "./stops.ts";

/** How one iteration went: its body failed, or its stops spoke. */
export type Round = Failed | { readonly status: "completed"; readonly tested: Tested };

interface At {
  readonly number: number;
  readonly memory: Memory;
}

/** Tells one iteration: the body, the protected files put back, a snapshot, the stops. */
export function* tellRound(node: LoopNode, here: Here, { number, memory }: At): Flow<Round> {
  const { path } = here;
  yield* tell({ type: "iteration.started", path, node: node.id, number });
  countRound(node, here, number);
  const frame = frameOf(node, memory, { number, here });
  const end = yield* tellAttempts(node, here, { frame, memory });
  memory.userInput = "";
  memory.notes = frame.calls?.noted ?? memory.notes;
  if (end.status === "failed") {
    if (!node.forgetsFailures) memory.previous = end.output;
    memory.said = [`iteration ${number} failed: ${end.because}`];
    yield* tell({ type: "iteration.ended", path, node: node.id, number, output: end.output });
    return end;
  }
  carryOn(node, here);
  const output = stripSignals(end.raw, signalsOf(node));
  const spoiled = yield* protect(node, here, memory.base);
  const since = memory.commit;
  const kept = yield* snapshot(here, { since, message: `${node.id}, iteration ${number}` });
  const seen = { ...frame, output, result: end.result };
  const entry = entryOf(node, { end, output, number });
  const tested = spoiled ?? (yield* judged(node, here, { end, output, frame: seen, memory, kept, entry }));
  const words = tested.status === "completed" ? (tested.tested.judged ?? "") : "";
  remember(node, memory, { end, output, kept, entry: { ...entry, judged: words } });
  memory.said =
    tested.status === "completed" ? tested.tested.said : [`iteration ${number} failed: ${tested.because}`];
  yield* tell({ type: "iteration.ended", path, node: node.id, number, output, ...shownOf(kept, since) });
  return tested;
}

/** The body, again where the author lets a failed iteration be repeated; that uses up no iteration. */
function* tellAttempts(
  node: LoopNode,
  here: Here,
  { frame, memory }: { readonly frame: Frame; readonly memory: Memory },
) {
  const times = node.onError.mode === "retry" ? node.onError.times : 0;
  const session = node.session === "threaded" ? memory.session : undefined;
  for (let attempt = 1; ; attempt++) {
    const inside = { ...here, path: attemptOf(here.path, attempt) };
    frame.calls?.given.clear();
    const end = yield* tellBody(node.body, inside, { node: node.id, frame, session });
    if (end.status === "completed" || attempt > times || end.reason === "budget") return end;
    yield* tell({ type: "node.retried", path: here.path, attempt: attempt + 1, reason: end.because });
    yield* waitToRetry(node.onError, attemptOf(here.path, attempt + 1));
  }
}

const signalsOf = ({ stops }: LoopNode) =>
  stops.flatMap((stop) => (stop.kind === "signal" || stop.kind === "fail-signal" ? [stop.text] : []));

interface Judged {
  readonly end: BodyDone;
  readonly output: string;
  readonly frame: Frame;
  readonly memory: Memory;
  readonly kept: Snapshot;
  readonly entry: Entry;
}

/** The verdict of the stops; a judge that cannot be asked, a text that cannot be read, fails the iteration. */
function* judged(node: LoopNode, here: Here, about: Judged): Flow<Round> {
  try {
    return yield* judge(node, here, about);
  } catch (error) {
    return { ...failureOf(error), output: about.output };
  }
}

function* judge(node: LoopNode, here: Here, about: Judged): Flow<Round> {
  const { end, output, frame, memory, kept, entry } = about;
  const iteration: Iteration = {
    ...iterationAt(node, here, { end, output, frame }),
    history: () => historyForJudge([...memory.entries, entry], node),
  };
  const tested = yield* testStops(testedOf(node, end), iteration, {
    path: here.path,
    here: { ...here, iteration: frame.number },
  });
  memory.check = tested.check ?? "";
  if (tested.verdict !== "go-on") return { status: "completed", tested };
  yield* measure(node, { ...here, frame }, { memory, output, number: frame.number, commit: kept.commit });
  if (node.noProgress === undefined) return { status: "completed", tested };
  const idle = countIdle(memory, { tree: kept.tree, check: memory.check, output });
  if (idle < node.noProgress) return { status: "completed", tested };
  const because = `${idle} iterations brought no new change and no new failure`;
  yield* tell({ type: "stop.tested", path: here.path, kind: "no-progress", verdict: "give-up", because });
  const said = [...tested.said, `no-progress: ${because}`];
  return { status: "completed", tested: { ...tested, verdict: "give-up", kind: undefined, because, said } };
}

/** An iteration that an exit cut short is not looked at by stops that ask for its output. */
const testedOf = ({ stops, mode, againOn }: LoopNode, { exit }: BodyDone) => ({
  mode,
  stops: exit !== undefined && exit === againOn ? stops.filter(({ kind }) => kind === "exit-handle") : stops,
});

/** An iteration as stops see it: references reach into the body it has just told. */
function iterationAt(
  node: LoopNode,
  here: Here,
  { end, output, frame }: Pick<Judged, "end" | "output" | "frame">,
): Iteration {
  const outcome = (id: string) => end.outcomes.get(id) ?? here.outcome(id);
  return {
    number: frame.number,
    loop: node.id,
    raw: end.raw,
    output,
    result: end.result,
    signals: [...(frame.calls?.given ?? [])],
    exit: end.exit,
    scope: scopeAt({ ...here, outcome, frame }),
  };
}

function remember(
  node: LoopNode,
  memory: Memory,
  { end, output, kept, entry }: Pick<Judged, "end" | "output" | "kept" | "entry">,
) {
  memory.last = entry;
  if (keepsHistory(node)) memory.entries.push(entry);
  memory.previous = output;
  memory.previousOutcomes = end.outcomes;
  memory.result = end.result;
  memory.session = end.session;
  memory.commit = kept.commit ?? memory.commit;
  if (node.output === "cumulative" || node.accumulate !== undefined) memory.outputs.push(output);
}

const shownOf = ({ commit, diff }: Snapshot, since: string | undefined) => ({
  ...(commit === undefined ? {} : { snapshot: commit }),
  ...(commit === undefined || since === undefined ? {} : { since }),
  ...(diff === undefined ? {} : { diff }),
});

/** Tests the shell checks before anything is spent; the outcome when there is nothing to do. */
export function* testBaseline(node: LoopNode, here: Here, memory: Memory): Flow<Outcome | undefined> {
  if (!node.baseline) return undefined;
  const path = iterationOf(here.path, 0);
  const frame = frameOf(node, memory, { number: 0, here });
  const end = {
    status: "completed",
    raw: "",
    result: undefined,
    session: undefined,
    outcomes: new Map(),
  } as const;
  const checks = node.stops.filter(({ kind }) => kind === "until-bash");
  const iteration = iterationAt(node, here, { end, output: "", frame });
  const tested = yield* testStops({ stops: checks, mode: "all" }, iteration, { path, here });
  memory.check = tested.check ?? "";
  if (tested.verdict === "broken") {
    const because = `the check of loop ${node.id} cannot be evaluated: ${tested.because}`;
    return { status: "failed", output: "", reason: "check-unevaluable", because };
  }
  return tested.verdict === "done" ? { status: "completed", output: "", reason: "nothing-to-do" } : undefined;
}
