import { expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import type { WorkspaceAnswer, WorkspaceRequest } from "../../src/ports/workspace.ts";
import { attemptWorld } from "../parts/attempt-world.ts";
import { type Stage, stage } from "../parts/stage.ts";

const source = (pick: string) => `
name: t
nodes:
  - id: fix
    loop: { prompt: fix it, until_bash: npm test, max_iterations: 1, attempts: { count: 3, pick: [${pick}] } }
`;

type Reply = string | AgentError;

/** Three attempts, of which the third is red, and a judge that gives this answer. */
async function choosing(
  reply: Reply,
  {
    pick = "green, judge, smallest-diff",
    failing = [0, 0, 2],
    answer,
  }: {
    readonly pick?: string;
    readonly failing?: readonly number[];
    readonly answer?: (request: WorkspaceRequest) => WorkspaceAnswer | undefined;
  } = {},
) {
  const { asked, props } = attemptWorld(failing, answer);
  const it = stage(source(pick), { ...props, agent: ({ role }) => (role === "judge" ? reply : "ok") });
  await it.begin();
  const judged = it.prompts.filter(({ role }) => role === "judge");
  const last = asked.slice(asked.findLastIndex(({ op }) => op === "close") + 1);
  const joined = last.flatMap((request) => (request.op === "join" ? [request.name] : []));
  return { it, judged, last, joined };
}

const notices = (it: Stage) =>
  it.of("notice").map(({ code, path, message }) => `${code} ${path}: ${message}`);

test("a judge is shown the task and the change of each attempt that is as good as another", async () => {
  const { judged, last } = await choosing('{"best": 2, "reason": "it fixes the cause"}');
  expect(judged).toHaveLength(1);
  expect(judged[0]?.prompt).toContain(`
<task>
the message

fix it
</task>

<attempt-1>
+by end-fix-1
</attempt-1>

<attempt-2>
+by end-fix-2
</attempt-2>
`);
  const [one, two, before, after] = last;
  expect([one, two]).toEqual([
    { op: "diff", from: "base-fix-1", to: "end-fix-1", most: 60_000 },
    { op: "diff", from: "base-fix-2", to: "end-fix-2", most: 60_000 },
  ]);
  expect(before).toEqual({ op: "snapshot", message: "before a judge" });
  expect(after).toMatchObject({ op: "snapshot", message: "after a judge" });
});

test("what the judge says of its choice is in the notice, if it says anything", async () => {
  const chosen = await choosing('{"best": 2, "reason": "it fixes the cause"}');
  expect(chosen.joined).toEqual(["fix-2"]);
  const kept = "KEPT_ATTEMPT /fix: kept attempt 2 of 3: green, 6 changed lines; the judge chose it";
  expect(notices(chosen.it).at(-1)).toBe(`${kept}: it fixes the cause`);
  const silent = await choosing('{"best": 2}');
  expect(notices(silent.it).at(-1)).toBe(kept);
});

test("a judge that changes files of the workspace has them restored", async () => {
  const { last, it } = await choosing('{"best": 1}');
  expect(last.map(({ op }) => op)).toEqual(["diff", "diff", "snapshot", "snapshot", "restore", "join"]);
  expect(notices(it)[0]).toBe("JUDGE_CHANGED_FILES /fix!judge: the judge changed files; they were restored");
});

const still = (request: WorkspaceRequest) =>
  request.op === "snapshot" ? { commit: "c", tree: "t" } : undefined;
const isUnhelpful = "JUDGE_FAILED /fix!judge: the judge did not choose an attempt:";

test.each<readonly [string, Reply, string]>([
  ["names no attempt", "both are fine", "it named none of the attempts"],
  ["names a red attempt", '{"best": 3}', "it named none of the attempts"],
  ["fails", new AgentError("crash", "it fell over"), "it fell over"],
])("after a judge that %s, the next rule decides", async (_, reply, because) => {
  const { it, joined } = await choosing(reply, { answer: still });
  expect(joined).toEqual(["fix-1"]);
  expect(notices(it)).toEqual([
    `${isUnhelpful} ${because}`,
    "KEPT_ATTEMPT /fix: kept attempt 1 of 3: green, 5 changed lines",
  ]);
});

test("a change that cannot be shown is no reason to fail: the next rule decides", async () => {
  const { it, judged, joined } = await choosing('{"best": 2}', {
    answer(request) {
      if (request.op === "diff") throw new Error("the objects are gone");
      return undefined;
    },
  });
  expect(judged).toEqual([]);
  expect(joined).toEqual(["fix-1"]);
  expect(notices(it)[0]).toBe(`${isUnhelpful} the objects are gone`);
});

test("an attempt whose work is lost is not shown to the judge", async () => {
  const { judged, joined } = await choosing('{"best": 2}', {
    answer: (request) => (request.op === "close" && request.name === "fix-1" ? {} : still(request)),
    failing: [0, 0, 0],
  });
  expect(judged[0]?.prompt).toContain("attempts were made at the same task: 2, 3.");
  expect(joined).toEqual(["fix-2"]);
});

test.each([
  ["one attempt is green", "judge", [1, 0, 2], "fix-2"],
  ["an earlier rule decides", "smallest-diff, judge", [0, 0, 0], "fix-1"],
  ["all are red, and the failing tests decide", "tests, judge", [3, 2, 1], "fix-3"],
])("no judge is asked if %s", async (...[, pick, failing, best]) => {
  const { judged, joined } = await choosing('{"best": 2}', { pick, failing });
  expect(judged).toEqual([]);
  expect(joined).toEqual([best]);
});

test("a judge chooses among red attempts, if none is green", async () => {
  const { judged, joined } = await choosing('{"best": 2}', { pick: "judge", failing: [1, 2, 3] });
  expect(judged).toHaveLength(1);
  expect(joined).toEqual(["fix-2"]);
});
