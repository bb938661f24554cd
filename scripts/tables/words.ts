import type { Conclusion, StopReason } from "../../src/engine/run-events.ts";
import { valueNames } from "../../src/expressions/dollar-template.ts";
import { type DiagnosticCode, diagnosticCodes } from "../../src/plan/diagnostic.ts";
import { reasonWords } from "../../src/status/format.ts";
import { type StopKind, stops } from "../../src/stops/index.ts";
import { code, table } from "./markdown.ts";

type Row = readonly [Conclusion, string];

/** The reasons that stops give, and how a file asks for them. */
const stopReasons = Object.entries(stops).map(([reason, stop]): readonly [StopKind, Row] => {
  const { key, givesUp, writtenAs = "" } = stop;
  const from = key === undefined ? writtenAs : code(key.name);
  return [reason as StopKind, [givesUp ? "failure" : "success", from]];
});

const otherReasons: Readonly<Record<Exclude<StopReason, StopKind>, Row>> = {
  approved: ["success", "`approve` without text, after an iteration in which a stop condition was met"],
  "iterations-done": ["success", "`for_each`, or `on_max: succeed`"],
  completed: ["success", "a workflow without a loop that decided"],
  "nothing-to-do": ["skipped", "`check: {baseline: true}`"],
  "not-selected": ["skipped", "every `when` was false"],
  gate: ["paused", "continue with `approve` or `reject`"],
  requested: ["paused", "the comment `/workflow pause`; continue with `resume`"],
  "time-limit": ["paused", "`--max-minutes` or an interrupt; continue with `resume`"],
  "rate-limit": [
    "paused",
    "a rate limit that lasts longer than `patience`; the sweep resumes the run when the limit ends, `resume` at once",
  ],
  outage: [
    "paused",
    "an outage that lasts longer than `patience`; continue with `resume`, or let the sweep resume the run",
  ],
  "max-iterations": ["failure", "`on_max: fail`"],
  "no-progress": ["failure", "`no_progress`"],
  budget: ["failure", "`budget`, `--max-cost-usd`, `--max-tokens`"],
  "check-unevaluable": [
    "failure",
    "a missing program, a syntax error, a killed check, an expression that fails",
  ],
  tampered: ["failure", "protected files that could not be restored"],
  "agent-error": ["failure", "the agent crashed or gave no answer"],
  idle: ["failure", "no output at all for `idle_timeout`"],
  timeout: ["failure", "`timeout`"],
  "node-failed": ["failure", "a script that did not exit 0, a reference without a value, …"],
  rejected: ["failure", "`reject`"],
  internal: ["failure", "the run cannot be stored; or an error in until-green: please report it"],
  cancelled: ["cancelled", "`cancel`, or a `cancel` node"],
};

const codes: Readonly<Record<DiagnosticCode, string>> = {
  MISSING_NAME: "The workflow has no `name`.",
  NO_NODES: "The workflow has no nodes.",
  BAD_ID: "A node's `id` is missing, is too long, or contains characters that are not allowed.",
  DUPLICATE_ID: "Two nodes have the same id, or a node of a body has the id of an outer node.",
  UNKNOWN_DEPENDENCY: "`depends_on` names a node that is not in the same graph.",
  CYCLE: "Nodes depend on each other in a circle.",
  UNKNOWN_FIELD: "The key does not exist here; the message suggests a similar one.",
  DUPLICATE_KEY: "A key occurs twice in one mapping.",
  BAD_VALUE: "The value has the wrong type, is out of range, or contradicts another key.",
  BAD_YAML: "The text is not valid YAML.",
  TOO_LARGE: "The file is larger than 1 MiB.",
  UNKNOWN_DIALECT:
    "The file has none of the keys `nodes:`, `steps:`, `blocks:` and `loops:`, so its format is unknown.",
  ONE_KIND: "A node has no kind or more than one, or a loop has two bodies.",
  UNKNOWN_REFERENCE:
    "A text refers to something that does not exist, or to a node that has not ended at that point. Only a warning for an unknown `$NAME` or an undeclared input.",
  BAD_EXPRESSION: "`when` or `until_expr` does not parse.",
  LOOP_NO_STOP: "The loop has no stop condition.",
  LOOP_BLANK_STOP: "A stop condition is blank.",
  LOOP_MAX_MISSING: "`max_iterations` is missing.",
  LOOP_MAX_RANGE: "`max_iterations` is not a whole number from 1 to 10000.",
  LOOP_MODE_CONFLICT: "A key cannot be combined with `for_each`, or requires it.",
  LOOP_EMPTY_LIST: "The list of `for_each` is empty.",
  LOOP_EMPTY_BODY: "The loop repeats nothing.",
  LOOP_NESTED: "A loop is not allowed here. Does not occur in native files.",
  LOOP_SELF_REFERENCE: "Loops contain each other. Does not occur in native files.",
  LOOP_RETRY: "A loop has `retry`.",
  GATE_MESSAGE_MISSING: "An interactive loop has no `gate_message`.",
  JUDGE_UNKNOWN: "`until_agent` names no agent.",
  JUDGE_SCHEMA: "The judge's `result_schema` has no boolean `done`.",
  CARRY_SOURCE_UNKNOWN: "Carried context names a block that does not exist. Does not occur in native files.",
  UNKNOWN_AGENT: "The agent does not exist.",
  UNKNOWN_WORKFLOW: "The workflow does not exist.",
  CALL_CYCLE: "Workflows call each other.",
  CODE_REJECTED: "The code is not allowed to run. Does not occur in native files.",
  BAD_OPERATOR: "The operator does not exist. Does not occur in native files.",
  IGNORED_FIELD: "Warning: the key has no effect here.",
  INTERACTIVE_NOT_DECLARED:
    "Warning: the workflow waits for a person, but the file lacks `interactive: true`.",
  BAD_SHELL: "Bash cannot parse a script (`bash -n`, run by `check`); the line is the one that bash reports.",
  STRICT_SHELL:
    "Warning: a script of several commands, or with a pipe. It runs with `-eo pipefail`, which earlier versions did not set. `set -eo pipefail` in its first line ends the warning, `set +e +o pipefail` undoes the options.",
  SHORT_DURATION:
    "Warning: a duration without a unit is shorter than a second, because numbers are milliseconds. Write `10s` or `10m`.",
  GLOB_NO_MATCH:
    "Warning: no file matches a glob of `protect` or `allow`, so it has no effect until such files exist. The message names a similar path, if there is one.",
  LIMIT:
    "The file exceeds a limit: 20,000 nodes, calls nested 5 deep, 200 calls, 80,000 lines and brackets, 100 levels of nesting.",
};

