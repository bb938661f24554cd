import type { Plan } from "./plan.ts";

/** The values a run's inputs have, and which the workflow needs and nobody gave. */
export interface FilledInputs {
  readonly inputs: Readonly<Record<string, string>>;
  readonly missing: readonly string[];
}

/** What was given, with the workflow's defaults where nothing was. */
export function fillInputs(
  plan: Pick<Plan, "inputs">,
  given: Readonly<Record<string, string>>,
): FilledInputs {
  const defaults = Object.entries(plan.inputs).flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const inputs = Object.fromEntries([...defaults, ...Object.entries(given)]);
  return { inputs, missing: Object.keys(plan.inputs).filter((name) => !Object.hasOwn(inputs, name)) };
}

/** The inputs a workflow declares or reads: any other would be given for nothing. */
export const inputNames = (plan: Pick<Plan, "inputs" | "body">): readonly string[] => [
  ...new Set([...Object.keys(plan.inputs), ...inputsRead(plan.body)]),
];

/** A plan is plain JSON, in which a reference looks the same wherever it stands. */
function inputsRead(part: unknown): readonly string[] {
  if (typeof part !== "object" || part === null) return [];
  if ("ref" in part && "name" in part && isInput(part)) return [String(part.name)];
  return Object.values(part).flatMap(inputsRead);
}

/** What a memory lacks is looked for among the inputs. */
const isInput = (part: object): boolean =>
  "ref" in part && (part.ref === "input" || (part.ref === "shared" && "of" in part && part.of === "memory"));
