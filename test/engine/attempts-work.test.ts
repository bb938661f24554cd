import { expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import { attemptWorld } from "../parts/attempt-world.ts";
import { eventBodies } from "../parts/event-bodies.ts";
import { type Stage, stage } from "../parts/stage.ts";

const source = (attempts: string) => `
name: t
nodes:
  - id: fix
    loop: { prompt: go, until_bash: npm test, max_iterations: 1, attempts: ${attempts} }
`;

/** The events of the attempts and of what follows from them, without those inside an attempt. */
const outside = (it: Stage) =>
  eventBodies(it.events).filter((event) => "path" in event && /^\/fix(#\d)?$/.test(event.path ?? ""));

const notices = (it: Stage) => it.of("notice").map(({ code, message }) => `${code}: ${message}`);

test("each attempt works in its own checkout, and its event says what it changed and how it ended", async () => {
  const { asked, props } = attemptWorld([3, 1]);
  const it = stage(source("2"), props);
  await it.begin();
  const because =
    "no attempt was green; the best one ended with: fix was not done after 1 iteration: the check failed (exit 1)";
  expect(outside(it)).toEqual([
    { type: "node.started", path: "/fix", node: "fix", label: "fix", kind: "for-each" },
    { type: "loop.started", path: "/fix", node: "fix", mode: "attempts", items: 2 },
    { type: "iteration.started", path: "/fix#1", node: "fix", number: 1 },
    {
      ...{ type: "iteration.ended", path: "/fix#1", node: "fix", number: 1, output: "did go" },
      ...{ snapshot: "end-fix-1", since: "base-fix-1" },
      diff: { files: 1, added: 4, removed: 1, paths: ["a.js"] },
      attempt: { green: false, stop_reason: "max-iterations", failing: 3, lines: 5 },
    },
    { type: "iteration.started", path: "/fix#2", node: "fix", number: 2 },
    {
      ...{ type: "iteration.ended", path: "/fix#2", node: "fix", number: 2, output: "did go" },
      ...{ snapshot: "end-fix-2", since: "base-fix-2" },
      diff: { files: 1, added: 4, removed: 2, paths: ["a.js"] },
      attempt: { green: false, stop_reason: "max-iterations", failing: 1, lines: 6 },
    },
    {
      ...{ type: "notice", code: "KEPT_ATTEMPT", path: "/fix" },
      message: "kept attempt 2 of 2: red, 1 failing tests, 6 changed lines",
    },
    {
      ...{ type: "loop.ended", path: "/fix", node: "fix", status: "failed" },
      ...{ stop_reason: "max-iterations", iterations: 2, chosen: 2 },
    },
    {
      ...{ type: "node.ended", path: "/fix", node: "fix", label: "fix", status: "failed" },
      ...{ output: "did go", reason: because },
    },
  ]);
  const closed = { commit: "end-fix-2", tree: "tree-fix-2" };
  expect(asked.filter(({ op }) => ["fork", "close", "join"].includes(op))).toEqual([
    { op: "fork", name: "fix-1" },
    { op: "close", name: "fix-1" },
    { op: "fork", name: "fix-2" },
    { op: "close", name: "fix-2" },
    { op: "join", name: "fix-2", from: "base-fix-2", closed },
  ]);
});

test("the events of attempts by several agents name the agent of each", async () => {
  const it = stage(source("{ agents: [claude, codex] }"), attemptWorld([1, 0]).props);
  await it.begin();
  const named = it.of("iteration.started", "iteration.ended").filter(({ path }) => /^\/fix#\d$/.test(path));
  expect(named.map(({ type, number, item }) => [type, number, item])).toEqual([
    ["iteration.started", 1, "claude"],
    ["iteration.ended", 1, "claude"],
    ["iteration.started", 2, "codex"],
    ["iteration.ended", 2, "codex"],
  ]);
  expect(notices(it)).toEqual(["KEPT_ATTEMPT: kept attempt 2 of 2: green, 6 changed lines"]);
});

test("attempts inside another loop have checkouts named after their place", async () => {
  const { asked, props } = attemptWorld([0]);
  const it = stage(
    `
name: t
nodes:
  - id: outer
    loop:
      max_iterations: 1
      until: DONE
      on_max: succeed
      nodes: [{ id: fix, loop: { prompt: go, until_bash: npm test, max_iterations: 1, attempts: 2 } }]
`,
    props,
  );
  await it.begin();
  const names = asked.flatMap((request) => (request.op === "fork" ? [request.name] : []));
  expect(names).toEqual(["outer-1-fix-1", "outer-1-fix-2"]);
});

test("an attempt whose checkout cannot be made fails alone, and the next one is kept", async () => {
  const { asked, props } = attemptWorld([0, 0], (request) => {
    if (request.op === "fork" && request.name === "fix-1") throw new Error("the disk is full");
    return undefined;
  });
  const it = stage(source("2"), props);
  await it.begin();
  const [first] = outside(it).filter(({ type }) => type === "iteration.ended");
  expect(first).toEqual({
    ...{ type: "iteration.ended", path: "/fix#1", node: "fix", number: 1, output: "" },
    attempt: { green: false, stop_reason: "internal" },
  });
  expect(asked.flatMap((request) => (request.op === "join" ? [request.name] : []))).toEqual(["fix-2"]);
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("if no attempt has a checkout, nothing is joined, and the loop fails with the first one's error", async () => {
  const { asked, props } = attemptWorld([], (request) => {
    if (request.op === "fork") throw new Error(`there is no room for ${request.name}`);
    return undefined;
  });
  const it = stage(source("2"), props);
  await it.begin();
  expect(asked.map(({ op }) => op)).toEqual(["fork", "fork"]);
  expect(notices(it)).toEqual([]);
  expect(it.end()).toMatchObject({ conclusion: "failure", because: "there is no room for fix-1" });
});

test("an attempt that has left no work is counted without changes", async () => {
  const it = stage(source("2"), attemptWorld([0, 1], ({ op }) => (op === "close" ? {} : undefined)).props);
  await it.begin();
  const ended = outside(it).filter(({ type }) => type === "iteration.ended");
  expect(ended.map((event) => ("attempt" in event ? [event.attempt, "diff" in event] : []))).toEqual([
    [{ green: true, stop_reason: "until-bash", failing: 0 }, false],
    [{ green: false, stop_reason: "max-iterations", failing: 1 }, false],
  ]);
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test.each([
  ["cannot be joined", "internal", "the index is damaged"],
  [
    "conflicts",
    "node-failed",
    "attempt 1 is the best, but conflicts with what changed meanwhile in a.js, b.js",
  ],
])("work that %s fails the loop", async (what, stop_reason, because) => {
  const { props } = attemptWorld([0], ({ op }) => {
    if (op !== "join") return undefined;
    if (what === "cannot be joined") throw new Error("the index is damaged");
    return { conflicts: ["a.js", "b.js"] };
  });
  const it = stage(source("2"), props);
  await it.begin();
  expect(notices(it)).toEqual([]);
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason, because });
});

test("with `first_green`, a red attempt does not end the next one", async () => {
  const { asked, props } = attemptWorld([1, 0, 0]);
  const it = stage(source("{ count: 3, first_green: true }"), props);
  await it.begin();
  expect(it.prompts).toHaveLength(2);
  expect(asked.at(-1)).toMatchObject({ op: "join", name: "fix-2" });
});

test("of attempts that are equal, the one with the lower number is kept, whichever ended first", async () => {
  const { asked, props } = attemptWorld([0, 0], (request) =>
    request.op === "close"
      ? { commit: "c", tree: "t", diff: { files: 0, added: 0, removed: 0, paths: [] } }
      : undefined,
  );
  let releaseFirst = (_: string) => {};
  const first = new Promise<string>((resolve) => {
    releaseFirst = resolve;
  });
  const it = stage(source("2").replace("attempts", "max_concurrency: 2, attempts"), {
    ...props,
    agent(_, call) {
      if (call === 1) return first;
      setTimeout(() => releaseFirst("ok"), 20);
      return "ok";
    },
  });
  await it.begin();
  const order = outside(it).flatMap((event) => (event.type === "iteration.ended" ? [event.number] : []));
  expect(order).toEqual([2, 1]);
  expect(asked.at(-1)).toMatchObject({ op: "join", name: "fix-1" });
});

test("if the user chose the agent, it makes all attempts, and its refused key stops the run", async () => {
  const it = stage(source("{ agents: [claude, codex] }"), {
    ...attemptWorld([0, 0]).props,
    facts: { agent: "claude" },
    agent: () => new AgentError("auth", "refused the secret (401)", { isFixable: true }),
  });
  await expect(it.begin()).rejects.toThrow("refused the secret (401)");
});
