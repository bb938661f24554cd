import { issueNames } from "../expressions/dollar-template.ts";
import { asText, jsonOrText, readField } from "../expressions/output-value.ts";
import { type Scope, UnresolvedError } from "../expressions/scope.ts";
import type { Binding, Reference } from "../expressions/template.ts";
import { inputVariable } from "../expressions/variables.ts";
import type { Json } from "../ports/json.ts";
import { issueBlock } from "./background-text.ts";
import type { ExecutionContext, LoopFrame } from "./execution-context.ts";
import { loopValue } from "./loop-values.ts";
import type { Outcome } from "./outcome.ts";
import { readSequenceState } from "./sequence-state.ts";

/** What references and names mean at a place of a run. */
export function scopeAt(context: ExecutionContext): Scope {
  return {
    text: (reference) => textOf(reference, context),
    value: (reference) => valueAt(reference, context),
    get names() {
      return namesAt(context);
    },
    bound: (binding) => resolveBinding(binding, context),
    environment: () => ({ ...inputValues(context), ...runValues(context), ...frameValues(context.frame) }),
  };
}

function valueAt(reference: Reference, context: ExecutionContext): Json {
  if (reference.ref === "shared") return readSequenceState(reference, context) ?? null;
  if (reference.ref === "item" && reference.field === undefined) return itemFrame(context.frame)?.item ?? "";
  return jsonOrText(textOf(reference, context));
}

function textOf(reference: Reference, context: ExecutionContext): string {
  switch (reference.ref) {
    case "value":
      return named(reference.name, context);
    case "input": {
      const { name, otherwise } = reference;
      const input = Object.hasOwn(context.inputs, name) ? context.inputs[name] : otherwise;
      if (input === undefined) {
        throw new UnresolvedError(
          `input ${reference.name} was not set: pass -i ${reference.name}=… or give it a default under inputs`,
        );
      }
      return input;
    }
    case "output":
      return outputOf(context.outcome(reference.node), `$${reference.node}.output`, reference);
    case "previous": {
      const outcome = previousOutcome(context.frame, reference.node);
      return outputOf(outcome, `$LOOP_PREV.${reference.node}.output`, reference);
    }
    case "item":
      return itemText(context.frame, reference.field);
    case "shared":
      return asText(readSequenceState(reference, context) ?? "");
  }
}

function outputOf(
  outcome: Outcome | undefined,
  name: string,
  { node, field, otherwise, undeclared }: Omit<Extract<Reference, { ref: "output" }>, "ref">,
): string {
  if (otherwise !== undefined && (outcome === undefined || outcome.status === "skipped")) return otherwise;
  if (outcome === undefined) return "";
  if (outcome.status === "completed") {
    const { output, result } = outcome;
    if (field === undefined) return output;
    // A missing value of a declared field is empty text; of an undeclared one, an error.
    return undeclared
      ? readField(asText(result ?? output), undefined, field)
      : readField(output, result, field);
  }
  if (outcome.status === "failed") {
    throw new UnresolvedError(`${name} cannot be read: ${node} failed (${outcome.because})`);
  }
  if (field === undefined) return "";
  throw new UnresolvedError(`${name}.${field} cannot be read: ${node} was ${outcome.status}`);
}

