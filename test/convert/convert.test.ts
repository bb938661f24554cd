import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { agentNames } from "../../src/agents/index.ts";
import { compile } from "../../src/compile/compile.ts";
import type { Files } from "../../src/dialects/dialect.ts";
import { AgentError } from "../../src/ports/agent.ts";
import { convert } from "../../tools/convert/convert.ts";
import { documentOf } from "../../tools/convert/document.ts";
import { toNativePlan } from "../../tools/convert/graph.ts";
import { planOf, type Stage, stage } from "../parts/stage.ts";

const filesOf = (workflows: Readonly<Record<string, string>> = {}): Files => ({
  agents: agentNames,
  command: () => undefined,
  workflow: (name) => {
    const text = workflows[name];
    return text === undefined ? undefined : { file: `${name}.yml`, text };
  },
});

/** The native file that a workflow becomes; what it cannot carry is a failure of the test. */
function nativeOf(text: string, workflows?: Readonly<Record<string, string>>): string {
  const converted = convert({ text, file: "w.yml" }, filesOf(workflows));
  if (!converted.ok) throw new Error(converted.diagnostics.map(({ message }) => message).join("\n"));
  return converted.text;
}

/** What is refused, in short: its line and column, and what it says. */
function refusedIn(text: string, workflows?: Readonly<Record<string, string>>): readonly string[] {
  const converted = convert({ text, file: "w.yml" }, filesOf(workflows));
  return converted.ok ? [] : converted.diagnostics.map((it) => `${it.line}:${it.column} ${it.message}`);
}

const historyOf = (it: Stage) => ({
  conclusion: it.end()?.conclusion,
  stop_reason: it.end()?.stop_reason,
  iterations: it.end()?.iterations,
  output: it.end()?.output,
  stops: it.of("stop.tested").map(({ kind, verdict }) => `${kind} ${verdict}`),
  nodes: it.of("node.ended").map(({ path, status, output }) => `${path} ${status} ${output}`),
});

const judge =
  "{ description: Judges., resultSchema: { type: object, required: [done], properties: { done: { type: boolean } } } }";

const alike: Readonly<
  Record<string, { readonly source: string; readonly workflows?: Record<string, string> }>
