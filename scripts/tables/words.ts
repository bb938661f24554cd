import type { Conclusion, StopReason } from "../../src/engine/run-events.ts";
import { valueNames } from "../../src/expressions/dollar-template.ts";
import { type DiagnosticCode, diagnosticCodes } from "../../src/plan/diagnostic.ts";
import { reasonWords } from "../../src/status/format.ts";
import { code, table } from "./markdown.ts";

const reasons: Readonly<Record<StopReason, readonly [Conclusion, string]>> = {
  signal: ["success", "`until`"],
  "until-bash": ["success", "`until_bash`"],
  "until-field": ["success", "`until_field`"],
  expression: ["success", "`until_expr`"],
  judge: ["success", "`until_agent`"],
  answer: ["success", "`until_condition`"],
  "exit-handle": ["success", "`break_on_exit`, in `blocks:` files"],
  condition: ["success", "`break_condition`, in `blocks:` files"],
  approved: ["success", "`approve` without text, after an iteration whose stop condition held"],
  "iterations-done": ["success", "`for_each`, or `on_max: succeed`"],
  completed: ["success", "a workflow in which no loop decided"],
  "nothing-to-do": ["skipped", "`check: {baseline: true}`"],
  "not-selected": ["skipped", "every `when` was false"],
  gate: ["paused", "continue with `approve` or `reject`"],
  "time-limit": ["paused", "`--max-minutes`, or an interrupt; continue with `resume`"],
  "rate-limit": [
    "paused",
    "a provider's limit that lasts longer than `patience`; the sweep resumes the run when it is over, `resume` at once",
  ],
  outage: [
    "paused",
    "a provider's outage that lasts longer than `patience`; continue with `resume`, or let the sweep do it",
  ],
  "max-iterations": ["failure", "`on_max: fail`"],
  "no-progress": ["failure", "`no_progress`"],
  budget: ["failure", "`budget`, `--max-cost-usd`, `--max-tokens`"],
  "check-unevaluable": [
    "failure",
    "a missing program, a syntax error, a killed check, an expression that fails",
  ],
  "fail-signal": ["failure", "`fail_until`"],
  tampered: ["failure", "protected files that could not be restored"],
  "agent-error": ["failure", "the agent crashed, or gave no answer"],
  idle: ["failure", "no output at all for `idle_timeout`"],
  timeout: ["failure", "`timeout`"],
  "node-failed": ["failure", "a script that did not exit 0, a reference without a value, …"],
  rejected: ["failure", "`reject`"],
  internal: ["failure", "please report it"],
  cancelled: ["cancelled", "`cancel`, or a `cancel` node"],
};

const codes: Readonly<Record<DiagnosticCode, string>> = {
  MISSING_NAME: "The workflow has no `name`.",
  NO_NODES: "The workflow has no nodes.",
  BAD_ID: "A node's `id` is missing, too long, or has characters that are not allowed.",
  DUPLICATE_ID: "Two nodes have the same id, or a node of a body has the id of an outer node.",
  UNKNOWN_DEPENDENCY: "`depends_on` names a node that is not in the same graph.",
  CYCLE: "Nodes wait for each other.",
  UNKNOWN_FIELD: "There is no such key here; a similar one is suggested.",
  DUPLICATE_KEY: "A key occurs twice in one mapping.",
  BAD_VALUE: "The value has the wrong type, is out of range, or contradicts another key.",
  BAD_YAML: "The text is not valid YAML.",
  TOO_LARGE: "The file is larger than 1 MiB.",
  UNKNOWN_DIALECT:
    "No workflow language is recognised: there is no `nodes:`, `steps:`, `blocks:` or `loops:`.",
  ONE_KIND: "A node has no kind, or two; a loop has two bodies.",
  UNKNOWN_REFERENCE:
    "A text refers to something that does not exist, or to a node that has not ended at that point. A warning for an unknown `$NAME` or undeclared input.",
  BAD_EXPRESSION: "`when` or `until_expr` does not parse.",
  LOOP_NO_STOP: "The loop has no stop condition.",
  LOOP_BLANK_STOP: "A stop condition is blank.",
  LOOP_MAX_MISSING: "`max_iterations` is missing.",
  LOOP_MAX_RANGE: "`max_iterations` is not a whole number from 1 to 10000.",
  LOOP_MODE_CONFLICT: "A key that cannot be combined with `for_each`, or needs it.",
  LOOP_EMPTY_LIST: "The list of `for_each` is empty.",
  LOOP_EMPTY_BODY: "The loop repeats nothing.",
  LOOP_NESTED: "A loop is not allowed here; not in native files.",
  LOOP_SELF_REFERENCE: "Loops contain each other; not in native files.",
  LOOP_RETRY: "A loop has `retry`.",
  GATE_MESSAGE_MISSING: "An interactive loop has no `gate_message`.",
  JUDGE_UNKNOWN: "`until_agent` names no agent.",
  JUDGE_SCHEMA: "The judge's `result_schema` has no boolean `done`.",
  CARRY_SOURCE_UNKNOWN: "Carried context names no block; not in native files.",
  UNKNOWN_AGENT: "There is no such agent.",
  UNKNOWN_WORKFLOW: "There is no such workflow.",
  CALL_CYCLE: "Workflows call each other.",
  CODE_REJECTED: "Code that is not allowed to run; not in native files.",
  BAD_OPERATOR: "There is no such operator; not in native files.",
  IGNORED_FIELD: "Warning: the key has no effect here.",
  INTERACTIVE_NOT_DECLARED: "Warning: the file waits for a person and does not say `interactive: true`.",
  BAD_SHELL: "Bash cannot parse a script (`bash -n`, run by `check`); the line is the one that bash reports.",
  SHORT_DURATION:
    "Warning: a duration without a unit is under a second; numbers are milliseconds. Write `10s` or `10m`.",
  LIMIT:
    "More than is allowed: 20,000 nodes, calls 5 deep, 200 calls, 80,000 lines and brackets, nesting of 100.",
};