/** The previous iteration of the innermost loop whose body contains the node; `undefined` in the first. */
function previousOutcome(frame: LoopFrame | undefined, node: string): Outcome | undefined {
  for (let outer = frame; outer !== undefined; outer = outer.outer) {
    const outcome = outer.previousOutcomes.get(node);
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

/** The innermost loop frame of a for-each. */
function itemFrame(frame: LoopFrame | undefined): LoopFrame | undefined {
  let outer = frame;
  while (outer !== undefined && outer.item === undefined) outer = outer.outer;
  return outer;
}

function itemText(frame: LoopFrame | undefined, field: string | undefined): string {
  const item = itemFrame(frame)?.item ?? "";
  if (field !== undefined) return readField(asText(item), item, field);
  return asText(item);
}

function named(name: string, context: ExecutionContext): string {
  const value =
    frameValues(context.frame)[name] ??
    runValues(context)[name] ??
    loopValue(name, context) ??
    issueValue(name, context);
  if (value !== undefined) return value;
  for (let frame = context.frame; frame !== undefined; frame = frame.outer) {
    const accumulated = frame.accumulated[name];
    if (accumulated !== undefined) return accumulated;
  }
  return context.published(name) ?? "";
}

const issueValue = (name: string, { facts: { issue } }: ExecutionContext): string | undefined =>
  issue !== undefined && issueNames.includes(name) ? issueBlock(issue) : undefined;

/** Environment variables with the inputs, under Archon's names, for shells and programs. */
const inputValues = ({ inputs }: ExecutionContext): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(inputs).map(([name, value]) => [inputVariable(name), value]));

function runValues({ facts, message, rejection }: ExecutionContext): Readonly<Record<string, string>> {
  return {
    USER_MESSAGE: message,
    ARGUMENTS: message,
    WORKFLOW_ID: facts.run,
    ARTIFACTS_DIR: facts.artifacts,
    STATE_DIR: facts.artifacts,
    BASE_BRANCH: facts.base_branch,
    DOCS_DIR: facts.docs_dir,
    REJECTION_REASON: rejection ?? "",
    SERIES_NOTES: facts.series?.notes ?? "",
    SERIES_HISTORY: facts.series?.history ?? "",
  };
}

function frameValues(frame: LoopFrame | undefined): Readonly<Record<string, string>> {
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

function namesAt({ frame }: ExecutionContext): Readonly<Record<string, Json>> {
  if (frame === undefined) return {};
  const { number, previous, output = "", result } = frame;
  const outer = itemFrame(frame);
  return {
    iteration: number,
    previous,
    output,
    result: result ?? jsonOrText(output),
    ...(outer?.item === undefined ? {} : { item: outer.item, index: outer.number - 1 }),
  };
}

/** The value of a name bound by an expression, at a place of a run; `undefined` if it has none. */
function resolveBinding(binding: Binding, context: ExecutionContext): Json | undefined {
  const { frame } = context;
  switch (binding.of) {
    case "iteration":
      return frame === undefined || frame.item !== undefined ? undefined : frame.number - 1 + binding.from;
    case "item":
      return frame?.item;
    case "index":
      return frame?.item === undefined ? undefined : frame.number - 1;
    case "nodes":
      return Object.fromEntries(
        binding.ids.flatMap((id) => {
          const outcome = context.outcome(id);
          return outcome === undefined ? [] : [[id, shown(outcome)] as const];
        }),
      );
    case "content":
    case "result":
    case "status":
      return (iterationOf(frame) ?? nodeOf(binding.nodes, context))?.[binding.of];
  }
}

/** An outcome as expressions see it. */
type OutcomeFields = Readonly<Record<"content" | "result" | "status", Json>>;

function shown(outcome: Outcome): OutcomeFields {
  const content = "output" in outcome ? outcome.output : "";
  const result = outcome.status === "completed" ? outcome.result : undefined;
  return { content, result: result ?? {}, status: outcome.status };
}

/** The iteration that has just ended, else the previous one. */
function iterationOf(frame: LoopFrame | undefined): OutcomeFields | undefined {
  const { output, result } = frame?.output === undefined ? (frame?.last ?? {}) : frame;
  return output === undefined ? undefined : { content: output, result: result ?? {}, status: "completed" };
}

/** The last node that completed. */
function nodeOf(ids: readonly string[], context: ExecutionContext): OutcomeFields | undefined {
  const outcomes = ids.flatMap((id) => context.outcome(id) ?? []);
  const last = outcomes.findLast(({ status }) => status === "completed");
  return last && shown(last);
}
