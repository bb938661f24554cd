import { type AttemptRule, type Attempts, usualPick } from "../../plan/attempts.ts";
import type { ForEachNode, LoopNode } from "../../plan/plan.ts";
import { bestOf, type PickRule } from "../../series/rank-attempts.ts";
import { choiceRequest, readChoice } from "../../stops/choice.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { EffectFailedError, emit, type Operation } from "../operation.ts";
import { iterationOf, sideEffectPath } from "../path.ts";
import type { AttemptResult } from "../run-events.ts";
import { sendAgentRequest } from "./agent-request.ts";
import { goalOf } from "./check-record.ts";
import { putTreeBack } from "./judged-work.ts";
import { askWorkspace } from "./loop-workspace.ts";

/** A loop that runs several attempts. */
export interface AttemptsNode extends ForEachNode {
  readonly attempts: Attempts;
}

/** An attempt that has ended, with the facts that the choice is based on. */
export interface EndedAttempt {
  readonly number: number;
  readonly result: AttemptResult;
  readonly from: string;
  readonly left: { readonly commit: string } | undefined;
}

/** Maximum size of all attempts together in a judge's prompt, in characters. */
const most = 120_000;

/**
 * Chooses the best attempt by the rules of the loop. A judge decides between attempts that the earlier rules rank
 * equal.
 */
export function* chooseAttempt<T extends EndedAttempt>(
  node: AttemptsNode,
  context: ExecutionContext,
  tried: readonly T[],
): Operation<{ readonly best: T | undefined; readonly because: string }> {
  const rules = node.attempts.pick ?? usualPick;
  const at = rules.indexOf("judge");
  const before = rules.slice(0, at < 0 ? undefined : at);
  const bestBy = (some: readonly T[], by: readonly AttemptRule[]) => bestOfAttempts(node, some, by);
  const equal = bestBy(tried, before);
  const judged = at < 0 || equal.length < 2 ? undefined : yield* askJudge(node, context, equal);
  if (judged !== undefined) {
    const best = equal.find(({ number }) => number === judged.best);
    return { best, because: `; the judge chose it${judged.reason === "" ? "" : `: ${judged.reason}`}` };
  }
  return { best: bestBy(equal, rules)[0], because: "" };
}

function bestOfAttempts<T extends EndedAttempt>(
  node: AttemptsNode,
  tried: readonly T[],
  rules: readonly AttemptRule[],
): readonly T[] {
  const plain = tried.filter(({ result }) => result.green && result.to_review === undefined);
  if (plain.length > 0 && plain.length < tried.length) return bestOfAttempts(node, plain, rules);
  const known = rules.filter((rule): rule is PickRule => rule !== "judge");
  const sign = loopOf(node)?.best?.direction === "max" ? -1 : 1;
  const grades = tried.map(({ result: { metric, ...grade } }) =>
    metric === undefined ? grade : { ...grade, metric: sign * metric },
  );
  const places = bestOf(grades, known);
  return tried.filter((_, at) => places.includes(at));
}

/** The judge's choice; `undefined`, with a notice, if it chooses none. */
function* askJudge(
  node: AttemptsNode,
  context: ExecutionContext,
  equal: readonly EndedAttempt[],
): Operation<ReturnType<typeof readChoice>> {
  const path = sideEffectPath(context.path, "judge");
  const inside = { ...context, path };
  try {
    const candidates: { number: number; patch: string }[] = [];
    const each = Math.floor(most / equal.length);
    for (const { number, from, left } of equal) {
      if (left === undefined) continue;
      const place = { ...context, path: iterationOf(path, number) };
      const ask = { op: "diff", from, to: left.commit, most: each } as const;
      candidates.push({ number, patch: (yield* askWorkspace(place, "diff", ask)).patch ?? "" });
    }
    const now = { op: "snapshot", since: undefined, message: "before a judge" } as const;
    const { commit, tree } = yield* askWorkspace(inside, "snapshot", now);
    const request = choiceRequest(candidates, { node: node.id, goal: goalOfLoop(node, context) });
    const answer = yield* sendAgentRequest(path, context, request);
    yield* putTreeBack({ path, context, checking: { commit, tree } });
    const choice = readChoice(
      answer,
      candidates.map(({ number }) => number),
    );
    if (choice === undefined) yield* emit(unhelpful("it named none of the attempts", path));
    return choice;
  } catch (error) {
    if (!(error instanceof EffectFailedError)) throw error;
    yield* emit(unhelpful(error.message, path));
    return undefined;
  }
}

const unhelpful = (reason: string, path: string) =>
  ({
    type: "notice",
    code: "JUDGE_FAILED",
    message: `the judge did not choose an attempt: ${reason}`,
    path,
  }) as const;

function goalOfLoop(node: AttemptsNode, context: ExecutionContext): string {
  const loop = loopOf(node);
  return loop === undefined ? context.message : goalOf(loop, context);
}

function loopOf({ id, body }: AttemptsNode): LoopNode | undefined {
  const loop = body.kind === "graph" ? body.nodes.find((one) => one.id === id) : undefined;
  return loop?.kind === "loop" ? loop : undefined;
}