> = {
  "steps with conditions and dependencies": {
    source: `name: w
agents: { coder: { description: Writes., model: m } }
steps:
  - { id: plan, agent: coder, instructions: Plan it. }
  - { id: skip, dependsOn: [plan], condition: "steps.plan.content == 'never'" }
  - { id: build, dependsOn: [plan], agent: coder, condition: "steps.plan.content.contains('plan')", retries: 2 }
  - { id: last, dependsOn: [build, skip], timeout: 5m }
`,
  },
  "a loop until an expression, each iteration seeing the one before": {
    source: `name: w
steps:
  - id: fix
    instructions: Fix it.
    loop: { maxIterations: 5, until: "content.contains('3') || iteration == 4", delay: 1s }
`,
  },
  "a loop over steps with a judge that may be silent": {
    source: `name: w
agents: { judge: ${judge} }
steps:
  - id: cycle
    loop:
      maxIterations: 4
      untilAgent: judge
      until: "steps.review-it.content.contains('LGTM')"
      steps:
        - { id: write }
        - { id: review-it, dependsOn: [write] }
`,
  },
  "a transcript of all steps and of what the judge says": {
    source: `name: w
agents: { judge: ${judge} }
steps:
  - id: cycle
    loop:
      maxIterations: 4
      untilAgent: judge
      outputMode: cumulative
      steps: [{ id: write }, { id: review-it, dependsOn: [write] }]
  - { id: once, dependsOn: [cycle], loop: { maxIterations: 2, outputMode: cumulative } }
`,
  },
  "iterations that fail and leave no trace, and some that would be repeated after a pause": {
    source: `$schema: workflow/v2.0
name: w
loops:
  - { name: forgets, workflow: child, max_iterations: 4, until: "It is good", on_failure: continue,
      with: { last: "{{loop.last.output}}", number: "{{loop.iteration}}" } }
  - { name: repeats, workflow: sound, max_iterations: 4, until: "It is good", on_failure: retry,
      max_retries: 1, retry_delay: 20ms, with: { last: "{{loop.last.output}} {{forgets}}", number: "{{loop.iteration}}" } }
`,
    workflows: {
      child: `$schema: workflow/v2.0
name: child
steps: [{ name: shaky, run: "{{number}} {{last}}" }]
`,
      sound: `$schema: workflow/v2.0
name: sound
steps: [{ name: work, run: "{{number}} {{last}}" }]
`,
    },
  },
  "items of a step's result, side by side": {
    source: `name: w
agents: { lister: { description: Lists., resultSchema: { type: object, required: [items] } } }
steps:
  - { id: list, agent: lister }
  - { id: each, dependsOn: [list], loop: { forEach: "steps.list.result.items", maxConcurrency: 2 } }
`,
  },
  "limits of time, and a loop that begins anew": {
    source: `name: w
options: { timeout: 1h }
steps:
  - { id: fix, retries: 2, timeout: 30m, loop: { maxIterations: 3, until: "content.contains('3')" } }
  - { id: each, dependsOn: [fix], timeout: 5m, retries: 1, loop: { forEach: ["x", "y"] } }
`,
  },
  "called workflows, one after the other, until a condition in words": {
    source: `$schema: workflow/v2.0
name: w
steps:
  - { name: first step, run: "Begin with {{input}}" }
loops:
  - { name: refine, workflow: child, max_iterations: 4, until: "It is good",
      with: { last: "{{loop.last.output}}", first: "{{first step}}", number: "{{loop.iteration}}" } }
steps:
  - { name: report, run: "Report {{refine}}" }
`,
    workflows: {
      child: `$schema: workflow/v2.0
name: child
steps: [{ name: work, run: "{{number}} {{first}} {{last}}" }]
`,
    },
  },
};

const agent: NonNullable<Parameters<typeof stage>[1]>["agent"] = ({ node, role, iteration = 0 }) => {
  if (role === "evaluator") return iteration === 3 ? "YES" : "Hm, no.";
  if (role === "judge")
    return iteration === 1 ? "?" : { result: { done: iteration === 3, reason: "thin tests" } };
  if (node === "shaky" && iteration === 2) return new AgentError("crash", "broken");
  if (node === "list") return { text: '{"items": ["a", "b", "c"]}', result: { items: ["a", "b", "c"] } };
  return `${node.replace(" ", "_")} ${iteration}`;
};

describe.each(Object.entries(alike))("%s", (_, { source, workflows = {} }) => {
  test("run as before", async () => {
    const before = stage(source, { agent, workflows });
    const after = stage(nativeOf(source, workflows), { agent, workflows });
    await before.begin();
    await after.begin();
    expect(after.of("run.started")).toMatchObject([{ dialect: "native" }]);
    const asNative = JSON.parse(JSON.stringify(historyOf(before)).replaceAll("first step", "first_step"));
    expect(historyOf(after)).toEqual(asNative);
    // The same questions in the same order, with the same parts in them.
    const shown = (it: Stage) =>
      it.prompts.map(({ role, agent, model, prompt }) => [role, agent, model, wordsOf(prompt)]);
    for (const [index, [role, who, model, words = new Set()]] of shown(before).entries()) {
      const [otherRole, otherWho, otherModel, others = new Set()] = shown(after)[index] ?? [];
      expect([otherRole, otherWho, otherModel]).toEqual([role, who, model]);
      expect([...(words as Set<string>)].filter((word) => !(others as Set<string>).has(word))).toEqual([]);
    }
  });
});

