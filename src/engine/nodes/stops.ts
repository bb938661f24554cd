import { asJson, asText } from "../../expr/output.ts";
import { UnresolvedError } from "../../expr/scope.ts";
import type { LoopNode } from "../../plan/plan.ts";
import type { AgentAnswer, AgentRequest } from "../../ports/agent.ts";
import type { Answer, Port } from "../../ports/questions.ts";
import { type StopSpec, stops } from "../../stops/index.ts";
import type { AskingStop, Iteration, PureStop, Verdict } from "../../stops/stop.ts";
import { type Flow, need, tell, Unmet } from "../flow.ts";
import type { Here } from "../here.ts";
import { attemptOf, stopOf } from "../path.ts";
import { askWith } from "./ask.ts";

/** What the stops of a loop made of one iteration. */
export interface Tested {
  readonly verdict: Verdict["verdict"] | "broken";
  /** The stop that decided, or the last one tested. */
  readonly kind: StopSpec["kind"] | undefined;
  readonly because: string;
  /** What each stop said, in words. */
  readonly said: readonly string[];
  /** Why the check or the judge said no: what the check printed, its exit first. */
  readonly check: string | undefined;
  /** What the judge answered, as it said it. */
  readonly judged?: string | undefined;
}

interface At {
  readonly path: string;
  readonly here: Here;
}

/** Tests a loop's stops in order, cheapest first; under `any` a stop that fired spares the later ones. */
export function* testStops(
  { stops: specs, mode }: Pick<LoopNode, "stops" | "mode">,
  iteration: Iteration,
  { path, here }: At,
): Flow<Tested> {
  const heard: Heard[] = [];
  for (const [index, spec] of specs.entries()) {
    // Under `all` no model is asked once another stop has said no: its answer could change nothing.
    if (mode === "all" && asksModel(spec) && heard.some(saysNo)) continue;
    const one = yield* testStop(spec, iteration, { path: stopOf(path, index + 1), here });
    heard.push(one);
    if (one.broken) return tested(heard, "broken");
    if (one.verdict === "give-up") return tested(heard, "give-up");
    if (one.verdict === "done" && mode === "any") return tested(heard, "done");
  }
  const done = mode === "all" && heard.some(({ verdict }) => verdict === "done") && !heard.some(saysNo);
  return tested(heard, done ? "done" : "go-on");
}

const asksModel = ({ kind }: StopSpec) => kind === "judge" || kind === "answer";

/** A fail signal that was not given speaks neither for nor against the end. */
const saysNo = ({ spec, verdict }: Heard) => verdict === "go-on" && spec.kind !== "fail-signal";

function tested(heard: readonly Heard[], verdict: Tested["verdict"]): Tested {
  const said = heard.map(({ spec, because }) => `${spec.kind}: ${because}`);
  const decided =
    verdict === "done" || verdict === "go-on"
      ? heard.filter(({ spec }) => spec.kind !== "fail-signal")
      : heard;
  const last = decided.at(-1);
  const because = verdict === "go-on" ? said.join("; ") : (last?.because ?? "");
  const reasons = heard.filter(saysNo).flatMap(reasonOf);
  return {
    verdict,
    kind: last?.spec.kind,
    because,
    said,
    check: reasons.length === 0 ? undefined : reasons.join("\n"),
    judged: heard.findLast((one) => one.words !== undefined)?.words,
  };
}

/** What the next iteration may read of a no: what a check printed, what a judge found. */
function reasonOf({ spec, because, tail }: Heard): readonly string[] {
  if (tail !== undefined) return [`${because}\n${tail}`];
  return asksModel(spec) ? [because] : [];
}

interface Heard extends Verdict {
  readonly spec: StopSpec;
  /** The end of what a shell check printed. */
  readonly tail?: string;
  /** What a judge answered. */
  readonly words?: string;
}

function* testStop(spec: StopSpec, iteration: Iteration, { path, here }: At): Flow<Heard> {
  const heard = yield* hear(spec, iteration, { path, here });
  const { verdict, because, tail, notice } = heard;
  if (notice !== undefined) yield* tell({ type: "notice", ...notice, path });
  const told = { type: "stop.tested", path, kind: spec.kind, verdict, because } as const;
  yield* tell(tail === undefined ? told : { ...told, tail });
  return heard;
}

/** Asks one stop; a broken one once more, and a failing check as often as its author allows for flakes. */
function* hear(spec: StopSpec, iteration: Iteration, { path, here }: At): Flow<Heard> {
  const stop = stops[spec.kind] as unknown as PureStop<never> | AskingStop<never, Port>;
  if ("judge" in stop) return { spec, ...stop.judge(spec as never, iteration) };
  const flakes = spec.kind === "until-bash" ? spec.retries : 0;
  let wasBroken = false;
  for (let attempt = 1; ; attempt++) {
    const at = attemptOf(path, attempt);
    const answer = yield* askWorld(stop, at, { spec, iteration, here, attempt });
    if (isVerdict(answer)) return { spec, ...answer };
    const verdict = stop.read(spec as never, answer as never);
    const mayAsk = attempt <= (verdict.silent ? 1 : flakes);
    const again = verdict.broken ? !wasBroken : verdict.verdict === "go-on" && mayAsk;
    wasBroken ||= verdict.broken ?? false;
    if (again) continue;
    return { spec, ...verdict, ...besidesVerdict(spec, answer) };
  }
}

function besidesVerdict(spec: StopSpec, answer: Answer): Partial<Heard> {
  if ("tail" in answer) return { tail: answer.tail };
  if (spec.kind !== "judge" || !("text" in answer)) return {};
  const { text, result } = answer as AgentAnswer;
  const isSaid = result === undefined || JSON.stringify(asJson(text)) === JSON.stringify(result);
  return {
    words: (isSaid ? [text] : [text, asText(result)]).filter((part) => part.trim() !== "").join("\n"),
  };
}

interface Question {
  readonly spec: StopSpec;
  readonly iteration: Iteration;
  readonly here: Here;
  readonly attempt: number;
}

const isVerdict = (answer: Answer | Verdict): answer is Verdict => "verdict" in answer;

/** The world's answer, or what its silence means. */
function* askWorld(
  stop: AskingStop<never, Port>,
  path: string,
  { spec, iteration, here, attempt }: Question,
): Flow<Answer | Verdict> {
  try {
    const ask: unknown = stop.ask(spec as never, iteration, attempt);
    if (stop.port === "agent") return yield* askWith(path, here, ask as AgentRequest);
    return yield* need(stop.port, path, { ask: ask as never, workspace: here.workspace });
  } catch (error) {
    const isOver = error instanceof Unmet && error.reason === "budget";
    const isSilence = (error instanceof Unmet || error instanceof UnresolvedError) && !isOver;
    const verdict = isSilence ? stop.unanswered?.(spec as never, error.message) : undefined;
    if (verdict === undefined) throw error;
    return verdict;
  }
}
