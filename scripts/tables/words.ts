import type { Conclusion, StopReason } from "../../src/engine/told.ts";
import { valueNames } from "../../src/expr/dollar.ts";
import { type DiagnosticCode, diagnosticCodes } from "../../src/plan/diagnostic.ts";
import { reasonWords } from "../../src/report/words.ts";
import { code, table } from "./markdown.ts";

const reasons: Readonly<Record<StopReason, readonly [Conclusion, string]>> = {
  signal: ["success", "`until`"],
  "until-bash": ["success", "`until_bash`"],
  "until-field": ["success", "`until_field`"],
  expression: ["success", "`until_expr`"],
  judge: ["success", "`until_agent`"],
  answer: ["success", "`until_condition`"],
  "exit-handle": ["success", "`break_on_exit`, in files of blocks"],
  condition: ["success", "`break_condition`, in files of blocks"],
  approved: ["success", "a bare `approve` of an iteration that was done"],
  "iterations-done": ["success", "`for_each`, or `on_max: succeed`"],
  completed: ["success", "a workflow in which no loop decided"],
  "nothing-to-do": ["skipped", "`check: {baseline: true}`"],
  "not-selected": ["skipped", "every `when` was false"],
  gate: ["paused", "`approve` or `reject` goes on"],
  "time-limit": ["paused", "`--max-minutes`, or an interrupt; `resume` goes on"],
  "max-iterations": ["failure", "`on_max: fail`"],
  "no-progress": ["failure", "`no_progress`"],
  budget: ["failure", "`budget`, `--max-cost-usd`, `--max-tokens`"],
  "check-unevaluable": [
    "failure",
    "a missing program, a syntax error, a killed check, an expression that fails",
  ],
  "fail-signal": ["failure", "`fail_until`"],
  tampered: ["failure", "protected files that could not be put back"],
  "agent-error": ["failure", "the agent crashed, or gave no answer"],
  idle: ["failure", "silence for `idle_timeout`, and nothing said before it"],
  timeout: ["failure", "`timeout`"],
  "node-failed": ["failure", "a script that did not exit 0, a reference without a value, …"],
  rejected: ["failure", "`reject`"],
  internal: ["failure", "please report it"],
  cancelled: ["cancelled", "`cancel`, or a `cancel` node"],
};

const codes: Readonly<Record<DiagnosticCode, string>> = {
  MISSING_NAME: "The workflow has no `name`.",
  NO_NODES: "It has no nodes.",
  BAD_ID: "A node's `id` is missing, too long, or of other characters than allowed.",
  DUPLICATE_ID: "Two nodes bear one id, or a body's node that of an outer one.",
  UNKNOWN_DEPENDENCY: "`depends_on` names no node of the same graph.",
  CYCLE: "Nodes wait for each other.",
  UNKNOWN_FIELD: "There is no such key here; a near one is named.",
  DUPLICATE_KEY: "A key stands twice in one mapping.",
  BAD_VALUE: "The value is of the wrong kind, out of range, or does not go with its neighbours.",
  BAD_YAML: "The text is no YAML.",
  TOO_LARGE: "The file is larger than 1 MiB.",
  UNKNOWN_DIALECT:
    "No workflow language is recognised: there is no `nodes:`, `steps:`, `blocks:` or `loops:`.",
  ONE_KIND: "A node has no kind, or two; a loop has two bodies.",
  UNKNOWN_REFERENCE:
    "A text names what does not exist or is not done by then. A warning for an unknown `$NAME` or undeclared input.",
  BAD_EXPRESSION: "`when` or `until_expr` does not parse.",
  LOOP_NO_STOP: "Nothing says when the loop is done.",
  LOOP_BLANK_STOP: "A stop is there but blank.",
  LOOP_MAX_MISSING: "`max_iterations` is missing.",
  LOOP_MAX_RANGE: "`max_iterations` is not a whole number from 1 to 10000.",
  LOOP_MODE_CONFLICT: "A key that does not go with `for_each`, or goes with it only.",
  LOOP_EMPTY_LIST: "The list of `for_each` is empty.",
  LOOP_EMPTY_BODY: "The loop repeats nothing.",
  LOOP_NESTED: "A loop stands where none may; not in native files.",
  LOOP_SELF_REFERENCE: "Loops contain each other; not in native files.",
  LOOP_RETRY: "A loop has `retry`.",
  GATE_MESSAGE_MISSING: "An interactive loop has no `gate_message`.",
  JUDGE_UNKNOWN: "`until_agent` names no agent.",
  JUDGE_SCHEMA: "The judge's `result_schema` has no boolean `done`.",
  CARRY_SOURCE_UNKNOWN: "Carried context names no block; not in native files.",
  UNKNOWN_AGENT: "There is no such agent.",
  UNKNOWN_WORKFLOW: "There is no such workflow.",
  CALL_CYCLE: "Workflows call each other.",
  CODE_REJECTED: "Code that may not run; not in native files.",
  BAD_OPERATOR: "There is no such operator; not in native files.",
  IGNORED_FIELD: "Warning: the key has no effect here.",
  INTERACTIVE_NOT_DECLARED: "Warning: the file waits for a person and does not say `interactive: true`.",
  LIMIT:
    "More than is allowed: 20,000 nodes, calls 5 deep, 200 calls, 80,000 lines and brackets, nesting of 100.",
};

const variables: Readonly<Record<string, string>> = {
  ARGUMENTS: "the message of the run",
  USER_MESSAGE: "the same",
  ARTIFACTS_DIR: "a folder for files that belong to the run and not to the checkout",
  BASE_BRANCH: "the remote's default branch, else the one checked out",
  DOCS_DIR: "`docs/`",
  WORKFLOW_ID: "the run's id",
  LOOP_USER_INPUT: "what the person said at the gate before this iteration; only there",
  LOOP_PREV_OUTPUT: "the output of the iteration before; empty in the first",
  LOOP_ITERATION: "the number of this iteration, from 1",
  LOOP_CHECK_OUTPUT:
    "why the last check or judge said no: the exit code and the last 16 KiB of what it printed",
  LOOP_OUTPUT: "during a check or metric: the output of this iteration",
  REJECTION_REASON: "in `on_reject`: why the person said no",
};

const references: readonly (readonly [string, string])[] = [
  ["$INPUTS.name", "an input of the workflow"],
  ["$id.output", "the output of a node that is done by then"],
  ["$id.output.field", "one field of it, where it is JSON or the node has an `output_format`"],
  [
    "$LOOP_PREV.id.output",
    "in a loop over `nodes`: the node's output in the iteration before; also with `.field`",
  ],
  ["$LOOP_ITEM", "in a `for_each`: the item; also with `.field`"],
  ["$name", "where a loop has `accumulate: name`: all its outputs so far, `---` between them"],
];

/** What may end a run or a loop. */
export const reasonTable = (): string =>
  table(
    ["conclusion", "stop reason", "says", "from"],
    Object.entries(reasons).map(([reason, [conclusion, from]]) => [
      conclusion,
      code(reason),
      reasonWords[reason as StopReason],
      from,
    ]),
  );

export const codeTable = (): string =>
  table(
    ["code", "what is wrong"],
    diagnosticCodes.map((name) => [code(name), codes[name]]),
  );

export const variableTable = (): string =>
  table(
    ["name", "is"],
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
