import type * as schema from "../../src/dialects/native/schema.ts";
import { stopKeys } from "../../src/stops/index.ts";
import { forms } from "../../src/stops/stop-key.ts";
import { duration, type Key, text, type Words } from "./key.ts";
import { valuesOf } from "./markdown.ts";

const formWords: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [forms.shell, "bash"],
  [forms.expression, "CEL"],
  [forms.judge, "agent"],
]);

const stops: object = Object.fromEntries(
  stopKeys.map(({ name, meaning, holds }): readonly [string, Key] => [
    name,
    { what: meaning, values: formWords.get(holds) ?? valuesOf(holds) },
  ]),
);

/** What the keys of `loop:` mean. */
export const loop: Words<typeof schema.loopFields> = {
  prompt: "The body: one agent call in each iteration, with this text.",
  command: "The body: one agent call, with the text of the command file of this name.",
  nodes: { what: "The body: a graph of nodes, run in each iteration.", values: "list of nodes" },
  workflow: "The body: another workflow, which runs to its end in each iteration.",
  with: "The inputs of that workflow, by name.",
  message: "The message to that workflow; default is the run's own.",
  ...stops,
  until_form: {
    what: "Which forms of a signal count: only a `tag`, or `any` form (plain words too).",
    fallback: "any",
  },
  until_mode: {
    what: "`any`: one stop condition is enough. `all`: all must be met in the same iteration.",
    fallback: "any",
  },
  no_verdict: {
    what: "If a judge or a question gives no answer: `fail` the loop, or `continue` it (a judge is asked once more first).",
    fallback: "fail",
  },
  judge_sees:
    "What `until_agent` sees: the `last` iteration, or `all` of them. By default it sees the goal, the diff, the tests before and now, and the check's output.",
  max_iterations: {
    what: "**Required** (not with `for_each`). Maximum number of iterations.",
    values: "1 … 10000",
  },
  on_max: { what: "The result if all iterations ran and no stop condition was met.", fallback: "fail" },
  on_error: {
    what: "When an iteration fails: `fail` the loop, `continue` with the next one, `forget` it (continue as if it had not run: the previous output stays that of the iteration before it), or `retry` it.",
    fallback: "fail",
  },
  retries: { what: "With `on_error: retry`: how often one iteration is retried.", fallback: 1 },
  retry_delay: { what: "With `on_error: retry`: the delay between attempts.", values: duration },
  fresh_context: {
    what: "`true`: every iteration is a new conversation. `false`: one conversation continues.",
    fallback: false,
  },
  interactive: { what: "Pause for a person after each iteration; see [Gates](#gates).", fallback: false },
  gate_message: { what: "Required with `interactive`: the question to the person.", values: text },
  signal_completes: {
    what: "With `interactive`: a stop condition that is met ends the loop at once; with `false` the person is asked first.",
    fallback: true,
  },
  for_each: {
    what: "Run the body once for each item instead of until a stop.",
    values: "list, `$id.output`, or CEL",
  },
  max_concurrency: {
    what: "Maximum number of items (with `for_each`) or attempts (with `attempts`) that run in parallel.",
    fallback: 1,
  },
  isolation: {
    what: "With `for_each`: all items run in the `shared` checkout, or each in its own git `worktree`, which is merged afterwards.",
    fallback: "shared",
  },
  spread:
    "With `for_each: $INPUTS.name`: `command: plan` divides the list among the jobs of a matrix. Without `plan`, one machine runs the whole list.",
  batch: {
    what: "With `spread`: the number of items per job. By default the smallest number for which 256 jobs are enough.",
    values: "1 … 1000",
  },
  max_parallel: {
    what: "With `spread`: maximum number of jobs that run at the same time.",
    values: "1 … 256",
  },
  attempts: {
    what: "Makes this many independent attempts at the loop and keeps the best one. As a mapping: `count`, `agents`, `models`, `first_green`, `pick`; see [Several attempts](loop-reference.md#several-attempts).",
    values: "2 … 20 or mapping",
  },
  escalate: {
    what: "The `agent`, the `model`, or both that take over `after` this many iterations without progress, or as many failed runs in a row (default 2); see [below](#checks).",
    values: "mapping",
  },
  delay: { what: "Delay before each iteration except the first.", values: duration },
  time_limit: { what: "Time limit for all iterations together.", values: duration },
  restarts: "How many times a failed loop starts again from its first iteration.",
  restart_delay: { what: "With `restarts`: the delay before it starts again.", values: duration },
  output: {
    what: "The node's output: that of the `last` iteration, those of all iterations (`cumulative`), or all messages of its nodes and its judge, under headings (`transcript`).",
    fallback: "last",
  },
  accumulate: {
    what: "The name of a variable that contains the outputs of all iterations so far.",
    values: "name",
  },
  check: { what: "How `until_bash` runs; see [the table below](#checks).", values: "mapping" },
  protect: {
    what: "Paths that the agent may not change. They are restored before each check.",
    values: "list of globs",
  },
  allow: {
    what: "With `until_bash`: paths that the agent may change, although they are tests or configure the check's tools.",
    values: "list of globs",
  },
  on_protected_change: {
    what: "What happens when the agent has changed protected files. `restore`: they are restored. `gate`: they are restored, and a person sees the changes and may approve them.",
    fallback: "restore",
  },
  review: {
    what: "With `until_bash`: before the loop ends as done, an agent is asked whether the change makes the tests pass honestly. If not, the loop continues.",
    fallback: false,
  },
  no_progress: {
    what: "Give up after this many iterations in a row with the same failing tests (`same_failure`), or with neither a new change nor a new failure (`no_change`). A number sets both.",
    values: "number or mapping",
  },
  keep: {
    what: "`best`: restore the workspace of the best iteration by `metric`.",
    fallback: "last",
  },
  metric: { what: "With `keep: best`: a script whose last line is a number.", values: "bash" },
  direction: {
    what: "With `keep: best`: whether the highest (`max`) or the lowest (`min`) number is best.",
    fallback: "max",
  },
};
