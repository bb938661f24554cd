import { expect, test } from "vitest";
import { compile } from "../../src/compile/compile.ts";
import { noFiles } from "./native/files.ts";

const native = (node: string, head = "name: w") => `${head}\nnodes:\n  - ${node}\n`;
const loop = (...fields: string[]) => native(`{id: a, loop: {prompt: p, ${fields.join(", ")}}}`);
const steps = (...list: string[]) =>
  `name: w\nagents: {coder: {description: d}}\nsteps:\n${list.map((it) => `  - ${it}\n`).join("")}`;
const loops = (list: string) => `$schema: workflow/v2.0\nname: w\nsteps:\n  - ${list}\n`;
const block = (fields: string, workflow = "name: w, entry: a") =>
  `blocks:\n  a: {${fields}}\nsouls: {s: {id: s, system_prompt: x}}\nworkflow: {${workflow}}\n`;
const yaml = (line: string) => `name: w\nnodes:\n  - id: a\n    ${line}\n`;

/** What is wrong, the file, and where it is told with which words in its hint. */
type Wrong = readonly [wrong: string, text: string, expected: string];

const refining = "loops:\n  - {name: go, workflow: c, max_iterations: 2, until: x}\n";

const values: readonly Wrong[] = [
  ["an empty node", "name: w\nnodes:\n  -\n  - {id: a, bash: b}\n", "3:3 remove it"],
  ["text where a node belongs", native("fix it"), "3:5 `key: value`"],
  ["no nodes", "name: w\nnodes:\n", "2:1 `- id: fix`"],
  ["a word of a list", native("{id: a, bash: b, trigger_rule: all_sucess}"), "3:36 `all_success`"],
  ["a number where text belongs", native("{id: a, bash: 7}"), '3:19 in quotes: "7"'],
  ["a number as an id", native("{id: 7, bash: b}"), '3:10 in quotes: "7"'],
  ["a number as a name of mcp-cli", loops("{name: 7, run: p}"), '4:12 in quotes: "7"'],
  ["a blank that is no space", "name: w\nnodes:\n  - id: a\n\u00a0   bash: b\n", "4:1 U+00A0"],
  ["an invisible character", native('{id: "a\u200b", bash: b}'), "3:10 U+200B"],
  ["a truth where text belongs", native("{id: a, prompt: p, when: true}"), '3:30 in quotes: "true"'],
  ["text where a list belongs", native("{id: a, bash: b, depends_on: a}"), "3:34 [a]"],
  ["a mapping where a list belongs", "name: w\nnodes:\n  a: {bash: b}\n", "3:3 `- `"],
  ["a truth in quotes", native("{id: a, bash: b}", 'name: w\ninteractive: "yes"'), "2:14 without quotes"],
  ["a mapping among texts", native("{id: a, prompt: p, skills: [{}]}"), "3:33 `- some text`"],
  ["an event of hooks", native("{id: a, prompt: p, hooks: {PreToolUs: []}}"), "3:31 `PreToolUse`"],
  [
    "an event that no agent has",
    native("{id: a, prompt: p, hooks: {OnCall: []}}"),
    "3:31 One of PreToolUse,",
  ],
  ["a misspelled level of effort", native("{id: a, prompt: p, effort: hihg}"), "3:32 `high`"],
  [
    "a level that nobody knows",
    native("{id: a, prompt: p}", "name: w\neffort: 7x"),
    "2:9 `effort: persistent`",
  ],
  [
    "a level of a named agent",
    native("{id: a, prompt: p}", "name: w\nagents: {x: {agent: claude, effort: mediun}}"),
    "2:37 `medium`",
  ],
  ["a kind of search", native("{id: a, prompt: p, webSearchMode: lvie}"), "3:39 `live`"],
  ["an empty list of skills", native("{id: a, prompt: p, skills: []}"), "3:24 at least one entry"],
  ["an empty mapping of sub-agents", native("{id: a, prompt: p, agents: {}}"), "3:24 at least one entry"],
  ["text where a mapping belongs", native("{id: a, bash: b}", "name: w\ninputs: x"), "2:9 `key: value`"],
  [
    "a mapping where a number belongs",
    loop("until: X", "max_iterations: 3, no_progress: []"),
    "3:73 `no_progress: 1`",
  ],
  ["a key in a mapping of one", loop("until: X", "max_iterations: 3, no_progress: {x: 1}"), "3:73 Remove it"],
  [
    "a rejection without a prompt",
    native("{id: a, approval: {message: m, on_reject: {}}}"),
    "3:36 `prompt:`",
  ],
  ["a metric that is not used", loop("until: X", "max_iterations: 3, metric: wc"), "3:60 Add `keep: best`"],
  ["an undeclared input", native("{id: a, prompt: $INPUTS.x}"), "3:21 `x: {}` under `inputs:`"],
  [
    "a version of mcp-cli",
    `$schema: workflow/v1\nname: w\nsteps: []\n${refining}`,
    "1:10 `$schema: workflow/v2.0`",
  ],
  [
    "a loop of mcp-cli without a workflow",
    "name: w\nloops:\n  - {name: go, max_iterations: 2, until: x}\n",
    "3:5 `workflow:`",
  ],
  [
    "no agents in a file of zenflow",
    "name: w\nagents: {}\nsteps:\n  - {id: a, agent: x, instructions: p}\n",
    "4:20 under `agents:`",
  ],
  [
    "a bracket of code that is not closed",
    block("type: code, code: 'def main(data): return {'"),
    "2:49 Close it",
  ],
  ["a block without its type", block("soul_ref: s"), "2:3 `type:`"],
  ["a block as text", "blocks: {a: x}\nworkflow: {name: w, entry: a}\n", "1:13 `key: value`"],
  [
    "an unknown block",
    block("type: linear, soul_ref: s", "name: w, entry: a, transitions: [{from: a, to: zz}]"),
    "4:59 The blocks here: a",
  ],
  [
    "two ways to reject",
    native("{id: a, approval: {message: m, decisions: [{id: approve}], on_reject: {prompt: p}}}"),
    "3:36 Remove one",
  ],
  [
    "decisions without approval",
    native("{id: a, approval: {message: m, decisions: [{id: b}]}}"),
    "3:36 `[{id: approve}",
  ],
  ["one word for two ends", loop("until: X", "fail_until: X, max_iterations: 2"), "3:53 another word"],
  ["no attempts", loop("until: X", "attempts: {}, max_iterations: 2"), "3:51 `attempts: 3`"],
  [
    "no agent to escalate to",
    loop("until: X", "escalate: {after: 2}, max_iterations: 2"),
    "3:51 Add one of them",
  ],
  [
    "a judge's key without a judge",
    loop("until: X", "judge_sees: all, max_iterations: 2"),
    "3:41 `until_agent:`",
  ],
  [
    "nobody to ask",
    loops("{name: a, consensus: {prompt: p, executions: [], require: majority}}"),
    "4:50 `executions: [",
  ],
  ["an empty model", native("{id: a, prompt: p, model: ''}"), "3:31 Write a model"],
  ["an empty model to fall back on", native("{id: a, prompt: p, fallbackModel: ''}"), "3:39 Give it a value"],
  ["an empty path", native("{id: a, prompt: p, mcp: ''}"), "3:29 Give it a value"],
  ["a blank script", native("{id: a, bash: ''}"), "3:19 remove the node"],
  ["a blank prompt", native("{id: a, prompt: ' '}"), "3:21 what the agent shall do"],
  ["a command with its folder", native("{id: a, command: commands/plan.md}"), "3:22 without its folder"],
  ["a workflow above the folder", native("{id: a, workflow: ../up}"), "3:23 without `..`"],
  ["a blank event", native("{id: a, wait: {event: ''}}"), "3:27 what the node waits for"],
  [
    "a variable with a hyphen",
    loop("until: X", "max_iterations: 3, accumulate: a-b"),
    "3:72 letters, digits and _",
  ],
  [
    "a variable of mcp-cli in braces",
    loops("{name: a, loop: {workflow: w, max_iterations: 2, until: x, accumulate: '{a}'}}"),
    "4:76 without braces",
  ],
  [
    "an input with a space",
    native("{id: a, bash: b}", "name: w\ninputs: {a b: {}}"),
    "2:10 letters, digits, _ and -",
  ],
  ["a number in quotes", native("{id: a, bash: b}", 'name: w\nbudget: {usd: "5"}'), "2:15 out: 5"],
  ["a limit in quotes", loop("until: X", 'max_iterations: "3"'), "3:57 out: 3"],
  ["a time without a unit", native("{id: a, bash: b, timeout: 10}"), "3:31 `10s`, `10m`"],
  ["digits as a time", native("{id: a, bash: b, timeout: '600'}"), "3:31 `600s`, `600m`"],
  [
    "a check's time without a unit",
    loop("until_bash: b", "max_iterations: 3, check: {timeout: 90}"),
    "3:82 `90s`",
  ],
  ["a pause without a unit", loop("until: X", "max_iterations: 3, delay: 5"), "3:67 `5s`"],
  ["a time of mcp-cli without a unit", loops("{name: a, run: p, timeout: 30}"), "4:32 `30s`"],
  ["a limit of steps", steps('{id: a, agent: coder, loop: {maxIterations: "3"}}'), "4:49 out: 3"],
  ["a limit of rounds", block('type: loop, inner_block_refs: [a], max_rounds: "3"'), "2:54 out: 3"],
];

