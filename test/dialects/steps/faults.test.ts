import { expect, test } from "vitest";
import { agentNames } from "../../../src/agents/index.ts";
import { compile } from "../../../src/compile/compile.ts";

const files = {
  agents: agentNames,
  command: () => undefined,
  workflow: () => undefined,
  text: () => undefined,
};

/** Everything said about a text, in short: `CODE line:column`, warnings with a `~` before. */
function diagnosticsOf(text: string): readonly string[] {
  const compiled = compile({ text, file: "w.yml" }, files);
  const all = compiled.ok ? compiled.warnings : compiled.diagnostics;
  return all.map(({ code, line, column, warning }) => `${warning ? "~" : ""}${code} ${line}:${column}`);
}

/** A file with these steps; the first stands on line 3. */
const file = (...steps: string[]) => `name: w\nsteps:\n${steps.map((step) => `  - ${step}\n`).join("")}`;
/** A file with one loop, whose fields start on line 5. */
const loop = (...fields: string[]) =>
  `name: w\nsteps:\n  - id: a\n    loop:\n${fields.map((field) => `      ${field}\n`).join("")}`;
/** A file with a judge of this result schema, which stands on line 4; `untilAgent` on line 9. */
const judged = (schema: string) =>
  `name: w\nagents:\n  judge: { description: d }\n  j: { description: d${schema === "" ? "" : `, resultSchema: ${schema}`} }\n${loop("maxIterations: 3", "untilAgent: j").slice("name: w\n".length)}`;

