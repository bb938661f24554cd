import { expect, test } from "vitest";
import { agentNames } from "../../../src/agents/index.ts";
import { compile } from "../../../src/compile/compile.ts";
import { loops } from "../../../src/dialects/loops/index.ts";
import { child, diagnosticsOf, file, loop } from "./files.ts";

const steps = (...steps: readonly string[]) => file("loops: []", "steps:", ...steps.map((it) => `  - ${it}`));
const sound = ["max_iterations: 3", "until: done"];
const schema = '$schema: "workflow/v2.0"';

const cases: readonly (readonly [title: string, text: string, said: readonly string[]])[] = [
  ["a sound loop", loop(...sound), []],
  ["a file without a name", "loops: []\nsteps: [{name: a, run: b}]\n", ["MISSING_NAME 1:1"]],
  ["nothing under name", "name: ~\nloops: []\nsteps: [{name: a, run: b}]\n", ["MISSING_NAME 1:7"]],
  ["a blank name", "name: ''\nloops: []\nsteps: [{name: a, run: b}]\n", ["MISSING_NAME 1:7"]],
  ["another version", '$schema: "workflow/v1.0"\nname: w\nsteps: [{name: a, run: b}]\n', ["BAD_VALUE 1:10"]],
  ["nothing to do", `${schema}\nname: w\n`, ["NO_NODES 1:1"]],
  ["empty lists", file("loops: []"), ["NO_NODES 2:8"]],
  ["steps that are no list", `${schema}\nname: w\nsteps: 3\n`, ["BAD_VALUE 3:8"]],
  [
    "an unknown key at the top",
    file("loops: []", "steps: [{name: a, run: b}]", "step: []"),
    ["UNKNOWN_FIELD 4:1"],
  ],
  ["another key twice", file("name: v", "loops: []", "steps: [{name: a, run: b}]"), ["DUPLICATE_KEY 2:1"]],
  ["a key twice in a step", steps("{name: a, run: b, run: c}"), ["DUPLICATE_KEY 4:23"]],
  [
    "a fault in a list that occurs twice",
    file("loops: []", "steps: [{name: a, run: b}]", "steps: [{name: c}]"),
    ["ONE_KIND 4:9"],
  ],
  ["a step without a name", steps("{run: b}"), ["BAD_ID 4:5"]],
  ["a name with a slash", steps("{name: a/b, run: b}"), ["BAD_ID 4:12"]],
  ["a name too long", steps(`{name: ${"a".repeat(101)}, run: b}`), ["BAD_ID 4:12"]],
  ["a name that means something else", steps("{name: input, run: b}"), ["BAD_ID 4:12"]],
  ["a loop's variable as name", steps("{name: loop.output, run: b}"), ["BAD_ID 4:12"]],
  ["a block of another template language", steps("{name: a, run: 'x {% if y %}'}"), ["~IGNORED_FIELD 4:23"]],
  ["a variable of every object", loop(...sound, "accumulate: constructor"), ["BAD_VALUE 7:17"]],
  ["a name twice", steps("{name: a, run: b}", "{name: a, run: b}"), ["DUPLICATE_ID 5:12"]],
  ["a step and a loop of one name", `${loop(...sound)}steps: [{name: go, run: b}]\n`, ["DUPLICATE_ID 7:16"]],
  ["a step that does nothing", steps("{name: a}"), ["ONE_KIND 4:5"]],
  ["a step that does two things", steps("{name: a, run: b, template: {name: child}}"), ["ONE_KIND 4:23"]],
  ["a kind that is not understood", steps("{name: a, run: b, rag: {}}"), ["UNKNOWN_FIELD 4:23"]],
  ["nothing but a kind that is not understood", steps("{name: a, rag: {}}"), ["UNKNOWN_FIELD 4:15"]],
  [
    "a consensus of one",
    steps("{name: a, consensus: {prompt: p, require: majority, executions: [{provider: openai}]}}"),
    ["BAD_VALUE 4:69"],
  ],
  ["a blank run", steps("{name: a, run: ' '}"), ["BAD_VALUE 4:20"]],
  ["an unknown need", steps("{name: a, run: b, needs: [z]}"), ["UNKNOWN_DEPENDENCY 4:31"]],
  ["a step that needs itself", steps("{name: a, run: b, needs: [a]}"), ["CYCLE 4:30"]],
  [
    "a cycle of needs",
    steps("{name: a, run: b, needs: [b]}", "{name: b, run: b, needs: [a]}"),
    ["CYCLE 4:30"],
  ],
  ["a cycle of names in texts", steps("{name: a, run: '{{b}}'}", "{name: b, run: '{{a}}'}"), ["CYCLE 4:5"]],
  ["a name nobody knows", steps("{name: a, run: 'x {{zzz}}'}"), ["~UNKNOWN_REFERENCE 4:23"]],
  ["a name nobody knows, in plain text", steps("name: a\n    run: x {{zzz}}"), ["~UNKNOWN_REFERENCE 5:12"]],
  ["a step's own result", steps("{name: a, run: '{{a}}'}"), ["~UNKNOWN_REFERENCE 4:21"]],
  [
    "a loop's variable without a loop",
    steps("{name: a, run: '{{loop.output}}'}"),
    ["~UNKNOWN_REFERENCE 4:21"],
  ],
  [
    "a name of a loop that there is not",
    loop(...sound, "with: {a: '{{loop.outptu}}'}"),
    ["~UNKNOWN_REFERENCE 7:16"],
  ],
  [
    "an unknown variable of the environment",
    steps("{name: a, run: '{{env.X}}'}"),
    ["~UNKNOWN_REFERENCE 4:21"],
  ],
  [
    "an unknown workflow",
    file("loops:", "  - {name: a, workflow: zzz, max_iterations: 1, until: x}"),
    ["UNKNOWN_WORKFLOW 3:25"],
  ],
  [
    "a workflow outside",
    file("loops:", "  - {name: a, workflow: ../z, max_iterations: 1, until: x}"),
    ["BAD_VALUE 3:25"],
  ],
  [
    "a workflow that calls itself",
    file("loops:", "  - {name: a, workflow: w, max_iterations: 1, until: x}"),
    ["CALL_CYCLE 3:25"],
  ],
  [
    "a loop of nothing",
    file("loops:", "  - {name: a, max_iterations: 1, until: x}"),
    ["LOOP_EMPTY_BODY 3:5"],
  ],
  ["no condition", loop("max_iterations: 3"), ["LOOP_NO_STOP 3:5"]],
  ["a blank condition", loop("max_iterations: 3", "until: ' '"), ["LOOP_BLANK_STOP 6:12"]],
  ["an empty condition", loop("max_iterations: 3", "until:"), ["LOOP_BLANK_STOP 6:5"]],
  ["no maximum", loop("until: done"), ["LOOP_MAX_MISSING 3:5"]],
  ["a maximum of zero", loop("max_iterations: 0", "until: done"), ["LOOP_MAX_RANGE 5:21"]],
  ["a maximum out of range", loop("max_iterations: 10001", "until: done"), ["LOOP_MAX_RANGE 5:21"]],
  ["a maximum of text", loop("max_iterations: '3'", "until: done"), ["LOOP_MAX_RANGE 5:21"]],
  ["a strange on_failure", loop(...sound, "on_failure: stop"), ["BAD_VALUE 7:17"]],
  ["retries out of range", loop(...sound, "on_failure: retry", "max_retries: 0"), ["BAD_VALUE 8:18"]],
  ["items in a loop that refines", loop(...sound, "items: '[1]'"), ["LOOP_MODE_CONFLICT 7:5"]],
  ["a loop that refines side by side", loop(...sound, "parallel: true"), ["LOOP_MODE_CONFLICT 7:5"]],
  [
    "a time for each item in a loop that refines",
    loop(...sound, "timeout_per_item: 1m"),
    ["LOOP_MODE_CONFLICT 7:5"],
  ],
  ["a time that is none", loop(...sound, "total_timeout: soon"), ["BAD_VALUE 7:20"]],
  ["a variable with a meaning", loop(...sound, "accumulate: input"), ["BAD_VALUE 7:17"]],
  ["a variable of an element's name", loop(...sound, "accumulate: go"), ["BAD_VALUE 7:17"]],
  ["an unknown key of a loop", loop(...sound, "untill: x"), ["UNKNOWN_FIELD 7:5"]],
  ["a template without a name", steps("{name: a, template: {}}"), ["BAD_VALUE 4:15"]],
  [
    "a provider that is no agent",
    file("execution: {provider: deepseek}", "steps: [{name: a, run: b}]"),
    ["~IGNORED_FIELD 2:23"],
  ],
  [
    "tools of a model",
    file("execution: {servers: [files]}", "steps: [{name: a, run: b}]"),
    ["~IGNORED_FIELD 2:13"],
  ],
  [
    "workers out of range",
    file("execution: {max_workers: 101}", "steps: [{name: a, run: b}]"),
    ["BAD_VALUE 2:26"],
  ],
  [
    "every fault at once",
    loop("max_iterations: 0", "until:", "zzz: 1"),
    ["LOOP_MAX_RANGE 5:21", "LOOP_BLANK_STOP 6:5", "UNKNOWN_FIELD 7:5"],
  ],
];

