import { cel } from "../expr/cel.ts";
import type { Plan } from "./plan.ts";

/** Loads what it takes to tell a plan: only one with expressions needs CEL. */
export async function loadNeeded(plan: Plan): Promise<void> {
  if (holdsExpression(plan)) await cel.load();
}

/** Wherever it stands: an expression looks like nothing else in a plan. */
function holdsExpression(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsExpression);
  const { source, variables } = value as { readonly source?: unknown; readonly variables?: unknown };
  return (
    (typeof source === "string" && typeof variables === "object") ||
    Object.values(value).some(holdsExpression)
  );
}
