import { afterCheck } from "../../checks/after-check.ts";
import { asText, isObject, jsonOrText } from "../../expressions/output-value.ts";
import { UnresolvedError } from "../../expressions/scope.ts";
import type { LoopNode } from "../../plan/plan.ts";
import type { AgentAnswer, AgentRequest } from "../../ports/agent.ts";
import { defined } from "../../ports/defined.ts";
import type { Answer, Port } from "../../ports/effects.ts";
import { complaintOf } from "../../ports/json-schema.ts";
import type { ReviewReason } from "../../ports/review-reason.ts";
import type { ShellAnswer } from "../../ports/shell.ts";
import { asksModel, type StopSpec, stops } from "../../stops/index.ts";
import { noVerdict } from "../../stops/judge.ts";
import type { AskingStop, Iteration, PureStop, Verdict } from "../../stops/stop.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { EffectFailedError, emit, type Operation, perform } from "../operation.ts";
import { attemptOf, stopOf } from "../path.ts";
import { sendAgentRequest } from "./agent-request.ts";
import type { Checked, Checking } from "./check-record.ts";
import { gatherEvidence, putTreeBack } from "./judged-work.ts";
import type { IterationSnapshot } from "./loop-workspace.ts";
import { testCheck } from "./undone-changes.ts";

/** The combined result of a loop's stops for one iteration. */
export interface StopResult {
  readonly verdict: Verdict["verdict"] | "broken";
  /** The stop that decided, or the last one tested. */
  readonly kind: StopSpec["kind"] | undefined;
  readonly because: string;
  /** What each stop reported, as clauses for people. */
  readonly texts: readonly string[];
  /** Those of `texts` that report a check. */
  readonly checkTexts: readonly string[];
  /** Why the check or the judge said no: the check's exit code and output. */
  readonly check: string | undefined;
  /** The output of the checks that failed. */
  readonly printed: string;
  /** The judge's answer. */
  readonly judged?: string | undefined;
  /** Why a person should look at green work. */
  readonly review: readonly ReviewReason[];
  readonly needsUndone: boolean;
  /** The snapshot to go on with, if it is not the one that was tested first. */
  readonly kept: IterationSnapshot | undefined;
}

interface StopContext {
  readonly path: string;
  readonly context: ExecutionContext;
  /** The state of the loop's checks. */
  readonly checking: Checking;
}

/** Tests a loop's stops in order, cheapest first. Under `any`, a stop that fires skips the later ones. */
export function* testStops(
  { stops: specs, mode }: Pick<LoopNode, "stops" | "mode">,
  iteration: Iteration,
  { path, context, checking }: StopContext,
): Operation<StopResult> {
  const answers: StopAnswer[] = [];
  let current = checking;
  for (const [index, spec] of specs.entries()) {
    // Under `all`, no model is asked once another stop has said no: its answer would change nothing.
    if (mode === "all" && asksModel(spec) && answers.some(saysNo)) continue;
    const one = yield* testStop(spec, iteration, {
      path: stopOf(path, index + 1),
      context,
      checking: current,
    });
    answers.push(one);
    current = { ...current, ...one.kept };
    if (one.broken) return tested(answers, "broken");
    if (one.verdict === "give-up") return tested(answers, "give-up");
    if (one.verdict === "done" && mode === "any") return tested(answers, "done");
  }
  const done = mode === "all" && answers.some(({ verdict }) => verdict === "done") && !answers.some(saysNo);
  return tested(answers, done ? "done" : "go-on");
}

/** A stop that gives up, and has not, says neither yes nor no. */
const saysNo = ({ spec, verdict }: StopAnswer) => verdict === "go-on" && !givesUp(spec);

const givesUp = ({ kind }: StopSpec): boolean => stops[kind].givesUp === true;

