import { cel } from "../expressions/cel.ts";
import { afterCheck } from "../stops/shell-check.ts";
import type { Plan } from "./plan.ts";

/** Loads the modules that a plan needs: CEL if it has expressions, what reads output if it has a check. */
export async function preloadForPlan(plan: Plan): Promise<void> {
  if (holds(plan, isExpression)) await cel.load();
  if (holds(plan, ({ kind }) => kind === "until-bash")) await afterCheck.load();
}

type Shape = Readonly<Record<string, unknown>>;

const isExpression = ({ source, variables }: Shape) =>
  typeof source === "string" && typeof variables === "object";

/** Searches the whole plan for an object that is recognisable by its shape. */
function holds(value: unknown, isMatch: (each: Shape) => boolean): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (!Array.isArray(value) && isMatch(value as Shape)) return true;
  return Object.values(value).some((each) => holds(each, isMatch));
}
