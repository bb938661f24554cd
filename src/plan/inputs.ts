import type { Plan } from "./plan.ts";

/** The values of a run's inputs, and required inputs without a value. */
export interface FilledInputs {
  readonly inputs: Readonly<Record<string, string>>;
  readonly missing: readonly string[];
}

/** The given values, with the workflow's defaults. */
export function fillInputs(
  plan: Pick<Plan, "inputs">,
  values: Readonly<Record<string, string>>,
): FilledInputs {
  const defaults = Object.entries(plan.inputs).flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const inputs = Object.fromEntries([...defaults, ...Object.entries(values)]);
  return { inputs, missing: Object.keys(plan.inputs).filter((name) => !Object.hasOwn(inputs, name)) };
}

/** The inputs a workflow declares or reads; other inputs would have no effect. */
export const inputNames = (plan: Pick<Plan, "inputs" | "body">): readonly string[] => [
  ...new Set([...Object.keys(plan.inputs), ...inputsRead(plan.body)]),
];

/** Searches the JSON of the plan: references have the same shape everywhere. */
function inputsRead(part: unknown): readonly string[] {
  if (typeof part !== "object" || part === null) return [];
  if ("ref" in part && "name" in part && isInput(part)) return [String(part.name)];
  return Object.values(part).flatMap(inputsRead);
}

/** Names missing in the memory are looked up among the inputs. */
const isInput = (part: object): boolean =>
  "ref" in part && (part.ref === "input" || (part.ref === "shared" && "of" in part && part.of === "memory"));