function tested(answers: readonly StopAnswer[], verdict: StopResult["verdict"]): StopResult {
  const reported = answers.filter(isWorthSaying);
  const texts = reported.map(stopText);
  const decided =
    verdict === "done" || verdict === "go-on" ? answers.filter(({ spec }) => !givesUp(spec)) : answers;
  const last = decided.at(-1);
  const because = verdict === "go-on" ? texts.join("; ") : (last?.because ?? "");
  const reasons = answers.filter(saysNo).flatMap(reasonOf);
  return {
    verdict,
    kind: last?.spec.kind,
    because,
    texts,
    checkTexts: reported.filter(({ spec }) => spec.kind === "until-bash").map(stopText),
    check: reasons.length === 0 ? undefined : reasons.join("\n"),
    printed: answers
      .filter(saysNo)
      .map(({ tail = "" }) => tail)
      .join("\n"),
    judged: answers.findLast((one) => one.reply !== undefined)?.reply,
    review: answers.flatMap(({ review = [] }) => review),
    needsUndone: answers.some(({ needsUndone }) => needsUndone),
    kept: answers.findLast(({ kept }) => kept !== undefined)?.kept,
  };
}

const isWorthSaying = ({ spec, verdict }: StopAnswer) => !givesUp(spec) || verdict === "give-up";

/** `3 tests still fail (exit 1)`; of other stops their own words. */
function stopText({ spec, verdict, because, tail = "" }: StopAnswer): string {
  if (spec.kind !== "until-bash") return because;
  if (verdict === "done") return "the check passed";
  if (!/^exit \d+$/.test(because)) return because.replace(/^(?:it )?/, "the check ");
  const failing = afterCheck.get().failingCount(tail) ?? 0;
  if (failing === 0) return `the check failed (${because})`;
  return `${failing === 1 ? "1 test still fails" : `${failing} tests still fail`} (${because})`;
}

/** What the next iteration can read about a no: the check's output, or the judge's reason. */
function reasonOf({ spec, because, tail }: StopAnswer): readonly string[] {
  if (tail !== undefined) return [`${because}\n${tail}`];
  return asksModel(spec) ? [because] : [];
}

interface StopAnswer extends Checked {
  readonly spec: StopSpec;
  /** The judge's answer. */
  readonly reply?: string;
}

function* testStop(spec: StopSpec, iteration: Iteration, at: StopContext): Operation<StopAnswer> {
  const { path, context, checking } = at;
  const seen = yield* withEvidence(spec, iteration, at);
  const answers =
    spec.kind === "until-bash" && spec.tests !== undefined
      ? { spec, ...(yield* testCheck({ spec, iteration, path, context, checking, again })) }
      : yield* tryStop(spec, seen, at);
  if (spec.kind === "judge" && spec.shown) yield* putTreeBack(at);
  const { verdict, because, notice } = answers;
  if (answers.tests !== undefined && context.attempt !== undefined)
    context.attempt.failing = answers.tests.failed;
  if (notice !== undefined) yield* emit({ type: "notice", ...notice, path });
  yield* emit({ type: "stop.tested", path, kind: spec.kind, verdict, because, ...shownOf(answers) });
  return answers;

  function again(where: string): Operation<Checked> {
    return tryStop(spec, iteration, { ...at, path: where });
  }
}

const shownOf = ({ tail, tests, clean, review = [] }: StopAnswer) =>
  defined({ tail, tests, clean, review: review.length === 0 ? undefined : review });

/** Adds the evidence that a judge is shown, if the stop asks a judge. */
function* withEvidence(spec: StopSpec, iteration: Iteration, at: StopContext): Operation<Iteration> {
  if (spec.kind !== "judge" || !spec.shown) return iteration;
  return { ...iteration, evidence: yield* gatherEvidence(at) };
}

