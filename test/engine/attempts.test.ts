import { describe, expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import type { WorkspaceRequest } from "../../src/ports/workspace.ts";
import { planText } from "../../src/render/plan-markdown.ts";
import { runMarkdown } from "../../src/render/run-markdown.ts";
import { createRunProjection } from "../../src/status/run-projection.ts";
import { attemptTrials } from "../parts/attempt-trials.ts";
import { type Props, planOf, type Stage, stage } from "../parts/stage.ts";

const fix = (more: string) => `
name: t
nodes:
  - id: fix
    agent: claude
    loop:
      prompt: go
      until_bash: npm test
      max_iterations: 3
      ${more}
`;

interface Try {
  /** How many tests fail after each iteration; the last number stays. */
  readonly failing: readonly number[];
  readonly lines: number;
  /** What the metric prints after each iteration; the last one stays. */
  readonly metric?: readonly string[];
}

/** A world in which each attempt fares as it is told. */
function world(tries: readonly Try[], asked: WorkspaceRequest[] = []): Props {
  const numberIn = (text: string) => Number(/fix-(\d+)/.exec(text)?.[1] ?? 0);
  const checked = new Map<number, number>();
  return {
    workspace(request) {
      asked.push(request);
      if (request.op === "fork") return { path: `/forks/${request.name}`, commit: "base" };
      if (request.op === "snapshot") return { commit: "now", tree: `tree ${asked.length}` };
      if (request.op !== "close") return {};
      const { lines = 0 } = tries[numberIn(request.name) - 1] ?? {};
      const diff = { files: 1, added: lines, removed: 0, paths: ["x"] };
      return { commit: `end-${request.name}`, tree: "tree", diff };
    },
    shell({ clean, role }, _, { workspace }) {
      if (role === "metric") {
        const { metric = [] } = tries[numberIn(workspace) - 1] ?? {};
        const at = checked.get(numberIn(workspace)) ?? 0;
        return { exitCode: 0, stdout: metric[at - 1] ?? metric.at(-1) ?? "", tail: "" };
      }
      if (clean !== undefined || role !== "check") return 0;
      const number = numberIn(workspace);
      const count = checked.get(number) ?? 0;
      checked.set(number, count + 1);
      const { failing = [] } = tries[number - 1] ?? {};
      const failed = failing[count] ?? failing.at(-1) ?? 0;
      return {
        exitCode: failed === 0 ? 0 : 1,
        tail: "",
        tests: { runner: "vitest", passed: 5, failed, skipped: 0 },
      };
    },
  };
}

const joined = (asked: readonly WorkspaceRequest[]) =>
  asked.flatMap((request) => (request.op === "join" ? [request.name] : []));

function summaryOf(it: Stage) {
  const projection = createRunProjection();
  for (const event of it.events) projection.emit(event);
  return projection.summary;
}

const refusedKey = () =>
  new AgentError("auth", "refused the secret ANTHROPIC_API_KEY (401); set a valid key", { isFixable: true });

test("an agent whose key is refused fails its own attempts; those of other agents continue", async () => {
  const attempts = "attempts: { count: 3, agents: [claude, codex] }";
  const props = world(Array.from({ length: 3 }, () => ({ failing: [0], lines: 1 })));
  const it = stage(fix(attempts), {
    ...props,
    agent: ({ agent }) => (agent === "claude" ? refusedKey() : "ok"),
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success" });
  expect(it.of("loop.ended").at(-1)).toMatchObject({ iterations: 3, chosen: 2 });
  const refused = it.of("node.ended").filter(({ path, status }) => path !== "/fix" && status === "failed");
  expect(refused.map(({ path, reason }) => [path, /refused the secret/.test(reason ?? "")])).toEqual([
    ["/fix#1/fix", true],
    ["/fix#3/fix", true],
  ]);
});

test("if one agent makes all attempts, a refused key stops the run, which can continue with another", async () => {
  const props = world([
    { failing: [0], lines: 1 },
    { failing: [0], lines: 2 },
  ]);
  const it = stage(fix("attempts: 2"), { ...props, agent: refusedKey });
  await expect(it.begin()).rejects.toThrow(/refused the secret ANTHROPIC_API_KEY/);
  expect(it.end()).toBeUndefined();
});

test("with an agent that is right two times in five, four attempts end green in 85 of 100 runs, and a budget holds", async () => {
  const { green, overdrawn } = await attemptTrials({ attempts: 4, p: 0.4, trials: 200, maxUsd: 100 });
  expect({ isOften: green >= 0.85, overdrawn: Math.max(0, overdrawn) }, String(green)).toEqual({
    isOften: true,
    overdrawn: 0,
  });
  const capped = await attemptTrials({ attempts: 4, p: 0.4, trials: 50, maxUsd: 2 });
  expect(capped.overdrawn).toBeLessThanOrEqual(4);
});

describe("of several attempts", () => {
  test.each<readonly [string, readonly Try[], number]>([
    [
      "the green one is kept",
      [
        { failing: [2], lines: 1 },
        { failing: [2, 0], lines: 90 },
        { failing: [1], lines: 2 },
      ],
      2,
    ],
    [
      "the green one with the smallest diff is kept",
      [
        { failing: [0], lines: 30 },
        { failing: [0], lines: 10 },
        { failing: [0], lines: 20 },
      ],
      2,
    ],
    [
      "the red one with the fewest failing tests is kept",
      [
        { failing: [3], lines: 1 },
        { failing: [3], lines: 1 },
        { failing: [1], lines: 50 },
      ],
      3,
    ],
  ])("%s", async (_, tries, best) => {
    const asked: WorkspaceRequest[] = [];
    const it = stage(fix("attempts: 3"), world(tries, asked));
    await it.begin();
    expect(joined(asked)).toEqual([`fix-${best}`]);
    expect(asked.flatMap(({ op }) => (op === "close" ? [op] : []))).toHaveLength(3);
    expect(it.of("loop.started")[0]).toMatchObject({ path: "/fix", mode: "attempts", items: 3 });
    expect(it.of("loop.ended").at(-1)).toMatchObject({ path: "/fix", chosen: best });
    const isGreen = tries[best - 1]?.failing.at(-1) === 0;
    expect(it.end()).toMatchObject({
      conclusion: isGreen ? "success" : "failure",
      stop_reason: isGreen ? "until-bash" : "max-iterations",
    });
  });

  test.each([
    ["max", 2],
    ["min", 1],
  ] as const)("by a metric with the direction %s the green attempt %i is kept", async (direction, best) => {
    const tries: readonly Try[] = [
      { failing: [0], lines: 1, metric: ["3"] },
      { failing: [0], lines: 50, metric: ["7.5"] },
      { failing: [0], lines: 2, metric: ["fast"] },
      { failing: [1], lines: 1, metric: ["-99", "99"] },
    ];
    const asked: WorkspaceRequest[] = [];
    const more = `attempts: { count: 4, pick: [metric] }\n      keep: best\n      metric: bench\n      direction: ${direction}`;
    const it = stage(fix(more), world(tries, asked));
    await it.begin();
    expect(joined(asked)).toEqual([`fix-${best}`]);
    const results = it.of("iteration.ended").flatMap(({ attempt }) => attempt ?? []);
    expect(results.map(({ metric }) => metric)).toEqual([3, 7.5, undefined, direction === "max" ? 99 : -99]);
    expect(runMarkdown(summaryOf(it))).toMatch(/^\| 2 \|.*\bmetric\s7\.5\b.*\|$/m);
    const notice = it.of("notice").find(({ code }) => code === "KEPT_ATTEMPT");
    expect(notice?.message).toContain(`green, metric ${best === 1 ? 3 : 7.5}, `);
  });

  test("an attempt whose metric is unknown is worse than any other, also if it is the first", async () => {
    const asked: WorkspaceRequest[] = [];
    const more =
      "attempts: { count: 2, pick: [metric] }\n      keep: best\n      metric: bench\n      direction: max";
    const tries = [
      { failing: [0], lines: 1, metric: ["fast"] },
      { failing: [0], lines: 50, metric: ["3"] },
    ];
    await stage(fix(more), world(tries, asked)).begin();
    expect(joined(asked)).toEqual(["fix-2"]);
  });

  const green = [
    { failing: [0], lines: 10 },
    { failing: [0], lines: 30 },
    { failing: [2], lines: 1 },
  ];
  const picking = (answer: string) => {
    const asked: WorkspaceRequest[] = [];
    const prompts: string[] = [];
    const it = stage(fix("attempts: { count: 3, pick: [green, judge, smallest-diff] }"), {
      ...world(green, asked),
      agent: ({ role, prompt }) => {
        if (role === "judge") prompts.push(prompt);
        return { text: role === "judge" ? answer : "ok" };
      },
    });
    return { it, asked, prompts };
  };

  test("a judge decides between the green ones, by their changes", async () => {
    const { it, asked, prompts } = picking('{"best": 2, "reason": "it fixes the cause"}');
    await it.begin();
    expect(joined(asked)).toEqual(["fix-2"]);
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toContain("attempts were made at the same task: 1, 2.");
    const notices = it.of("notice").map(({ message }) => message);
    expect(notices).toContain(
      "kept attempt 2 of 3: green, 30 changed lines; the judge chose it: it fixes the cause",
    );
  });

  test.each(["both are fine", '{"best": 3, "reason": "a red one"}'])(
    "if the judge answers %j, the rules after it decide, with a notice",
    async (answer) => {
      const { it, asked } = picking(answer);
      await it.begin();
      expect(joined(asked)).toEqual(["fix-1"]);
      expect(it.of("notice")).toContainEqual(expect.objectContaining({ code: "JUDGE_FAILED" }));
    },
  );

  test("each one's outcome, size and cost stand in one table", async () => {
    const usage = { input_tokens: 10, output_tokens: 5, cost_usd: 0.25 };
    const tries = [
      { failing: [2], lines: 1 },
      { failing: [0], lines: 7 },
    ];
    const it = stage(fix("attempts: { agents: [claude, codex] }"), {
      ...world(tries),
      agent: () => ({ text: "ok", usage }),
    });
    await it.begin();
    const page = runMarkdown(summaryOf(it));
    expect(page).toContain("#### `fix`: 2 of 2 attempts, the check passed");
    expect(page).toMatch(
      /\| 1 \| claude \| ❌\sthe iteration limit was reached, 2 failing \|.*\+1 .*\$0\.75 \|/,
    );
    expect(page).toMatch(/\| 2 \| codex \| ✅\sthe\scheck\spassed, kept \|.*\+7 .*\$0\.25 \|/);
  });

  test("the agents and models work in turn, and nodes that name another agent keep theirs", async () => {
    const source = `
name: t
agents: { critic: { agent: gemini } }
nodes:
  - id: fix
    agent: claude
    model: opus
    loop:
      nodes: [{ id: work, prompt: go }, { id: look, agent: critic, prompt: look, depends_on: [work] }]
      until_bash: npm test
      max_iterations: 1
      attempts: { count: 3, agents: [codex, claude], models: [m] }
`;
    const it = stage(source, world([]));
    await it.begin();
    expect(it.prompts.map(({ agent, model }) => [agent, model])).toEqual([
      ["codex", "m"],
      ["gemini", "opus"],
      ["claude", "m"],
      ["gemini", "opus"],
      ["codex", "m"],
      ["gemini", "opus"],
    ]);
  });

  test("`first_green` starts no other one, and running ones end after their iteration", async () => {
    const tries = [
      { failing: [1, 1], lines: 1 },
      { failing: [0], lines: 1 },
      { failing: [0], lines: 1 },
    ];
    const it = stage(
      fix("max_concurrency: 2\n      attempts: { count: 3, first_green: true }"),
      world(tries),
    );
    await it.begin();
    const ends = it
      .of("iteration.ended")
      .flatMap(({ number, attempt }) => (attempt ? [[number, attempt.stop_reason]] : []));
    expect(ends).toEqual([
      [2, "until-bash"],
      [1, "cancelled"],
    ]);
    expect(it.end()).toMatchObject({ conclusion: "success" });
  });

  test("all share the budget, and none begins when it is used up", async () => {
    const usage = { input_tokens: 0, output_tokens: 0, cost_usd: 1 };
    const it = stage(`budget: { usd: 3 }${fix("attempts: 4")}`, {
      ...world([
        { failing: [1], lines: 1 },
        { failing: [1], lines: 1 },
      ]),
      agent: () => ({ text: "ok", usage }),
    });
    await it.begin();
    expect(it.prompts).toHaveLength(3);
    expect(it.of("iteration.started").filter(({ path }) => /^\/fix#\d$/.test(path))).toHaveLength(2);
  });

  test("one is enough where there is nothing to do", async () => {
    const it = stage(fix("check: { baseline: true }\n      attempts: 3"), world([]));
    await it.begin();
    expect(it.prompts).toEqual([]);
    expect(it.of("iteration.started")).toHaveLength(1);
    expect(it.end()).toMatchObject({ stop_reason: "nothing-to-do" });
  });

  test("the best one fails the loop where the workspace changed in the same place meanwhile", async () => {
    const { workspace, ...rest } = world([]);
    const it = stage(fix("attempts: 2"), {
      ...rest,
      workspace: (request) =>
        request.op === "join" ? { conflicts: ["x.js"] } : (workspace?.(request) ?? {}),
    });
    await it.begin();
    expect(it.end()).toMatchObject({
      conclusion: "failure",
      because: "attempt 1 is the best, but conflicts with what changed meanwhile in x.js",
    });
  });

  test("each needs a git repository", async () => {
    const it = stage(fix("attempts: 2"));
    await it.begin();
    expect(it.end()).toMatchObject({
      stop_reason: "node-failed",
      because: "attempts of fix need a git repository",
    });
    expect(it.prompts).toEqual([]);
  });

  test("each makes its folder ready as a fresh clone is", async () => {
    const it = stage(fix("attempts: 2\n      check: { setup: npm ci }"), world([]));
    await it.begin();
    const asked = it.scripts.filter(({ clean }) => clean === undefined);
    expect(asked.map(({ script }) => script)).toEqual(["npm ci", "npm test", "npm ci", "npm test"]);
  });
});

test("a plan shows the number of attempts, their agents, and when they end", () => {
  const text = (attempts: string) => planText(planOf(fix(`attempts: ${attempts}`)));
  expect(text("3")).toContain("fix  3 attempts, 1 at a time, the best is kept\n    fix  loop of agent");
  expect(text("{ agents: [claude, codex], first_green: true }")).toContain(
    "2 attempts by claude, codex, 1 at a time, until one is green",
  );
});