const variables: Readonly<Record<string, string>> = {
  ARGUMENTS: "the message of the run",
  USER_MESSAGE: "the same",
  ARTIFACTS_DIR: "a folder for files of the run that are not part of the checkout",
  STATE_DIR: "the same folder: its files are kept with the run, on other machines too",
  BASE_BRANCH: "the remote's default branch, else the one checked out",
  DOCS_DIR: "`docs/`",
  WORKFLOW_ID: "the run's id",
  LOOP_USER_INPUT: "the person's text at the gate before this iteration; empty otherwise",
  LOOP_PREV_OUTPUT: "the output of the previous iteration; empty in the first",
  LOOP_ITERATION: "the number of this iteration, from 1",
  LOOP_CHECK_OUTPUT: "why the last check or judge said no: the exit code and the last 16 KiB of its output",
  LOOP_OUTPUT: "during a check or metric: the output of this iteration",
  REJECTION_REASON: "in `on_reject`: the person's reason",
  SERIES_NOTES:
    "notes by earlier runs that publish to the same branch, and by people; empty outside a series",
  SERIES_HISTORY: "what those runs did and why they ended, one line each",
  ISSUE_CONTEXT:
    "in prompts: the issue that the run was started from, as data; empty otherwise. A prompt without it begins with the issue",
  EXTERNAL_CONTEXT: "the same",
  CONTEXT: "the same",
};

const references: readonly (readonly [string, string])[] = [
  ["$INPUTS.name", "an input of the workflow"],
  ["$id.output", "the output of an upstream node"],
  ["$id.output.field", "one field of it, if it is JSON or the node has an `output_format`"],
  [
    "$LOOP_PREV.id.output",
    "in a loop over `nodes`: the node's output in the previous iteration; also with `.field`",
  ],
  ["$LOOP_ITEM", "in a `for_each`: the item; also with `.field`"],
  ["$name", "with `accumulate: name` on a loop: all its outputs so far, separated by `---`"],
];

/** What may end a run or a loop. */
export const reasonTable = (): string =>
  table(
    ["Conclusion", "Stop reason", "Meaning", "From"],
    Object.entries(reasons).map(([reason, [conclusion, from]]) => [
      conclusion,
      code(reason),
      reasonWords[reason as StopReason],
      from,
    ]),
  );

export const codeTable = (): string =>
  table(
    ["Code", "What is wrong"],
    diagnosticCodes.map((name) => [code(name), codes[name]]),
  );

export const variableTable = (): string =>
  table(
    ["Name", "Value"],
    [
      ...valueNames.map((name) => [code(`$${name}`), wordsFor(name)]),
      ...references.map(([name, is]) => [code(name), is]),
    ],
  );

function wordsFor(name: string): string {
  const words = variables[name];
  if (words === undefined)
    throw new Error(`the variable $${name} has no description in scripts/tables/words.ts`);
  return words;
}
