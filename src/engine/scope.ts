import { asJson, readField } from "../expr/output.ts";
import { type Scope, UnresolvedError } from "../expr/scope.ts";
import type { Reference } from "../expr/text.ts";
import type { Json } from "../ports/json.ts";
import type { Frame, Here } from "./here.ts";
import type { Outcome } from "./outcome.ts";

/** What references and names mean at a place of a run. */
export function scopeAt(here: Here): Scope {
  return {
    text: (reference) => textOf(reference, here),
    value: (reference) =>
      reference.ref === "item" && reference.field === undefined
        ? (here.frame?.item ?? "")
        : asJson(textOf(reference, here)),
    get names() {
      return namesAt(here);
    },
    environment: () => ({ ...runValues(here), ...frameValues(here.frame) }),
  };
}

function textOf(reference: Reference, here: Here): string {
  switch (reference.ref) {
    case "value":
      return valueOf(reference.name, here);
    case "input": {
      const given = here.inputs[reference.name];
      if (given === undefined) {
        throw new UnresolvedError(
          `input ${reference.name} was not given: pass -i ${reference.name}=… or give it a default under inputs`,
        );
      }
      return given;
    }
    case "output":
      return outputOf(here.outcome(reference.node), `$${reference.node}.output`, reference);
    case "previous": {
      if (here.frame === undefined || here.frame.number === 1) return "";
      const outcome = here.frame.previousOutcomes.get(reference.node);
      return outputOf(outcome, `$LOOP_PREV.${reference.node}.output`, reference);
    }
    case "item":
      return itemText(here.frame, reference.field);
  }
}

function outputOf(
  outcome: Outcome | undefined,
  name: string,
  { node, field }: { readonly node: string; readonly field?: string | undefined },
): string {
  if (outcome === undefined) return "";
  if (outcome.status === "completed") {
    return field === undefined ? outcome.output : readField(outcome.output, outcome.result, field);
  }
  if (outcome.status === "failed") {
    throw new UnresolvedError(`${name} cannot be read: ${node} failed (${outcome.because})`);
  }
  if (field === undefined) return "";
  throw new UnresolvedError(`${name}.${field} cannot be read: ${node} was ${outcome.status}`);
}

function itemText(frame: Frame | undefined, field: string | undefined): string {
  let around = frame;
  while (around !== undefined && around.item === undefined) around = around.outer;
  const item = around?.item ?? "";
  if (field !== undefined) return readField(asText(item), item, field);
  return asText(item);
}

const asText = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value));

function valueOf(name: string, here: Here): string {
  const value = frameValues(here.frame)[name] ?? runValues(here)[name];
  if (value !== undefined) return value;
  for (let frame = here.frame; frame !== undefined; frame = frame.outer) {
    const accumulated = frame.accumulated[name];
    if (accumulated !== undefined) return accumulated;
  }
  for (const { id } of here.plan.body.nodes) {
    const outcome = here.outcome(id);
    const published = outcome?.status === "completed" ? outcome.published?.[name] : undefined;
    if (published !== undefined) return published;
  }
  return "";
}

function runValues({ facts, message, rejection }: Here): Readonly<Record<string, string>> {
  return {
    USER_MESSAGE: message,
    ARGUMENTS: message,
    WORKFLOW_ID: facts.run,
    ARTIFACTS_DIR: facts.artifacts,
    BASE_BRANCH: facts.base_branch,
    DOCS_DIR: facts.docs_dir,
    REJECTION_REASON: rejection ?? "",
  };
}

function frameValues(frame: Frame | undefined): Readonly<Record<string, string>> {
  if (frame === undefined) return {};
  const { number, previous, userInput, check, output, item } = frame;
  return {
    LOOP_ITERATION: String(number),
    LOOP_PREV_OUTPUT: previous,
    LOOP_USER_INPUT: userInput,
    LOOP_CHECK_OUTPUT: check,
    LOOP_OUTPUT: output ?? "",
    ...(item === undefined ? {} : { LOOP_ITEM: asText(item) }),
    ...frame.accumulated,
  };
}

function namesAt({ frame }: Here): Readonly<Record<string, Json>> {
  if (frame === undefined) return {};
  const { number, previous, output = "", result, item } = frame;
  return {
    iteration: number,
    previous,
    output,
    result: result ?? asJson(output),
    ...(item === undefined ? {} : { item, index: number - 1 }),
  };
}