const words: readonly Wrong[] = [
  ["the key of a language", "name: w\nnode:\n  - {id: a, bash: b}\n", "2:1 `nodes` instead of `node`"],
  ["loops that are no list", "loops: {name: a}\n", "1:1 `loops` is a list"],
  ["instructions of a native node", native("{id: a, instructions: p}"), "3:13 Here it is `prompt`"],
  ["a prompt of a step", steps("{id: a, agent: coder, prompt: p}"), "4:27 Here it is `instructions`"],
  ["what a step of loops waits for", loops("{name: a, run: p, depends_on: []}"), "4:23 `needs`"],
  ["the rounds of a native loop", loop("until: X", "max_rounds: 3"), "3:41 `max_iterations`"],
  ["a field of a step", steps("{id: a, condition: steps.a.conten == 'x'}"), "4:32 `content`"],
  [
    "a field that no step has",
    steps("{id: a, condition: steps.a.output == 'x'}"),
    "4:32 A step has content, result and status",
  ],
  [
    "a field that an answer does not have",
    `${native("{id: a, prompt: p, output_format: {properties: {title: {}}}}")}  - {id: b, depends_on: [a], prompt: $a.output.titel}\n`,
    "4:38 `title`",
  ],
  [
    "the name of an include",
    "name: w\nincludes: {build: b.yaml}\nsteps: [{id: a, include: biuld}]\n",
    "3:26 `build`",
  ],
  [
    "a template of mcp-cli's first version",
    "name: w\nconfig: {defaults: {provider: openai}}\nsteps:\n  - {name: a, prompt: p, output: x}\n",
    "2:1 workflow/v2.0",
  ],
  ["Archon's steps of old", "name: w\nsteps:\n  - {id: a, command: plan}\n", "3:13 `nodes:`"],
  [
    "an exit by which nothing in the loop leaves",
    block("type: linear, soul_ref: s", "name: w, entry: l").replace(
      "souls:",
      "  l: {type: loop, inner_block_refs: [a], break_on_exit: eror}\nsouls:",
    ),
    "3:57 `error`",
  ],
  [
    "a soul with another id than its key",
    block("type: linear, soul_ref: s").replace("id: s,", "id: soul_1,"),
    "3:17 `id: s`, or name it `soul_1`",
  ],
  ["an entry's key", block("type: linear, soul_ref: s", "name: w, entri: a"), "4:21 `entry`"],
  [
    "a step outside of the loop",
    steps("{id: a}", "{id: b, loop: {maxIterations: 2, steps: [{id: c, dependsOn: [a]}]}}"),
    "5:66 `a` is outside this loop",
  ],
  [
    "a step inside of a loop",
    steps("{id: b, loop: {maxIterations: 2, steps: [{id: c}]}}", "{id: a, dependsOn: [c]}"),
    "5:25 `c` is inside `b`",
  ],
  ["a key like no other", native("{id: a, bash: b, colour: red}"), "3:22 Keys here: id, "],
  ["the words of another key", loop("until_expression: x", "max_iterations: 3"), "3:31 `until_expr`"],
  ["the language of an expression", loop("until_cel: x", "max_iterations: 3"), "3:31 `until_expr`"],
  [
    "a loop of mcp-cli that a step does not wait for",
    `name: w\nsteps:\n  - {name: a, run: "{{loop.output}}"}\n${refining}`,
    "3:21 `needs: [go]`",
  ],
  [
    "a loop at the top",
    "name: w\nloop: {prompt: p, until_bash: b}\n",
    "2:1 A loop is a node: write `nodes:`",
  ],
  ["a prompt at the top", "name: w\nprompt: p\n", "2:1 A loop is a node: write `nodes:`"],
  [
    "nothing after a key",
    native("{id: a, loop: {prompt: , until: X, max_iterations: 3}}"),
    "3:20 It is empty",
  ],
  ["a list instead of text", native("{id: a, bash: [b]}"), "3:19 One text"],
  [
    "a pattern instead of a list",
    loop("until: X", "max_iterations: 3, protect: test/**"),
    '3:69 ["test/**"]',
  ],
  [
    "a gate's text without a gate",
    loop("until: X", "max_iterations: 3", "gate_message: m"),
    "3:60 interactive: true",
  ],
];