/** The words of a prompt that say something; headings, and the form of a verdict, are told in other words. */
const wordsOf = (prompt: string): ReadonlySet<string> => {
  const text = prompt.replaceAll(/^#+ .*$|^```.*$/gm, "").replaceAll(/[^\w\s-]/g, " ");
  return new Set(
    text.split(/\s+/).filter((word) => /^[a-z]{3}/i.test(word) && !/^(?:false|reason)$/.test(word)),
  );
};

const cannot: readonly (readonly [title: string, source: string, said: RegExp])[] = [
  ["a coordinator", "agents: { coordinator: { description: d } }\nsteps: [{ id: a }]", /^1:1 .*coordinator/],
  [
    "steps that end the whole run",
    "options: { onStepFailure: abort }\nsteps: [{ id: a }]",
    /^1:1 .*whole run/,
  ],
  [
    "two ends of a body",
    "steps:\n  - { id: a, loop: { maxIterations: 2, steps: [{ id: b }, { id: c }] } }",
    /^3:5 `a`.*last step that ran/,
  ],
  [
    "what may be missing",
    "steps:\n  - { id: a }\n  - { id: b, dependsOn: [a], condition: 'steps.a.result.n == 1' }",
    /^4:5 `b`.*reads steps\["a"\]\.result\.n/,
  ],
  [
    "a text that native files would read",
    "steps:\n  - { id: a, instructions: 'costs $a.output' }",
    /would not be right: .*`a` is not finished/,
  ],
];

test.each(cannot)("reports what a native file cannot express: %s", (_, source, expected) => {
  expect(refusedIn(`name: w\n${source}\n`)).toEqual([expect.stringMatching(expected)]);
});

const child = { c: "name: c\nloops: []\nsteps: [{ name: work, run: '{{input}} {{x}}' }]\n" };

test.each([
  ["{ name: a, run: r, on_failure: continue }", /may fail/],
  ["{ name: a, run: r, if: '{{input}}' }", /ignores case/],
  ["{ name: a, run: 'r {{x}} {{ x }}' }", /input `x` is not set.*write all of them the same way/],
])("nor this of mcp-cli: %s", (step, expected) => {
  expect(refusedIn(`name: w\nloops: []\nsteps:\n  - ${step}\n`)).toEqual([expect.stringMatching(expected)]);
});

test.each([
  ["until: x", /previous iteration, or else the message/],
  ["mode: iterate, items: [1], with: { x: y }", /one JSON object/],
])("nor a loop of it with %s", (fields, expected) => {
  const source = `name: w\nloops:\n  - { name: a, workflow: c, max_iterations: 3, ${fields} }\n`;
  expect(refusedIn(source, child)).toEqual([expect.stringMatching(expected)]);
});

test("where a run hands on what another step gave, the head of the file says so", () => {
  const steps = (more: string) =>
    `$schema: workflow/v2.0\nname: w\nsteps: [{ name: a, run: r }, { name: b, run: "r${more}" }]\n`;
  expect(nativeOf(steps(""))).toContain("# The output of the run is that of its last step.");
  expect(nativeOf(steps(" {{a}}"))).not.toContain("The output of the run");
});

test("a native file stays as written, and one with errors is reported", () => {
  const text = "# mine\nname: w\nnodes: [{ id: a, prompt: p }]\n";
  expect(nativeOf(text)).toBe(text);
  expect(refusedIn("name: w\nsteps: [{ id: A }]\n")).toEqual([expect.stringMatching(/^2:15 /)]);
});

test("a file with blocks is reported if it lacks something, or has unused parts", () => {
  const source = "name: w\nblocks: { a: { type: linear } }\nworkflow: { entry: a }\n";
  expect(refusedIn(source).length).toBeGreaterThan(0);
});

/** A file of blocks, one a line; the first stands on line 4. */
const blocks = (transitions: string, ...lines: readonly string[]) =>
  [
    `workflow: { name: w, entry: a${transitions} }`,
    "souls: { s: { system_prompt: you are s } }",
    "blocks:",
    ...lines.map((line) => `  ${line}`),
    "",
  ].join("\n");
const soul = (id: string, more = "") => `${id}: { type: linear, soul_ref: s${more} }`;
const gate = (id: string, more = "") => `${id}: { type: gate, soul_ref: s, eval_key: a${more} }`;
const looped = (more = "") => `a: { type: loop, inner_block_refs: [b, c]${more} }`;
const python = (id: string, body: string, more = "") =>
  `${id}: { type: code, code: "def main(data):\\n  return ${body}"${more} }`;

test.each<[string, string, RegExp]>([
  ["error routes", blocks("", soul("a", ", error_route: b"), soul("b")), /^4:3 `a`.*another block continues/],
  [
    "exits by patterns",
    blocks(
      ", conditional_transitions: [{ from: a, x: b, default: null }]",
      soul("a", ", exit_conditions: [{ regex: x, exit_handle: x }]"),
      soul("b"),
    ),
    /^4:3 `a`.*CEL cannot express/,
  ],
  [
    "an exit that leads nowhere",
    blocks(
      ", transitions: [{ from: a, to: b }], conditional_transitions: [{ from: b, pass: c }]",
      soul("a"),
      gate("b"),
      soul("c"),
    ),
    /^5:3 `b`.*CEL cannot express/,
  ],
  [
    "a way together, one of them by an exit",
    blocks(
      ", transitions: [{ from: a, to: b }, { from: c, to: d }]",
      soul("a"),
      gate("b", ", pass: c, fail: d"),
      soul("c"),
      soul("d"),
    ),
    /^7:3 `d`.*only by an exit/,
  ],
  [
    "a gate's field",
    blocks(", transitions: [{ from: a, to: b }]", soul("a"), gate("b", ", extract_field: t")),
    /^5:3 `b`.*field of the judged output/,
  ],
  [
    "souls side by side",
    blocks("", "a: { type: dispatch, exits: [{ id: x, soul_ref: s, task: t }] }"),
    /^4:3 `a`.*side by side/,
  ],
  ["conversations", blocks("", soul("a", ", stateful: true")), /^4:3 `a`.*conversation/],
  [
    "carried context",
    blocks("", "a: { type: loop, inner_block_refs: [b], carry_context: {} }", soul("b")),
    /^4:3 `a`.*carries values/,
  ],
  [
    "conditions that CEL has no word for",
    blocks("", looped(", break_condition: { eval_key: x, operator: regex, value: y }"), soul("b"), soul("c")),
    /^4:3 `a`.*as CEL does not/,
  ],
  [
    "what made a block in the middle leave",
    blocks(
      "",
      looped(", break_on_exit: x"),
      soul("b", ", exit_conditions: [{ contains: x, exit_handle: x }]"),
      soul("c"),
    ),
    /^4:3 `a`.*CEL cannot express when `b` takes/,
  ],
  [
    "rounds of a loop further out",
    blocks(
      "",
      "a: { type: loop, inner_block_refs: [d] }",
      "d: { type: loop, inner_block_refs: [b] }",
      soul("b", ", inputs: { n: { from: a_round } }"),
    ),
    /^6:3 `b`.*further out/,
  ],
  [
    "how a loop went",
    blocks(
      ", transitions: [{ from: a, to: d }]",
      looped(),
      soul("b"),
      soul("c"),
      soul("d", ", inputs: { n: { from: __loop__a } }"),
    ),
    /^7:3 `d`.*leave behind/,
  ],
  [
    "how many rounds it took",
    blocks(
      ", transitions: [{ from: a, to: d }]",
      looped(),
      soul("b"),
      soul("c"),
      soul("d", ", inputs: { n: { from: a } }"),
    ),
    /^7:3 `d`.*not a record/,
  ],
  [
    "a part of a part",
    blocks(", transitions: [{ from: a, to: b }]", soul("a"), soul("b", ", inputs: { n: { from: a.x.y } }")),
    /^5:3 `b`.*one field/,
  ],
  [
    "a block that runs later",
    blocks(", transitions: [{ from: a, to: b }]", soul("a", ", inputs: { n: { from: b } }"), soul("b")),
    /^4:3 `a`.*not surely done/,
  ],
  ["code that leaves by an exit", blocks("", python("a", "{'exit_handle': 'x'}")), /^4:3 `a`.*by which exit/],
  ["code that reads all it finds", blocks("", python("a", "len(data)")), /^4:3 `a`.*as a whole/],
  [
    "code that takes its data apart",
    blocks("", `a: { type: code, language: javascript, code: "function main({ x }) { return x; }" }`),
    /^4:3 `a`.*as a whole/,
  ],
  [
    "code whose failure leaves the loop",
    blocks("", looped(", break_on_exit: error"), python("b", "1"), soul("c")),
    /^4:3 `a`.*CEL cannot express when `b` takes/,
  ],
  [
    "how a loop in a loop went",
    blocks(
      ", transitions: [{ from: a, to: d }]",
      "a: { type: loop, inner_block_refs: [c] }",
      "c: { type: loop, inner_block_refs: [b] }",
      soul("b"),
      soul("d", ", inputs: { n: { from: c } }"),
    ),
    /^7:3 `d`.*not a record/,
  ],
  [
    "a child's values",
    blocks("", "a: { type: workflow, workflow_ref: c, outputs: { x: results.b } }"),
    /^4:3 `a`.*its own scope/,
  ],
  [
    "a child's failure",
    blocks("", "a: { type: workflow, workflow_ref: c, on_error: catch }"),
    /^4:3 `a`.*exit decides/,
  ],
  [
    "a child's time",
    blocks("", "a: { type: workflow, workflow_ref: c, timeout_seconds: 5 }"),
    /^4:3 `a`.*limits the time/,
  ],
])("what only blocks have is reported with its position: %s", (_, source, expected) => {
  expect(refusedIn(source, { c: blocks("", soul("a")) })).toContainEqual(expect.stringMatching(expected));
});

test("code of blocks becomes a script that finds what it names", () => {
  const text = nativeOf(
    blocks(
      ", transitions: [{ from: a, to: b }]",
      soul("a"),
      python("b", "[data['mine'], data.get('a')]", ", inputs: { mine: { from: workflow.message } }"),
    ),
  );
  expect(text).toContain('print(_told({"mine": "$USER_MESSAGE", "a": "$a.output"}))');
  expect(text).toContain("# Code becomes a script that gets only the data whose names it contains");
});

const natives = globSync("{examples/loops,test/dialects/native/seeds}/*.yml").filter(
  (it) => !it.includes("session"),
);

test.each(natives)("%s comes back from its plan as it was meant", (file) => {
  const compiled = compile(
    { text: readFileSync(file, "utf8"), file },
    { agents: agentNames, command: () => "do it", workflow: () => undefined },
  );
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics));
  const { plan, gaps } = toNativePlan(compiled.plan);
  // What only native files have is not written: no other language can hold it.
  const only =
    /^(?:A (?:shell|script|approval|cancel) of another|A stop of the kind (?:until-bash|answer)|It )/;
  expect(gaps.map(({ message }) => message).filter((message) => !only.test(message))).toEqual([]);
  if (gaps.length > 0) return;
  const again = planOf(JSON.stringify({ ...documentOf(plan), interactive: true }));
  expect(again.body).toEqual(compiled.plan.body);
});

test("every comment of the file is kept with its step, above or on the same line", () => {
  const text = nativeOf(`# Who: ada
# Why: nobody knows
name: w # short
steps:
  # First the plan.
  - id: plan # think
    instructions: |
      # no comment
      Plan it.
    # not yet: timeout: 5m
  # Then the work.
  - { id: build, dependsOn: [plan] } # do
# The end.
`);
  const from = text.indexOf("# Who");
  expect(text.slice(from).match(/#.*$|- id: \w+/gm)).toEqual([
    "# Who: ada",
    "# Why: nobody knows",
    "# short",
    "# First the plan.",
    "# think",
    "# not yet: timeout: 5m",
    "- id: plan",
    "## Request",
    "# no comment",
    "# Then the work.",
    "# do",
    "- id: build",
    "## Request",
    "## Output of plan",
    "# The end.",
  ]);
});
