import { expect, test } from "vitest";
import type { WorkspaceAnswer, WorkspaceRequest } from "../../src/ports/workspace.ts";
import { type Stage, stage } from "../parts/stage.ts";

const guarded = `
name: t
interactive: true
nodes:
  - id: fix
    loop:
      prompt: "[$LOOP_USER_INPUT]"
      until_bash: npm test
      max_iterations: 2
      protect: [a.js]
      on_protected_change: gate
      check: { clean: off }
`;

/** A run whose agent changes protected files in its first iteration, with what the workspace was asked. */
async function changing(answer: (request: WorkspaceRequest, count: number) => WorkspaceAnswer = () => ({})) {
  const asked: WorkspaceRequest[] = [];
  const it = stage(guarded, {
    shell: (_, call) => (call === 1 ? 1 : 0),
    workspace(request) {
      asked.push(request);
      const count = asked.filter(({ op }) => op === request.op).length;
      const plain =
        request.op === "snapshot"
          ? { commit: `c${count}`, tree: `t${count}` }
          : request.op === "diff"
            ? { patch: "-old\n+new" }
            : request.op === "protect" && count === 1
              ? { restored: ["a.js", "b.js"] }
              : {};
      return { ...plain, ...answer(request, count) };
    },
  });
  await it.begin();
  return { it, asked };
}

const notices = (it: Stage) => it.of("notice").map(({ code, path, message }) => `${code} ${path} ${message}`);
const tampered = ["TAMPERED /fix#1 the agent changed protected files; they were restored: a.js, b.js"];
const steps = (asked: readonly WorkspaceRequest[]) =>
  asked.map((request) => {
    const { op } = request;
    if (op === "snapshot") return `${op} since ${request.since}: ${request.message}`;
    if (op === "diff") return `${op} ${request.from} ${request.to}`;
    return "commit" in request ? `${op} ${request.commit}` : op;
  });

test("a person is shown what changed, and accepted changes become the protected state", async () => {
  const { it, asked } = await changing();
  expect(it.of("gate.opened").map(({ path, question }) => [path, question])).toEqual([
    [
      "/fix#1!protected",
      "The agent changed protected files: a.js, b.js. They are restored now.\n\n    -old\n    +new\n\nApprove to keep these changes; reject to continue without them.",
    ],
  ]);
  await it.decide("approve", "well done");
  expect(steps(asked)).toEqual([
    "snapshot since undefined: before the first iteration",
    "inspect c1",
    "snapshot since c1: protected files, changed",
    "protect c1",
    "snapshot since c1: protected files, kept",
    "diff c3 c2",
    "restore c2",
    "inspect c2",
    "snapshot since c1: fix, iteration 1",
    "snapshot since c4: protected files, changed",
    "protect c2",
    "snapshot since c4: fix, iteration 2",
    "diff c1 c6",
  ]);
  expect(it.prompts.map(({ prompt }) => prompt)).toEqual(["[]", "[well done]"]);
  expect(notices(it)).toEqual([]);
});

test("rejected changes stay restored, with a notice; without a reason, the agent gets none", async () => {
  const { it, asked } = await changing();
  await it.decide("reject");
  expect(it.prompts.map(({ prompt }) => prompt)).toEqual(["[]", "[]"]);
  expect(notices(it)).toEqual(tampered);
  expect(steps(asked).filter((step) => step.startsWith("restore") || step.startsWith("protect"))).toEqual([
    "protect c1",
    "protect c1",
  ]);
});

test.each<[string, (request: WorkspaceRequest, count: number) => WorkspaceAnswer]>([
  ["are in no snapshot, since git ignores the files", ({ op }) => (op === "diff" ? { patch: " \n" } : {})],
  ["have no patch", ({ op }) => (op === "diff" ? { patch: "" } : {})],
])("nobody is asked about changes that %s", async (_, answer) => {
  const { it } = await changing(answer);
  expect(it.of("gate.opened")).toEqual([]);
  expect(notices(it)).toEqual(tampered);
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 2 });
});

test.each([
  ["with the changes", 2],
  ["without them", 3],
])("nobody is asked if the snapshot %s fails", async (_, failing) => {
  const { it } = await changing(({ op }, count) => {
    if (op === "snapshot" && count === failing) throw new Error("the disk is full");
    return {};
  });
  expect(it.of("gate.opened")).toEqual([]);
  expect(notices(it).filter((notice) => notice.startsWith("TAMPERED"))).toEqual(tampered);
});