test.each(cases)("%s", (_, text, expected) => {
  expect(diagnosticsOf(text, { child: child("x"), w: text })).toEqual(expected);
});

test("names that a caller sets are known, others are reported", () => {
  const given = loop(...sound, "with: {topic: tea}");
  expect(diagnosticsOf(given, { child: child("{{topic}} {{loop.last.output}}") })).toEqual([]);
  expect(diagnosticsOf(given, { child: child("{{topics}}") })).toEqual([
    "~UNKNOWN_REFERENCE child.yaml 4:24",
  ]);
});

test("a called workflow calls those in its folder by their plain names", () => {
  const calls = (name: string) =>
    file("loops:", `  - {name: a, workflow: ${name}, max_iterations: 1, until: x}`);
  expect(diagnosticsOf(calls("sub/mid"), { "sub/mid": calls("leaf"), "sub/leaf": child("x") })).toEqual([]);
  expect(diagnosticsOf(calls("sub/mid"), { "sub/mid": calls("leaf") })).toEqual([
    "UNKNOWN_WORKFLOW sub/mid.yaml 3:25",
  ]);
});

const others: readonly (readonly [title: string, document: object])[] = [
  ["steps alone", { name: "w", steps: [{ id: "a", instructions: "b" }] }],
  ["blocks", { name: "w", blocks: {}, loops: [] }],
];

test("a name that means nothing there is not suggested for itself", () => {
  const text = file("loops: []", 'steps: [{ name: a, run: "{{loop.last.output}} {{loop.last.outpt}}" }]');
  const compiled = compile(
    { text, file: "w.yaml" },
    { agents: agentNames, command: () => undefined, workflow: () => undefined },
  );
  const hints = compiled.ok ? compiled.warnings.map(({ hint }) => hint) : [];
  expect(hints).toEqual([undefined, "Did you mean `loop.last.output`?"]);
});

test.each(others)("a file of %s is left to others", (_, document) => {
  expect(loops.claims(document)).toBe(false);
});
