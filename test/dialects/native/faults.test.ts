import { expect, test } from "vitest";
import { diagnosticsOf } from "./files.ts";

/** A file with these nodes; the first stands on line 3. */
const file = (...nodes: string[]) => `name: w\nnodes:\n${nodes.map((node) => `  - ${node}\n`).join("")}`;
/** A file with one loop, whose fields start on line 5. */
const loop = (...fields: string[]) =>
  `name: w\nnodes:\n  - id: a\n    loop:\n${fields.map((field) => `      ${field}\n`).join("")}`;
const sound = ["prompt: p", "until: DONE", "max_iterations: 3"];
const without = (key: string) => sound.filter((field) => !field.startsWith(key));

const cases: readonly (readonly [title: string, text: string, said: readonly string[]])[] = [
  ["a file without a name", "nodes:\n  - {id: a, bash: b}\n", ["MISSING_NAME 1:1"]],
  ["nothing under name", "name:\nnodes:\n  - {id: a, bash: b}\n", ["MISSING_NAME 1:1"]],
  ["a blank name", "name: ' '\nnodes:\n  - {id: a, bash: b}\n", ["MISSING_NAME 1:7"]],
  ["no nodes", "name: w\nnodes: []\n", ["NO_NODES 2:8"]],
  ["nothing under nodes", "name: w\nnodes:\n", ["NO_NODES 2:1"]],
  ["a node without an id", file("{bash: b}"), ["BAD_ID 3:5"]],
  ["an id with a blank", file("{id: a b, bash: b}"), ["BAD_ID 3:10"]],
  ["an id too long", file(`{id: ${"a".repeat(101)}, bash: b}`), ["BAD_ID 3:10"]],
  ["a reserved id", file("{id: INPUTS, bash: b}"), ["BAD_ID 3:10"]],
  ["a number as id", file("{id: 7, bash: b}"), ["BAD_ID 3:10"]],
  ["an id twice", file("{id: a, bash: b}", "{id: a, bash: b}"), ["DUPLICATE_ID 4:10"]],
  [
    "a body's node with the id of a node outside",
    loop("nodes: [{id: a, bash: b}]", "until_bash: t", "max_iterations: 3"),
    ["DUPLICATE_ID 5:20"],
  ],
  ["an unknown dependency", file("{id: a, bash: b, depends_on: [z]}"), ["UNKNOWN_DEPENDENCY 3:35"]],
  [
    "a dependency from a body to the outside",
    `${file("{id: out, bash: b}")}${loop("nodes: [{id: in, bash: b, depends_on: [out]}]", "until_bash: t", "max_iterations: 3").split("\n").slice(2).join("\n")}`,
    ["UNKNOWN_DEPENDENCY 6:46"],
  ],
  [
    "a cycle",
    file(
      "{id: a, bash: b, depends_on: [c]}",
      "{id: b, bash: b, depends_on: [a]}",
      "{id: c, bash: b, depends_on: [b]}",
    ),
    ["CYCLE 3:34"],
  ],
  ["a node that waits for itself", file("{id: a, bash: b, depends_on: [a]}"), ["CYCLE 3:34"]],
  ["a key that nobody knows", file("{id: a, bash: b, depend_on: []}"), ["UNKNOWN_FIELD 3:22"]],
  ["a hook that does nothing", file("{id: a, prompt: p, hooks: {Stop: [{matcher: x}]}}"), ["BAD_VALUE 3:39"]],
  ["extras of an agent on a script", file("{id: a, bash: b, mcp: x.json}"), ["~IGNORED_FIELD 3:22"]],
  ["a wait for nothing", file("{id: a, wait: 5}"), ["BAD_VALUE 3:13", "BAD_VALUE 3:19"]],
  ["a wait for two things", file("{id: a, wait: {event: e, duration_ms: 5}}"), ["BAD_VALUE 3:13"]],
  ["a wait until no time", file("{id: a, wait: {until: soon}}"), ["BAD_VALUE 3:27"]],
  ["a result of no node", `returns: b\n${file("{id: a, bash: b}")}`, ["UNKNOWN_REFERENCE 1:10"]],
  ["an include node", file("{id: a, include: x}"), ["UNKNOWN_WORKFLOW 3:22"]],
  ["a loop's key on the node", file("{id: a, prompt: p, until: X}"), ["UNKNOWN_FIELD 3:24"]],
  ["a key twice", "name: w\nname: v\nnodes:\n  - {id: a, bash: b}\n", ["DUPLICATE_KEY 2:1"]],
  ["a list where text belongs", file("{id: a, bash: [b]}"), ["BAD_VALUE 3:19"]],
  ["a blank prompt", file("{id: a, prompt: ' '}"), ["BAD_VALUE 3:21"]],
  ["a blank bash", file("{id: a, bash: ''}"), ["BAD_VALUE 3:19"]],
  ["a wrong trigger rule", file("{id: a, bash: b, trigger_rule: any}"), ["BAD_VALUE 3:36"]],
  ["a timeout of zero", file("{id: a, bash: b, timeout: 0}"), ["BAD_VALUE 3:31"]],
  ["a retry out of range", file("{id: a, bash: b, retry: {max_attempts: 6}}"), ["BAD_VALUE 3:44"]],
  ["a script without a runtime", file("{id: a, script: x}"), ["BAD_VALUE 3:13"]],
  ["an unknown command file", file("{id: a, command: x}"), ["BAD_VALUE 3:22"]],
  ["a command outside the folder", file("{id: a, command: ../x}"), ["BAD_VALUE 3:22"]],
  [
    "an approval without a message",
    file("{id: a, approval: {}}"),
    ["BAD_VALUE 3:13", "~INTERACTIVE_NOT_DECLARED 3:13"],
  ],
  ["two kinds in one node", file("{id: a, bash: b, prompt: p}"), ["ONE_KIND 3:13"]],
  ["no kind", file("{id: a}"), ["ONE_KIND 3:5"]],
  ["an unknown node in a prompt", file('{id: a, prompt: "so $b.output"}'), ["UNKNOWN_REFERENCE 3:25"]],
  [
    "a node that is not upstream",
    file("{id: b, bash: x}", '{id: a, bash: "echo $b.output"}'),
    ["UNKNOWN_REFERENCE 4:25"],
  ],
  ["its own output", file("{id: a, prompt: see $a.output}"), ["UNKNOWN_REFERENCE 3:25"]],
  ["an item outside a for-each", file("{id: a, prompt: see $LOOP_ITEM}"), ["UNKNOWN_REFERENCE 3:25"]],
  ["a name nobody knows", file("{id: a, prompt: see $USER_MESAGE}"), ["~UNKNOWN_REFERENCE 3:25"]],
  ["an input not declared", file("{id: a, prompt: see $INPUTS.x}"), ["~UNKNOWN_REFERENCE 3:25"]],
  ["$LOOP_PREV outside a body", file("{id: a, prompt: see $LOOP_PREV.b.output}"), ["UNKNOWN_REFERENCE 3:25"]],
  ["a condition that is none", file('{id: a, bash: b, when: "1 +"}'), ["BAD_EXPRESSION"]],
  ["an unknown agent", file("{id: a, prompt: p, agent: clode}"), ["UNKNOWN_AGENT 3:31"]],
  ["an unknown agent for all", "name: w\nagent: x\nnodes:\n  - {id: a, bash: b}\n", ["UNKNOWN_AGENT 2:8"]],
  ["an unknown workflow", file("{id: a, workflow: x}"), ["UNKNOWN_WORKFLOW 3:23"]],
  [
    "a key of Archon's that has no effect",
    file("{id: a, prompt: p, output_type: x}"),
    ["~IGNORED_FIELD 3:24"],
  ],
  ["a key that has no effect on this kind", file("{id: a, bash: b, model: x}"), ["~IGNORED_FIELD 3:22"]],
  ["a loop without a stop", loop(...without("until")), ["LOOP_NO_STOP 4:5"]],
  ["a blank stop", loop("until: ' '", ...without("until")), ["LOOP_BLANK_STOP 5:14"]],
  ["a signal without end", loop(`until: ${"x".repeat(1001)}`, ...without("until")), ["LIMIT 5:14"]],
  ["an empty stop", loop("until_bash:", ...sound), ["LOOP_BLANK_STOP 5:7"]],
  ["a loop without a limit", loop(...without("max")), ["LOOP_MAX_MISSING 4:5"]],
  ["a limit of zero", loop("max_iterations: 0", ...without("max")), ["LOOP_MAX_RANGE 5:23"]],
  ["a limit out of range", loop("max_iterations: 10001", ...without("max")), ["LOOP_MAX_RANGE 5:23"]],
  ["a limit in words", loop("max_iterations: many", ...without("max")), ["LOOP_MAX_RANGE 5:23"]],
  ["a half iteration", loop("max_iterations: 1.5", ...without("max")), ["LOOP_MAX_RANGE 5:23"]],
  [
    "a loop over a list with a limit",
    loop("for_each: [1]", "prompt: p", "max_iterations: 3"),
    ["LOOP_MODE_CONFLICT 7:7"],
  ],
  [
    "attempts that ask people",
    loop("attempts: 2", "interactive: true", "gate_message: m", ...sound),
    ["LOOP_MODE_CONFLICT 6:7", "~INTERACTIVE_NOT_DECLARED"],
  ],
  ["attempts of nobody", loop("attempts: { first_green: true }", ...sound), ["BAD_VALUE 5:17"]],
  [
    "attempts by an unknown agent",
    loop("attempts: { agents: [claude, nobody] }", ...sound),
    ["UNKNOWN_AGENT 5:36"],
  ],
  ["attempts over a list", loop("for_each: [a]", "attempts: 2", "prompt: p"), ["LOOP_MODE_CONFLICT 6:7"]],
  [
    "a limit of concurrent items without items",
    loop("max_concurrency: 2", ...sound),
    ["LOOP_MODE_CONFLICT 5:7"],
  ],
  ["isolation without a list", loop("isolation: worktree", ...sound), ["LOOP_MODE_CONFLICT 5:7"]],
  ["an empty list", loop("for_each: []", "prompt: p"), ["LOOP_EMPTY_LIST 5:17"]],
  ["a loop with nothing in it", loop(...without("prompt")), ["LOOP_EMPTY_BODY 4:5"]],
  ["a loop over no nodes", loop("nodes: []", ...without("prompt")), ["LOOP_EMPTY_BODY 5:14"]],
  ["a loop with two bodies", loop("command: c", ...sound), ["ONE_KIND 5:7"]],
  ["a pause before a retry there is none of", loop(...sound, "retry_delay: 1s"), ["BAD_VALUE 8:7"]],
  [
    "what follows from the iteration before, over items",
    loop("for_each: [1]", "prompt: p", "on_error: forget", "output: transcript"),
    ["LOOP_MODE_CONFLICT 7:17", "LOOP_MODE_CONFLICT 8:15"],
  ],
  ["a pause before restarts there are none of", loop(...sound, "restart_delay: 1s"), ["BAD_VALUE 8:7"]],
  ["restarts out of range", loop(...sound, "restarts: 21"), ["BAD_VALUE 8:17"]],
  [
    "no time at all",
    `time_limit: 0\n${loop(...sound, "time_limit: soon")}`,
    ["BAD_VALUE 1:13", "BAD_VALUE 9:19"],
  ],
  ["a retry on a loop", `${loop(...sound)}    retry: {max_attempts: 2}\n`, ["LOOP_RETRY 8:5"]],
  [
    "an interactive loop without a message",
    loop("interactive: true", ...sound),
    ["GATE_MESSAGE_MISSING 5:7", "~INTERACTIVE_NOT_DECLARED 5:7"],
  ],
  ["an unknown judge", loop("until_agent: nobody", ...sound), ["JUDGE_UNKNOWN 5:20"]],
  ["an expression that is none", loop("until_expr: 'output ='", ...sound), ["BAD_EXPRESSION 5:27"]],
  ["a loop's name outside a loop", file('{id: a, bash: b, when: "size(output) > 1"}'), ["BAD_EXPRESSION"]],
  ["an unknown name in an expression", loop("until_expr: outptu == 'x'", ...sound), ["BAD_EXPRESSION 5:19"]],
  ["a field without a schema", loop("until_field: done", ...sound), ["BAD_VALUE 5:20"]],
  ["a best iteration without a metric", loop("keep: best", ...sound), ["BAD_VALUE 5:13"]],
  ["a baseline without a check", loop("check: {baseline: true}", ...sound), ["BAD_VALUE 5:7"]],
  ["failing and succeeding by one word", loop("fail_until: DONE", ...sound), ["BAD_VALUE 5:19"]],
  ["too many nodes", file(...Array.from({ length: 20_001 }, (_, index) => `{id: a${index}}`)), ["LIMIT 3:3"]],
];