const unreadable: readonly Wrong[] = [
  ["a colon in plain text", yaml("prompt: Fix this: now"), "4:21 colon"],
  ["text after a quote", yaml("when: \"$a.output\" == 'x'"), "4:23 closing quote"],
  ["an apostrophe in single quotes", yaml("bash: 'don't'"), "4:16 closing quote"],
  ["text after braces", yaml("prompt: {{input}} please"), "4:23 closing bracket"],
  ["braces alone", yaml("prompt: {{input}}"), "4:14 begins with `{`"],
  ["a star at the start", yaml("bash: *.ts"), "4:11 begins with `*`"],
  ["an at-sign at the start", yaml("prompt: @x"), "4:13 quote it"],
  ["a quote that never ends", yaml('bash: "b'), "4:11 Add the missing"],
  ["a backslash in double quotes", yaml('bash: "grep \\d"'), "4:17 single quotes"],
  ["text beside the sign of a block", yaml("bash: | echo"), "4:13 line below"],
  ["a block that is not indented", `${yaml("bash: |")}    echo hi\n`, "5:5 indented further"],
  [
    "a line of a block that is indented less than its key",
    `${yaml("bash: |")}      python3 -c "\nimport os\n"\n`,
    "6:1 this line ends the block above",
  ],
  ["a tab in a block", `${yaml("bash: |")}      if true; then\n\techo\n      fi\n`, "6:1 Indent with spaces"],
  ["braces in plain text between braces", native("{id: a, prompt: say {{input}}}"), "3:25 quote text"],
  ["a tab", "name: w\nnodes:\n\t- {id: a, bash: b}\n", "3:1 spaces"],
  ["a key out of its column", `${yaml("bash: b")}   retry: {}\n`, "5:4 same column"],
  [
    "a key less indented than its siblings",
    "name: w\nnodes:\n  - id: a\n    loop:\n      prompt: p\n     until: X\n",
    "6:6 same column",
  ],
  ["two documents", `${yaml("bash: b")}---\nname: v\n`, "6:1 Put each one into a separate file"],
  ["a key without a blank", "name:w\nnodes:\n  - {id: a, bash: b}\n", "1:1 colon and a space"],
];

