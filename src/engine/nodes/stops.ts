import type { LoopNode } from "../../plan/plan.ts";
import type { AgentRequest } from "../../ports/agent.ts";
import type { Answer, Port } from "../../ports/questions.ts";
import type { ShellAnswer } from "../../ports/shell.ts";
import { type StopSpec, stops } from "../../stops/index.ts";
import type { AskingStop, Iteration, PureStop, Verdict } from "../../stops/stop.ts";
import { type Flow, need, tell } from "../flow.ts";
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
}

/** Tests a loop's stops in order, cheapest first; under `any` a stop that fired spares the later ones. */
export function* testStops(
  { stops: specs, mode }: Pick<LoopNode, "stops" | "mode">,
  iteration: Iteration,
  { path, here }: { readonly path: string; readonly here: Here },
): Flow<Tested> {
  const said: string[] = [];
  let check: string | undefined;
  let missing = specs.every(({ kind }) => kind === "fail-signal");
  let last: Tested["kind"];
  for (const [index, spec] of specs.entries()) {
    if (mode === "all" && missing && asksModel(spec)) continue;
    const at = stopOf(path, index + 1);
    const { verdict, because, broken, answer } = yield* testStop(spec, iteration, { path: at, here });
    const tail = spec.kind === "until-bash" && answer !== undefined ? (answer as ShellAnswer).tail : undefined;
    yield* tell({
      type: "stop.tested",
      path: at,
      kind: spec.kind,
      verdict,
      because,
      ...(tail === undefined ? {} : { tail }),
    });
    said.push(`${spec.kind}: ${because}`);
    const tested = { kind: spec.kind, because, said, check };
    if (broken) return { ...tested, verdict: "broken" };
    if (verdict === "give-up") return { ...tested, verdict };
    if (spec.kind === "fail-signal") continue;
    last = spec.kind;
    if (verdict === "done" && mode === "any") return { ...tested, verdict };
    if (verdict === "go-on") missing = true;
    if (verdict === "go-on" && tail !== undefined) check = `${because}\n${tail}`;
    else if (verdict === "go-on" && asksModel(spec)) check = [check, because].filter(Boolean).join("\n");
  }
  const all = mode === "all" && !missing;
  return { verdict: all ? "done" : "go-on", kind: last, because: said.join("; "), said, check };
}

const asksModel = ({ kind }: StopSpec) => kind === "judge" || kind === "answer";

interface Heard extends Verdict {
  readonly answer?: Answer;
}

/** Tests one stop; a broken one once more, and a failing check as often as its author allows for flakes. */
function* testStop(
  spec: StopSpec,
  iteration: Iteration,
  { path, here }: { readonly path: string; readonly here: Here },
): Flow<Heard> {
  const stop = stops[spec.kind] as unknown as PureStop<never> | AskingStop<never, Port>;
  if ("judge" in stop) return stop.judge(spec as never, iteration);
  const flakes = spec.kind === "until-bash" ? spec.retries : 0;
  for (let attempt = 1; ; attempt++) {
    const at = attemptOf(path, attempt);
    const answer = yield* askWorld(stop, at, { ask: stop.ask(spec as never, iteration), here });
    const verdict = stop.read(spec as never, answer as never);
    const again = verdict.broken ? attempt === 1 : verdict.verdict === "go-on" && attempt <= flakes;
    if (!again) return { ...verdict, answer };
  }
}

function* askWorld(
  { port }: AskingStop<never, Port>,
  path: string,
  { ask, here }: { readonly ask: unknown; readonly here: Here },
): Flow<Answer> {
  if (port === "agent") return yield* askWith(path, here, ask as AgentRequest);
  return yield* need(port, path, { ask: ask as never, workspace: here.workspace });
}
