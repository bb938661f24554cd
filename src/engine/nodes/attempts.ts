import type { AttemptAgent } from "../../plan/attempts.ts";
import { defined } from "../../ports/defined.ts";
import type { Diff } from "../event-parts.ts";
import type { ExecutionContext, LoopAttempt } from "../execution-context.ts";
import { gateText } from "../gate-text.ts";
import { emit, type Operation, parallel } from "../operation.ts";
import { failed, type Outcome, outputOf, reviewIn, stopReasonOf } from "../outcome.ts";
import { iterationOf, sideEffectPath } from "../path.ts";
import { needsApproval, patchOf, reviewText } from "../review-text.ts";
import type { AttemptResult } from "../run-events.ts";
import { openGate, rejectedBy } from "./approval.ts";
import { type AttemptsNode, chooseAttempt } from "./choose-attempt.ts";
import { failureOf } from "./failures.ts";
import { emptyFrame, runLoopBody } from "./loop-body.ts";
import { askWorkspace } from "./loop-workspace.ts";

interface Tried {
  readonly number: number;
  readonly name: string;
  readonly outcome: Outcome;
  readonly result: AttemptResult;
  /** The first and the last snapshot of the attempt; without a checkout there is no last one. */
  readonly from: string;
  readonly left: { readonly commit: string; readonly tree: string; readonly diff: Diff } | undefined;
}

/** Runs independent attempts at a loop, each in its own checkout, and joins the work of the best one. */
export function* runAttempts(node: AttemptsNode, context: ExecutionContext): Operation<Outcome> {
  const { path } = context;
  const { by, firstGreen } = node.attempts;
  yield* emit({ type: "loop.started", path, node: node.id, mode: "attempts", items: by.length });
  const race: LoopAttempt["race"] = { first: undefined };
  const ended: ReadonlyMap<string, Tried> = yield* parallel({
    atMost: node.atMost,
    enough: ({ result }: Tried) => isEnough(result, firstGreen),
    branches: by.map((agent, index) => ({
      id: String(index),
      after: [],
      begin: () => {
        const attempt: LoopAttempt = {
          by: agent,
          insteadOf: node.attempts.insteadOf,
          hasOthers: hasOthers(node, context, agent),
          plan: context.plan,
          race,
          failing: undefined,
          metric: undefined,
        };
        return runAttempt(node, context, { number: index + 1, attempt });
      },
    })),
  });
  const tried = [...ended.values()].toSorted((one, other) => one.number - other.number);
  const { best, because } = yield* chooseAttempt(node, context, tried);
  const kept = best === undefined ? noneTried : yield* keep(context, best, { count: tried.length, because });
  const outcome = yield* reviewed(node, context, kept);
  const { status } = outcome;
  yield* emit({
    type: "loop.ended",
    path,
    node: node.id,
    status,
    stop_reason: stopReasonOf(outcome),
    iterations: tried.length,
    ...(best === undefined ? {} : { chosen: best.number }),
    ...reviewIn(outcome),
  });
  return outcome;
}

/** Asks about green work to review only once an attempt is chosen. */
function* reviewed(node: AttemptsNode, context: ExecutionContext, outcome: Outcome): Operation<Outcome> {
  if (outcome.status !== "completed" || !needsApproval(outcome, context)) return outcome;
  const { review = [], ...accepted } = outcome;
  const shown = { message: reviewText(review), patch: patchOf(review), run: context.facts.run };
  const note = "Approve to keep this work; reject to end without it.";
  const path = sideEffectPath(context.path, "gate");
  const answer = yield* openGate(node.id, path, { ...gateText({ ...shown, note }), review });
  if (answer.decision === "reject") return failed("rejected", rejectedBy(answer), outcome.output);
  return { ...accepted, reason: "approved" };
}

/** True if other attempts use another agent. If the user chose an agent, it makes all of them. */
function hasOthers({ attempts: all }: AttemptsNode, { facts }: ExecutionContext, own: AttemptAgent): boolean {
  const agentOf = ({ agent = all.insteadOf.agent }: AttemptAgent) => agent;
  return facts.agent === undefined && all.by.some((other) => agentOf(other) !== agentOf(own));
}

const noneTried = failed("internal", "no attempt was made");

/** No further attempt starts if there is nothing to do or no budget left. */
const isEnough = ({ green, to_review, stop_reason }: AttemptResult, firstGreen: true | undefined) =>
  stop_reason === "budget" ||
  (green && (stop_reason === "nothing-to-do" || (to_review !== true && firstGreen === true)));

interface Attempt {
  readonly number: number;
  readonly attempt: LoopAttempt;
}