const variables: Readonly<Record<string, string>> = {
  ARGUMENTS: "the message of the run",
  USER_MESSAGE: "the same",
  ARTIFACTS_DIR: "a folder outside the checkout for files of the run",
  STATE_DIR: "the same folder; its files are kept with the run, also on other machines",
  BASE_BRANCH: "the remote's default branch, else the checked-out branch",
  DOCS_DIR: "`docs/`",
  WORKFLOW_ID: "the run's id",
  LOOP_USER_INPUT: "the person's text at the gate before this iteration; empty otherwise",
  LOOP_PREV_OUTPUT: "the output of the previous iteration; empty in the first",
  LOOP_ITERATION: "the number of this iteration, from 1",
  LOOP_CHECK_OUTPUT:
    "why the last check failed (its exit code and the last 16 KiB of its output) or the last judge said no",
  LOOP_OUTPUT: "during a check or metric, and at a gate: the output of this iteration",
  REJECTION_REASON: "in `on_reject`: the person's reason",
  SERIES_NOTES:
    "notes by earlier runs that publish to the same branch, and by people; empty outside a series",
  SERIES_HISTORY: "what those runs did and why they ended, one line each",
  ISSUE_CONTEXT:
    "in prompts: the issue that started the run, as data; empty otherwise. If a prompt does not contain this variable, it begins with the issue",
  EXTERNAL_CONTEXT: "the same",
  CONTEXT: "the same",
};

const references: readonly (readonly [string, string])[] = [
  ["$INPUTS.name", "an input of the workflow"],
  ["$id.output", "the output of an upstream node"],
  ["$id.output.field", "one field of that output, if it is JSON or the node has an `output_format`"],
  [
    "$LOOP_PREV.id.output",
    "in a loop over `nodes`: the node's output in the previous iteration; also with `.field`",
  ],
  ["$LOOP_ITEM", "in a `for_each`: the item; also with `.field`"],
  ["$name", "with `accumulate: name` on a loop: all its outputs so far, separated by `---`"],
];

/** The reasons for the end of a run or a loop. */
export const reasonTable = (): string =>
  table(
    ["Conclusion", "Stop reason", "Meaning", "From"],
    [...stopReasons, ...Object.entries(otherReasons)]
      .toSorted(([, [a]], [, [b]]) => conclusions.indexOf(a) - conclusions.indexOf(b))
      .map(([reason, [conclusion, from]]) => [
        conclusion,
        code(reason),
        reasonWords[reason as StopReason],
        from,
      ]),
  );

const conclusions: readonly Conclusion[] = ["success", "skipped", "paused", "failure", "cancelled"];

export const codeTable = (): string =>
  table(
    ["Code", "What is wrong"],
    diagnosticCodes.map((name) => [code(name), codes[name]]),
  );

export const variableTable = (): string =>
  table(
    ["Name", "Value"],
    [
      ...valueNames.map((name) => [code(`$${name}`), meaningOf(name)]),
      ...references.map(([name, is]) => [code(name), is]),
    ],
  );

function meaningOf(name: string): string {
  const meaning = variables[name];
  if (meaning === undefined)
    throw new Error(`the variable $${name} has no description in scripts/tables/words.ts`);
  return meaning;
}