/** Tests one stop. A broken stop is tested once more; a failing check, as often as `retries` allows. */
function* tryStop(
  spec: StopSpec,
  iteration: Iteration,
  { path, context }: Pick<StopContext, "path" | "context">,
): Operation<StopAnswer> {
  const stop = stops[spec.kind] as unknown as PureStop<never> | AskingStop<never, Port>;
  if ("judge" in stop) return { spec, ...stop.judge(spec as never, iteration) };
  const seen = { wasBroken: false, wasRed: false };
  for (let attempt = 1; ; attempt++) {
    const at = attemptOf(path, attempt);
    const answer = yield* askQuestion(stop, at, { spec, iteration, context, attempt });
    if (isVerdict(answer)) return { spec, ...answer };
    const verdict = schemaViolation(spec, answer, context) ?? stop.read(spec as never, answer as never);
    const again = mayRepeat(spec, verdict, { attempt, ...seen });
    seen.wasBroken ||= verdict.broken ?? false;
    if (again) {
      seen.wasRed ||= !verdict.broken;
      continue;
    }
    const flaked = seen.wasRed && verdict.verdict === "done";
    return { spec, ...verdict, flaked, ...besidesVerdict(spec, answer) };
  }
}

function mayRepeat(
  spec: StopSpec,
  verdict: Verdict,
  { attempt, wasBroken }: { readonly attempt: number; readonly wasBroken: boolean },
): boolean {
  if (verdict.broken) return !wasBroken;
  const times = verdict.silent ? 1 : spec.kind === "until-bash" ? spec.retries : 0;
  return verdict.verdict === "go-on" && attempt <= times;
}

/** A judge's result that violates its own schema gives no verdict, or fails the node if the author wants that. */
function schemaViolation(spec: StopSpec, answer: Answer, { plan }: ExecutionContext): Verdict | undefined {
  if (spec.kind !== "judge" || !spec.insists || !("text" in answer)) return undefined;
  const { result, text } = answer as AgentAnswer;
  const schema = Object.hasOwn(plan.agents, spec.agent) ? plan.agents[spec.agent]?.schema : undefined;
  const value = result ?? jsonOrText(text);
  const complaint = schema === undefined || !isObject(value) ? undefined : complaintOf(value, schema);
  if (complaint === undefined) return undefined;
  return { verdict: "go-on", because: `${noVerdict}: ${complaint}`, silent: true };
}

function besidesVerdict(spec: StopSpec, answer: Answer): Partial<StopAnswer> {
  if ("tail" in answer) return { tail: answer.tail, answer: answer as ShellAnswer };
  if (spec.kind !== "judge" || !("text" in answer)) return {};
  const { text, result } = answer as AgentAnswer;
  const isInText = result === undefined || JSON.stringify(jsonOrText(text)) === JSON.stringify(result);
  return {
    reply: (isInText ? [text] : [text, asText(result)]).filter((part) => part.trim() !== "").join("\n"),
  };
}

interface Question {
  readonly spec: StopSpec;
  readonly iteration: Iteration;
  readonly context: ExecutionContext;
  readonly attempt: number;
}

const isVerdict = (answer: Answer | Verdict): answer is Verdict => "verdict" in answer;

/** The answer, or the verdict that a missing answer means. */
function* askQuestion(
  stop: AskingStop<never, Port>,
  path: string,
  { spec, iteration, context, attempt }: Question,
): Operation<Answer | Verdict> {
  try {
    const ask: unknown = stop.ask(spec as never, iteration, attempt);
    if (stop.port === "agent") return yield* sendAgentRequest(path, context, ask as AgentRequest);
    return yield* perform(stop.port, path, { ask: ask as never, workspace: context.workspace });
  } catch (error) {
    const isOver = error instanceof EffectFailedError && error.reason === "budget";
    const isSilence = (error instanceof EffectFailedError || error instanceof UnresolvedError) && !isOver;
    const verdict = isSilence ? stop.unanswered?.(spec as never, error.message) : undefined;
    if (verdict === undefined) throw error;
    return verdict;
  }
}