function* runAttempt(node: AttemptsNode, loop: ExecutionContext, attempt: Attempt): Operation<Tried> {
  const { number } = attempt;
  const context = { ...loop, path: iterationOf(loop.path, number) };
  const { path } = context;
  const label = node.items.kind === "list" ? node.items.list[number - 1] : undefined;
  const item = label === undefined || label === "" ? {} : { item: label };
  yield* emit({ type: "iteration.started", path, node: node.id, number, ...item });
  const { left, from, ...tried } = yield* inFork(node, context, attempt);
  const { outcome, result } = tried;
  const output = outputOf(outcome);
  const seen = left === undefined ? {} : { snapshot: left.commit, since: from, diff: left.diff };
  yield* emit({
    type: "iteration.ended",
    path,
    node: node.id,
    number,
    ...item,
    output,
    ...seen,
    attempt: result,
  });
  return { ...tried, from, left };
}

function* inFork(
  node: AttemptsNode,
  context: ExecutionContext,
  { number, attempt }: Attempt,
): Operation<Tried> {
  const name = context.path.slice(1).replaceAll(/[/#~]/g, "-");
  const none = { number, name, from: "", left: undefined };
  if (!context.facts.snapshots) {
    const outcome = failed("node-failed", `attempts of ${node.id} need a git repository`);
    return { ...none, outcome, result: resultOf(outcome, attempt, undefined) };
  }
  try {
    const { path: workspace, commit: from = "" } = yield* askWorkspace(context, "fork", { op: "fork", name });
    // Texts of the loop do not mention the attempts: each one reads as if it were the only one.
    const frame = emptyFrame(node.id, number, context);
    const inside: ExecutionContext = { ...context, workspace, attempt };
    const end = yield* runLoopBody(node.body, inside, { node: node.id, frame, session: undefined });
    const last = end.status === "failed" ? end : end.outcomes.get(node.id);
    const outcome = last ?? failed("internal", `${node.id} has no outcome`);
    const isGreen = outcome.status === "completed" && outcome.review === undefined;
    if (isGreen && node.attempts.firstGreen) attempt.race.first ??= number;
    const { commit, tree, diff } = yield* askWorkspace(context, "close", { op: "close", name });
    const left =
      commit === undefined || tree === undefined || diff === undefined ? undefined : { commit, tree, diff };
    return { number, name, from, left, outcome, result: resultOf(outcome, attempt, left?.diff) };
  } catch (error) {
    const outcome = failureOf(error);
    return { ...none, outcome, result: resultOf(outcome, attempt, undefined) };
  }
}

const resultOf = (
  outcome: Outcome,
  { failing, metric }: LoopAttempt,
  diff: Diff | undefined,
): AttemptResult => ({
  // With a metric, an attempt has nothing to do if it is no better than the start: another one may be.
  green: outcome.status === "completed" && !(outcome.reason === "nothing-to-do" && metric !== undefined),
  ...(outcome.status === "completed" && outcome.review !== undefined ? { to_review: true } : {}),
  stop_reason: stopReasonOf(outcome),
  ...defined({ failing, metric }),
  ...(diff === undefined ? {} : { lines: diff.added + diff.removed }),
});

/** Joins the best attempt's work into the workspace. */
function* keep(
  context: ExecutionContext,
  best: Tried,
  { count, because: why }: { readonly count: number; readonly because: string },
): Operation<Outcome> {
  const { number, name, from, left: closed, outcome } = best;
  if (closed === undefined) return outcome;
  const { commit, tree } = closed;
  try {
    const { conflicts = [] } = yield* askWorkspace(context, "join", {
      op: "join",
      name,
      from,
      closed: { commit, tree },
    });
    if (conflicts.length > 0) {
      const because = `attempt ${number} is the best, but conflicts with what changed meanwhile in ${conflicts.join(", ")}`;
      return failed("node-failed", because);
    }
  } catch (error) {
    return failureOf(error);
  }
  const message = `kept attempt ${number} of ${count}${whyKept(best)}${why}`;
  yield* emit({ type: "notice", code: "KEPT_ATTEMPT", message, path: context.path });
  if (outcome.status !== "failed") return outcome;
  return { ...outcome, because: `no attempt was green; the best one ended with: ${outcome.because}` };
}

function whyKept({ result: { green, failing, metric, lines } }: Tried): string {
  const tests = green || failing === undefined ? "" : `, ${failing} failing tests`;
  const measured = metric === undefined ? "" : `, metric ${metric}`;
  return `: ${green ? "green" : "red"}${tests}${measured}${lines === undefined ? "" : `, ${lines} changed lines`}`;
}
