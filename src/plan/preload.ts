import { cel } from "../expressions/cel.ts";
import type { Plan } from "./plan.ts";

/** Loads the modules that a plan needs: only a plan with expressions needs CEL. */
export async function preloadForPlan(plan: Plan): Promise<void> {
  if (holdsExpression(plan)) await cel.load();
}

/** Searches the whole plan; expressions are recognisable by shape. */
function holdsExpression(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsExpression);
  const { source, variables } = value as { readonly source?: unknown; readonly variables?: unknown };
  return (
    (typeof source === "string" && typeof variables === "object") ||
    Object.values(value).some(holdsExpression)
  );
}