test.each(cases)("%s is refused at its position", (_, text, expected) => {
  expect(
    diagnosticsOf(text).map((it, index) => (expected[index]?.includes(" ") ? it : it.split(" ")[0])),
  ).toEqual(expected);
});

test("a judge's schema must have a boolean `done`", () => {
  const judge = "agents:\n  j: {agent: claude, result_schema: {properties: {ok: {type: boolean}}}}\n";
  expect(diagnosticsOf(judge + loop("until_agent: j", ...sound))).toEqual(["JUDGE_SCHEMA 7:20"]);
});

test("one bad node hides nothing in the others", () => {
  const text = file("{id: 1, bsh: x}", "just text", "{id: c, prompt: p, timeout: soon}", "{id: d, loop: {}}");
  expect(diagnosticsOf(text)).toEqual([
    "BAD_ID 3:10",
    "UNKNOWN_FIELD 3:13",
    "BAD_VALUE 4:5",
    "BAD_VALUE 5:33",
    "LOOP_EMPTY_BODY 6:13",
    "LOOP_NO_STOP 6:13",
    "LOOP_MAX_MISSING 6:13",
  ]);
});

test("a reference in a block of text is shown on its own line", () => {
  const text = `name: w\nnodes:\n  - id: a\n    prompt: |\n      First.\n      Then $b.output.\n`;
  expect(diagnosticsOf(text)).toEqual(["UNKNOWN_REFERENCE 6:12"]);
});

test("of a text full of unknown names the first twenty are reported, each once", () => {
  const names = Array.from({ length: 100 }, (_, index) => `$no${index}.output $no${index}.output`).join(" ");
  expect(diagnosticsOf(file(`{id: a, prompt: '${names}'}`))).toHaveLength(20);
});