test.each([...values, ...words, ...unreadable])("%s is reported with its remedy", (_, text, expected) => {
  const compiled = compile({ text, file: "w.yml" }, noFiles);
  const all = compiled.ok ? compiled.warnings : compiled.diagnostics;
  const [place = "", ...parts] = expected.split(" ");
  const here = all.filter((it) => `${it.line}:${it.column}` === place).map(({ hint }) => hint);
  expect(here).toContainEqual(expect.stringContaining(parts.join(" ")));
});

test("a duration in milliseconds gets a hint, and a duration with a unit gets none", () => {
  const warned = (timeout: string) => {
    const compiled = compile(
      { text: native(`{id: a, bash: b, timeout: ${timeout}}`), file: "w.yml" },
      noFiles,
    );
    return (compiled.ok ? compiled.warnings : compiled.diagnostics).map(
      ({ code, message }) => `${code} ${message}`,
    );
  };
  expect(warned("10")).toEqual(["SHORT_DURATION `timeout: 10` means 10 milliseconds."]);
  expect(["10ms", "10s", "1000", "'30000'"].flatMap(warned)).toEqual([]);
});

const until = "prompt: p, until: X, max_iterations: 2";

test.each([
  [
    `{id: a, loop: {${until}, no_progress: []}}`,
    "`nodes[0].loop.no_progress` must be a number or a mapping.",
  ],
  ["{id: a, prompt: p, context: new}", "`nodes[0].context` must be `fresh`, `shared` or a mapping."],
])("the error for a value of several possible types lists all of them: %s", (node, expected) => {
  const compiled = compile({ text: native(node), file: "w.yml" }, noFiles);
  expect(compiled.ok ? [] : compiled.diagnostics.map(({ message }) => message)).toContain(expected);
});

