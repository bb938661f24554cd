import { expect, test } from "vitest";
import { AgentError } from "../../../src/ports/agent.ts";
import { blocksFile, diagnosticsOf, outputsOf, promptOf, run, type Script } from "./files.ts";

const soul = (...ids: readonly string[]) => ids.map((id) => `  ${id}: { type: linear, soul_ref: writer }`);
const says: Script = (node, iteration) => `${node} ${iteration}`;

const exits =
  "[{ id: left, label: L, soul_ref: writer, task: Look left. }, { id: right, label: R, soul_ref: critic, task: Look right. }]";
const fan = (more = "", list = exits) => `  fan: { type: dispatch, exits: ${list}${more} }`;
const fanned = (...blocks: readonly string[]) =>
  blocksFile({ entry: "fan", transitions: "[{ from: fan, to: after }]" }, ...blocks);

test("a dispatch gives each of its souls its task in parallel, and returns a list of their answers", async () => {
  const started: string[] = [];
  let open: () => void = () => undefined;
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  const file = fanned(
    fan(", inputs: { topic: { from: workflow.message } }"),
    "  after: { type: linear, soul_ref: writer, inputs: { left: { from: fan.left }, all: { from: fan } } }",
  );
  const it = await run(file, (node) => {
    if (node === "after") return "done";
    started.push(node);
    if (started.length === 2) open();
    return both.then(() => `saw ${node}`) as unknown as string;
  });
  const all = '[{"exit_id":"left","output":"saw left"},{"exit_id":"right","output":"saw right"}]';
  expect(outputsOf(it).toSorted()).toEqual([
    "/after: done",
    "/fan/left: saw left",
    "/fan/right: saw right",
    `/fan: ${all}`,
  ]);
  expect(promptOf(it, "left")).toBe("## Request\nthe task\n\n## topic\nthe task\n\nLook left.");
  expect(it.prompts.map(({ node, instructions }) => [node, instructions]).slice(0, 2)).toEqual([
    ["left", "You are the writer."],
    ["right", "You are the critic."],
  ]);
  expect(promptOf(it, "after")).toContain(`## left\nsaw left\n\n## all\n${all}`);
  expect(it.of("node.ended").map(({ node, exit }) => [node, exit])).toEqual(
    expect.arrayContaining([
      ["left", "left"],
      ["right", "right"],
      ["fan", undefined],
    ]),
  );
});

test("its own output may give it an exit, by which the workflow continues; without one it has none", async () => {
  const file = (more: string) =>
    blocksFile(
      { entry: "fan", conditional_transitions: "[{ from: fan, left: a, found: b, default: c }]" },
      fan(more),
      ...soul("a", "b", "c"),
    );
  const plain = await run(file("").replace("found: b, ", ""), says);
  expect(plain.end()?.output).toBe("c 0");
  const ruled = await run(file(", exit_conditions: [{ contains: right, exit_handle: found }]"), says);
  expect(ruled.end()?.output).toBe("b 0");
});

test("where one of its souls fails, the block has failed, and its error route may take that", async () => {
  const script: Script = (node) => (node === "right" ? new AgentError("crash", "broke") : node);
  const failed = await run(fanned(fan(), ...soul("after")), script);
  expect(failed.end()).toMatchObject({ conclusion: "failure", because: "broke" });
  const caught = await run(fanned(fan(", error_route: rescue"), ...soul("after", "rescue")), script);
  expect(caught.end()).toMatchObject({ conclusion: "success", output: "rescue" });
});

