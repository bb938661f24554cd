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