test.each([
  [
    native("{id: a, bash: b}", "name: w\nbudget: {usd: 5, warn_at: {usd: x}}"),
    "2:33 `budget.warn_at.usd` must be a number.",
  ],
  [
    native(`{id: a, loop: {${until}, attempts: {agents: [7, 8]}}}`),
    "3:80 `nodes[0].loop.attempts.agents[0]` must be text.",
  ],
  [
    native(`{id: a, loop: {${until}, no_progress: 0}}`),
    "3:73 `nodes[0].loop.no_progress` must be at least 1.",
  ],
  [
    native("{id: a, bash: b}", "name: w\nprices: {m: {input: 1, output: 2, cash: 3}}"),
    "2:13 `prices.m` has no key `cash`.",
  ],
])("the error inside a value of several possible types is reported where it is: %s", (text, expected) => {
  const compiled = compile({ text, file: "w.yml" }, noFiles);
  const diagnostics = compiled.ok ? [] : compiled.diagnostics;
  expect(diagnostics.map(({ line, column, message }) => `${line}:${column} ${message}`)).toContain(expected);
});

test("a mistyped stop is one fault", () => {
  const compiled = compile({ text: loop("until_bsh: x", "max_iterations: 3"), file: "w.yml" }, noFiles);
  expect(compiled.ok ? [] : compiled.diagnostics.map(({ code }) => code)).toEqual(["UNKNOWN_FIELD"]);
});

test("what is missing at an approval hides nothing else of it", () => {
  const text = native(
    "{id: a, approval: {on_reject: {promt: x, max_attempts: 100}}}",
    "name: w\ninteractive: true",
  );
  const compiled = compile({ text, file: "w.yml" }, noFiles);
  expect(compiled.ok ? [] : compiled.diagnostics.map(({ code }) => code)).toEqual([
    "BAD_VALUE",
    "BAD_VALUE",
    "UNKNOWN_FIELD",
    "BAD_VALUE",
  ]);
});

const endless = "x".repeat(300_000);

test.each([
  ["an id", native(`{id: ${endless}, bash: b, depends_on: [${endless}y]}`)],
  ["a key", native(`{id: a, bash: b, ? ${endless} : 1}`)],
  ["a name in a text", native(`{id: a, prompt: $${endless}.output and $${endless}}`)],
  ["an agent", native("{id: a, prompt: p}", `name: w\nagent: ${endless}`)],
  ["a workflow", native(`{id: a, workflow: ${endless}}`)],
  ["an agent of steps", steps(`{id: a, agent: ${endless}, condition: "steps.${endless}.content == 1"}`)],
  [
    "an operator",
    block(`type: loop, inner_block_refs: [a], break_condition: {eval_key: k, operator: ${endless}}`),
  ],
  ["a name in braces", loops(`{name: a, run: "{{${endless}}}"}`)],
])("%s without end is reported in a line", (_, text) => {
  const compiled = compile({ text, file: "w.yml" }, noFiles);
  const all = compiled.ok ? compiled.warnings : compiled.diagnostics;
  expect(all).not.toEqual([]);
  for (const { message, hint = "" } of all) expect(message.length + hint.length).toBeLessThan(2100);
});

test("thousands of undeclared fields take little time", () => {
  const fields = (name: string, join: string) =>
    Array.from({ length: 5000 }, (_, index) => `${name}${index}`).join(join);
  const text = `${native(`{id: a, prompt: p, output_format: {properties: {${fields("f", ": {}, ")}: {}}}}`)}  - {id: b, depends_on: [a], prompt: "$a.output.${fields("g", " $a.output.g")}"}\n`;
  const compiled = compile({ text, file: "w.yml" }, noFiles);
  expect(compiled.ok ? [] : compiled.diagnostics).toHaveLength(20);
});