test("in a loop it sees what is carried, each of its souls continues its own conversation, a gate may judge one", async () => {
  const file = blocksFile(
    { entry: "l" },
    fan(", stateful: true"),
    "  g: { type: gate, soul_ref: critic, eval_key: fan.right }",
    "  l: { type: loop, inner_block_refs: [fan, g], max_rounds: 3, break_on_exit: pass, carry_context: { source_blocks: [fan] } }",
  );
  const it = await run(file, (node, n) =>
    node === "g" ? (n === 2 ? "PASS" : "FAIL: no") : { text: `${node} ${n}`, session: `of ${node}` },
  );
  expect(it.end()).toMatchObject({ stop_reason: "exit-handle", iterations: 2 });
  const sessions = (node: string) =>
    it.prompts.filter((one) => one.node === node).map(({ session }) => session);
  expect(sessions("left")).toEqual([undefined, "of left"]);
  expect(sessions("right")).toEqual([undefined, "of right"]);
  expect(promptOf(it, "left")).toContain("## previous_round_context\n");
  expect(promptOf(it, "g")).toContain("right 2");
  expect(promptOf(it, "g")).not.toContain("left 2");
});

test("a soul whose answer names no conversation continues the one before it in the next round", async () => {
  const file = blocksFile(
    { entry: "l" },
    fan(", stateful: true"),
    "  g: { type: gate, soul_ref: critic, eval_key: fan.right }",
    "  l: { type: loop, inner_block_refs: [fan, g], max_rounds: 3, break_on_exit: pass }",
  );
  const it = await run(file, (node, n) =>
    node === "g" ? "FAIL: no" : ({ text: node, session: n === 1 ? `of ${node}` : undefined } as never),
  );
  const left = it.prompts.filter(({ node }) => node === "left");
  expect(left.map(({ session }) => session)).toEqual([undefined, "of left", "of left"]);
});

test("a dispatch that is retried asks all of its souls again", async () => {
  let calls = 0;
  const it = await run(fanned(fan(", retry_config: { max_attempts: 2 }"), ...soul("after")), (node) =>
    node === "right" && ++calls === 1 ? new AgentError("crash", "once") : node,
  );
  expect(it.end()).toMatchObject({ conclusion: "success" });
  expect(it.prompts.filter(({ node }) => node === "left")).toHaveLength(2);
});

const dispatch = (list: string, more = "") => blocksFile({ entry: "fan" }, fan(more, list));

test.each([
  ["no exits", blocksFile({ entry: "fan" }, "  fan: { type: dispatch }"), ["BAD_VALUE 3:3"]],
  ["an empty list", dispatch("[]"), ["BAD_VALUE 3:33"]],
  [
    "exits without their parts",
    dispatch("[{ id: a }, 3]"),
    ["BAD_VALUE 3:34", "BAD_VALUE 3:34", "BAD_VALUE 3:45"],
  ],
  [
    "a soul that is not there, a blank task",
    dispatch("[{ id: a, soul_ref: nobody, task: ' ' }]"),
    ["UNKNOWN_AGENT 3:53", "BAD_VALUE 3:67"],
  ],
  [
    "two exits of one name, and one that is no name",
    dispatch(
      "[{ id: a, soul_ref: writer, task: t }, { id: a, soul_ref: writer, task: t }, { id: a.b, soul_ref: writer, task: t }]",
    ),
    ["DUPLICATE_ID 3:78", "BAD_ID 3:116"],
  ],
  [
    "keys of others",
    dispatch("[{ id: a, soul_ref: writer, task: t, tsk: u }]", ", soul_ref: writer"),
    ["UNKNOWN_FIELD 3:70", "UNKNOWN_FIELD 3:81"],
  ],
  [
    "too many",
    dispatch(`[${Array.from({ length: 51 }, (_, n) => `{ id: a${n}, soul_ref: writer, task: t }`)}]`),
    ["LIMIT 3:33"],
  ],
  [
    "an input of an exit that is not there",
    fanned(fan(), "  after: { type: gate, soul_ref: writer, eval_key: fan.up }"),
    ["UNKNOWN_REFERENCE 4:52"],
  ],
])("a dispatch with %s is refused", (_, text, expected) => {
  expect(diagnosticsOf(text)).toEqual(expected);
});
