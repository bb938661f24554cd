import type { Plan } from "../plan/plan.ts";
import type { Json } from "../ports/json.ts";
import type { ReviewReason } from "../ports/review-reason.ts";
import type { Outcome } from "./outcome.ts";
import type { RunEventBody, StopReason } from "./run-events.ts";

export interface CompletedNode {
  readonly output: string;
  readonly result?: Json | undefined;
}

interface EndedPlan {
  readonly plan: Plan;
  readonly outcome: Outcome;
  /** Results of the completed top-level nodes, by id. */
  readonly results: ReadonlyMap<string, CompletedNode>;
  readonly lastLoop: StopReason | undefined;
  /** Why a person should look at the work of its loops. */
  readonly review: readonly ReviewReason[];
}

type Ending = Omit<Extract<RunEventBody, { type: "run.ended" }>, "type" | "iterations" | "usage">;

/** Maps the outcome of a plan to the public conclusion of its run. */
export function conclude({ plan, outcome, results, lastLoop, review }: EndedPlan): Ending {
  const isText = plan.body.walk?.results === "outputs";
  const byNode = [...results].map(
    ([id, { output, result }]) => [id, isText ? output : (result ?? output)] as const,
  );
  const common = {
    output: firstSink(plan, results),
    results: Object.fromEntries(byNode),
    ...authoredOutcome(plan, results),
  };
  switch (outcome.status) {
    case "completed": {
      const reason = lastLoop ?? "completed";
      const conclusion = reason === "nothing-to-do" ? "skipped" : "success";
      return { conclusion, stop_reason: reason, ...common, ...(review.length === 0 ? {} : { review }) };
    }
    case "failed":
      return {
        conclusion: "failure",
        stop_reason: outcome.reason,
        ...common,
        because: outcome.because,
        ...(results.size > 0 ? { partial: true } : {}),
      };
    case "skipped":
      return { conclusion: "skipped", stop_reason: "not-selected", ...common, because: outcome.because };
    case "cancelled":
      return { conclusion: "cancelled", stop_reason: "cancelled", ...common, because: outcome.because };
  }
}

function authoredOutcome({ outcome }: Plan, results: EndedPlan["results"]): Pick<Ending, "outcome"> {
  const result = outcome && results.get(outcome.node)?.result;
  if (outcome === undefined || typeof result !== "object" || result === null || Array.isArray(result))
    return {};
  const reported = (result as Readonly<Record<string, Json>>)[outcome.field];
  return typeof reported === "boolean" ? { outcome: reported ? "succeeded" : "failed" } : {};
}

/** The first non-blank output, in file order, that no other node reads. */
function firstSink({ body }: Plan, results: ReadonlyMap<string, CompletedNode>): string {
  const read = new Set(body.nodes.flatMap(({ after }) => after));
  if (body.walk !== undefined) {
    const ids = new Set(body.nodes.map(({ id }) => id));
    return [...results].findLast(([id]) => ids.has(id))?.[1].output ?? "";
  }
  const sink = body.nodes.find(({ id }) => !read.has(id) && results.get(id)?.output.trim());
  return sink === undefined ? "" : (results.get(sink.id)?.output ?? "");
}