const cases: readonly (readonly [title: string, text: string, said: readonly string[]])[] = [
  ["a file without a name", "steps:\n  - {id: a}\n", ["MISSING_NAME 1:1"]],
  ["nothing under name", "name:\nsteps:\n  - {id: a}\n", ["MISSING_NAME 1:1"]],
  ["a blank name", "name: ' '\nsteps:\n  - {id: a}\n", ["MISSING_NAME 1:7"]],
  ["no steps", "name: w\nsteps: []\n", ["NO_NODES 2:8"]],
  ["nothing under steps", "name: w\nsteps:\n", ["NO_NODES 2:1"]],
  ["a version we do not know", "name: w\nversion: 2\nsteps: [{id: a}]\n", ["BAD_VALUE 2:10"]],
  ["more steps than allowed", file(...Array.from({ length: 101 }, (_, i) => `{id: s${i}}`)), ["LIMIT 3:3"]],
  ["a step without an id", file("{instructions: x}"), ["BAD_ID 3:5"]],
  ["a capital in an id at the top", file("{id: Build}"), ["BAD_ID 3:10"]],
  ["an id too long", file(`{id: ${"a".repeat(65)}}`), ["BAD_ID 3:10"]],
  ["a number as id", file("{id: 7}"), ["BAD_ID 3:10"]],
  ["a tool a step cannot call", file("{id: a, tool: grep}"), ["BAD_VALUE 3:19"]],
  ["a tool without what it needs", file("{id: a, tool: read, toolInput: {}}"), ["BAD_VALUE 3:19"]],
  [
    "a tool and an agent",
    file("{id: a, tool: bash, toolInput: {command: ls}, instructions: i}"),
    ["ONE_KIND 3:51"],
  ],
  ["inputs without a tool", file("{id: a, toolInput: {}}"), ["BAD_VALUE 3:13"]],
  [
    "a tool's input of a strange step",
    file("{id: a, tool: bash, toolInput: {command: '$steps.b.content'}}"),
    ["UNKNOWN_REFERENCE 3:46"],
  ],
  [
    "a tool's input that computes",
    file("{id: a, tool: bash, toolInput: {command: '$1 + 1'}}"),
    ["BAD_EXPRESSION 3:46"],
  ],
  [
    "a variable of the environment",
    file("{id: a, instructions: 'get ${FEED}'}"),
    ["~UNKNOWN_REFERENCE 3:27"],
  ],
  ["an id twice", file("{id: a}", "{id: a}"), ["DUPLICATE_ID 4:10"]],
  ["an unknown dependency", file("{id: a, dependsOn: [z]}"), ["UNKNOWN_DEPENDENCY 3:25"]],
  [
    "steps that wait for each other",
    file("{id: a, dependsOn: [b]}", "{id: b, dependsOn: [a]}"),
    ["CYCLE 3:24"],
  ],
  ["a key that nobody knows", file("{id: a, instruction: x}"), ["UNKNOWN_FIELD 3:13"]],
  ["a loop's key on the step", file("{id: a, maxIterations: 3}"), ["UNKNOWN_FIELD 3:13"]],
  ["an agent that is not there", file("{id: a, agent: nobody}"), ["UNKNOWN_AGENT 3:20"]],
  ["instructions too long", file(`{id: a, instructions: ${"x".repeat(2001)}}`), ["LIMIT 3:27"]],
  ["instructions in a file that is not there", file("{id: a, instructions: '@x.md'}"), ["BAD_VALUE 3:27"]],
  ["a duration in milliseconds", file("{id: a, timeout: 500ms}"), ["BAD_VALUE 3:22"]],
  ["an empty duration", file("{id: a, timeout: ''}"), ["BAD_VALUE 3:22"]],
  ["retries below zero", file("{id: a, retries: -1}"), ["BAD_VALUE 3:22"]],
  ["a blank condition", file("{id: a, condition: ''}"), ["BAD_EXPRESSION 3:24"]],
  ["a condition that does not parse", file("{id: a, condition: 'steps.'}"), ["BAD_EXPRESSION 3:30"]],
  [
    "a condition with an unknown name",
    file("{id: a, condition: 'stesp.a.content == 1'}"),
    ["BAD_EXPRESSION 3:25"],
  ],
  [
    "a condition on steps that there are not",
    file("{id: ab}", '{id: b, condition: \'steps.ba.status == "x" || steps["b-c"].status == "y"\'}'),
    ["UNKNOWN_REFERENCE 4:31", "UNKNOWN_REFERENCE 4:58"],
  ],
  [
    "a condition with a step that there is not and an unknown name",
    file("{id: a, condition: 'steps.z.content == foo'}"),
    ["UNKNOWN_REFERENCE 3:31", "BAD_EXPRESSION 3:44"],
  ],
  [
    "a condition on a step inside a loop, which only the loop's own can name",
    file("{id: a, loop: {maxIterations: 1, steps: [{id: x}]}}", "{id: b, condition: 'steps.x.content'}"),
    ["UNKNOWN_REFERENCE 4:31"],
  ],
  [
    "an until on a step that there is not",
    loop("maxIterations: 1", "until: 'steps.reviw.content'"),
    ["UNKNOWN_REFERENCE 6:21"],
  ],
  ["a list of a step that there is not", loop("forEach: steps.lst.result.items"), ["UNKNOWN_REFERENCE 5:22"]],
  [
    "conditions on steps by every spelling, and on all of them",
    file(
      "{id: a-b}",
      '{id: c, condition: \'steps.a-b.status == "x" && steps["a-b"].content.size()-1 > 0 && steps.size() > 0\'}',
      "{id: d, condition: 'steps.exists(s, steps[s].status == \"steps.gone\")'}",
    ),
    [],
  ],
  [
    "an include with a loop",
    file("{id: a, include: x, loop: {maxIterations: 1}}"),
    ["ONE_KIND 3:25", "UNKNOWN_WORKFLOW 3:22"].reverse(),
  ],
  [
    "an agent without a description",
    "name: w\nagents: {x: {prompt: p}}\nsteps: [{id: a}]\n",
    ["BAD_VALUE 2:10"],
  ],
  [
    "everything wrong with agents at once",
    "name: w\nagents:\n  Bad: {description: d}\n  x: {description: '', temperature: 3, maxTurns: -1}\nsteps: [{id: a}]\n",
    ["BAD_ID 3:3", "BAD_VALUE 4:20", "BAD_VALUE 4:37", "BAD_VALUE 4:50"],
  ],
  [
    "tools that are no list",
    "name: w\nagents: {x: {description: d, tools: bash}}\nsteps: [{id: a}]\n",
    ["BAD_VALUE 2:37"],
  ],
  ["an empty loop", file("{id: a, loop: {}}"), ["LOOP_MAX_MISSING 3:13"]],
  ["a loop without maxIterations", loop("until: 'true'"), ["LOOP_MAX_MISSING 4:5"]],
  ["maxIterations of zero", loop("maxIterations: 0"), ["LOOP_MAX_RANGE 5:22"]],
  ["maxIterations without end", loop("maxIterations: 1000000"), []],
  ["a key twice", "name: w\nname: v\nsteps: [{id: a}]\n", ["DUPLICATE_KEY 2:1"]],
  ["maxIterations in words", loop("maxIterations: three"), ["LOOP_MAX_RANGE 5:22"]],
  ["a blank until", loop("maxIterations: 1", "until: ''"), ["LOOP_BLANK_STOP 6:14"]],
  ["a blank untilAgent", loop("maxIterations: 1", "untilAgent: ' '"), ["LOOP_BLANK_STOP 6:19"]],
  ["an until that does not parse", loop("maxIterations: 1", "until: 'a b'"), ["BAD_EXPRESSION 6:17"]],
  [
    "forEach with everything that ends a loop",
    loop("forEach: [1]", "maxIterations: 1", "until: 'true'", "untilAgent: j", "delay: 1s"),
    ["LOOP_MODE_CONFLICT 6:7", "LOOP_MODE_CONFLICT 7:7", "LOOP_MODE_CONFLICT 8:7", "LOOP_MODE_CONFLICT 9:7"],
  ],
  ["an empty list", loop("forEach: []"), ["LOOP_EMPTY_LIST 5:16"]],
  ["a mapping as list", loop("forEach: {a: b}"), ["BAD_VALUE 5:16"]],
  ["a blank list", loop("forEach: ''"), ["BAD_EXPRESSION 5:16"]],
  ["a negative maxConcurrency", loop("forEach: [1]", "maxConcurrency: -1"), ["BAD_VALUE 6:23"]],
  ["an outputMode nobody knows", loop("maxIterations: 1", "outputMode: all"), ["BAD_VALUE 6:19"]],
  ["no inner steps", loop("maxIterations: 1", "steps: []"), ["LOOP_EMPTY_BODY 6:14"]],
  [
    "a loop in a loop",
    loop("maxIterations: 1", "steps: [{id: b, loop: {maxIterations: 1}}]"),
    ["LOOP_NESTED 6:23"],
  ],
  [
    "a dependency to the outside",
    loop("maxIterations: 1", "steps: [{id: b, dependsOn: [a]}]"),
    ["UNKNOWN_DEPENDENCY 6:35"],
  ],
  ["an inner id twice", loop("maxIterations: 1", "steps: [{id: b}, {id: b}]"), ["DUPLICATE_ID 6:29"]],
  ["an inner step with the id of an outer one", loop("maxIterations: 1", "steps: [{id: a}]"), []],
  [
    "a step's own agent together with the loop's steps",
    file("{id: a, instructions: x, loop: {maxIterations: 1, steps: [{id: b}]}}"),
    ["~IGNORED_FIELD 3:13"],
  ],
  ["a judge that is not there", loop("maxIterations: 1", "untilAgent: j"), ["JUDGE_UNKNOWN 6:19"]],
  ["a judge without a schema", judged(""), ["JUDGE_SCHEMA 9:19"]],
  [
    "a judge without properties and required",
    judged("{type: object}"),
    ["JUDGE_SCHEMA 9:19", "JUDGE_SCHEMA 9:19"],
  ],
  ["a judge without done", judged("{properties: {}, required: [done]}"), ["JUDGE_SCHEMA 9:19"]],
  [
    "a judge whose done is text",
    judged("{properties: {done: {type: string}}, required: [done]}"),
    ["JUDGE_SCHEMA 9:19"],
  ],
  [
    "a judge whose done may be left out",
    judged("{properties: {done: {type: boolean}}, required: [a]}"),
    ["JUDGE_SCHEMA 9:19"],
  ],
  ["a sound judge", judged("{properties: {done: {type: boolean}}, required: [done]}"), []],
  [
    "an option nobody knows",
    "name: w\noptions: {onStepFail: abort}\nsteps: [{id: a}]\n",
    ["UNKNOWN_FIELD 2:11"],
  ],
  [
    "a failure strategy nobody knows",
    "name: w\noptions: {onStepFailure: stop}\nsteps: [{id: a}]\n",
    ["BAD_VALUE 2:26"],
  ],
  ["a scheduler", "name: w\noptions: {scheduler: round-robin}\nsteps: [{id: a}]\n", ["~IGNORED_FIELD 2:11"]],
];

test.each(cases)("%s", (_, text, expected) => {
  expect(diagnosticsOf(text)).toEqual(expected);
});

test("a file of another language is left to that one", () => {
  for (const key of ["nodes: []", "loops: []", "blocks: {}", "execution: {}"]) {
    const compiled = compile({ text: `name: w\nsteps: [{id: a}]\n${key}\n`, file: "w.yml" }, files);
    expect(compiled).not.toMatchObject({ dialect: "steps" });
  }
});
