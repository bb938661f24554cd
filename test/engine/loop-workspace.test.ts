import { describe, expect, test } from "vitest";
import type { WorkspaceAnswer, WorkspaceRequest } from "../../src/ports/workspace.ts";
import { type Props, type Stage, stage } from "../parts/stage.ts";

const loop = (keys: string) => `
name: t
nodes:
  - id: fix
    loop:
      prompt: "Fix. [$history]"
${keys.trim().replace(/^ */gm, "      ")}
`;

interface Workspace {
  readonly it: Stage;
  readonly asked: readonly WorkspaceRequest[];
}

/** A run in a repository where each snapshot is another commit, with what the workspace was asked. */
async function played(
  keys: string,
  props: Props,
  answer: (request: WorkspaceRequest) => WorkspaceAnswer = () => ({}),
): Promise<Workspace> {
  const asked: WorkspaceRequest[] = [];
  let snapshots = 0;
  const it = stage(loop(keys), {
    ...props,
    workspace(request) {
      asked.push(request);
      const plain = request.op === "snapshot" ? { commit: `c${++snapshots}`, tree: `t${snapshots}` } : {};
      return { ...plain, ...answer(request) };
    },
  });
  await it.begin();
  return { it, asked };
}

const notices = (it: Stage) => it.of("notice").map(({ code, path, message }) => `${code} ${path} ${message}`);

test("a loop with a check asks for each of its snapshots, protects its files and compares its work", async () => {
  const { asked } = await played(
    'until_bash: npm test\nmax_iterations: 3\nprotect: ["test/**"]\nallow: [test/new.js]\ncheck: { clean: off }',
    { shell: (_, call) => (call === 1 ? 1 : 0) },
    ({ op }) => (op === "inspect" ? { tools: ["vitest"] } : {}),
  );
  const guard = { tests: true, allow: ["test/new.js"], scripts: ["npm test"] };
  const protect = { op: "protect", commit: "c1", globs: ["test/**"], guard };
  expect(asked).toEqual([
    { op: "snapshot", since: undefined, message: "before the first iteration" },
    { ...protect, op: "inspect" },
    { ...protect, since: "c1" },
    { op: "snapshot", since: "c1", message: "fix, iteration 1" },
    { ...protect, since: "c2" },
    { op: "snapshot", since: "c2", message: "fix, iteration 2" },
    { op: "diff", from: "c1", to: "c3", most: 500_000 },
  ]);
});

test("a loop without a check protects the files that it lists, and without those none", async () => {
  const first = { op: "snapshot", since: undefined, message: "before the first iteration" };
  const second = { op: "snapshot", since: "c1", message: "fix, iteration 1" };
  const listed = await played('until: DONE\nmax_iterations: 1\nprotect: ["test/**"]', {});
  expect(listed.asked).toEqual([first, { op: "protect", commit: "c1", globs: ["test/**"] }, second]);
  const none = await played("until: DONE\nmax_iterations: 1", {});
  expect(none.asked).toEqual([first, second]);
});

test("protected files that changed are named in a notice of their iteration", async () => {
  const { it } = await played(
    'until_bash: npm test\nmax_iterations: 2\nprotect: ["test/**"]\ncheck: { clean: off }',
    { shell: (_, call) => (call === 1 ? 1 : 0) },
    ({ op }) => (op === "protect" ? { restored: ["test/a.js", "test/b.js"] } : {}),
  );
  const text = "the agent changed protected files; they were restored: test/a.js, test/b.js";
  expect(notices(it)).toEqual([`TAMPERED /fix#1 ${text}`, `TAMPERED /fix#2 ${text}`]);
});

describe("keep: best", () => {
  const best = (more = "", iterations = 3) =>
    `until: DONE\nmax_iterations: ${iterations}\non_max: succeed\nkeep: best\nmetric: score\n${more}`;
  /** The metric of the start, then that of each iteration. */
  const scores =
    (...values: readonly string[]): NonNullable<Props["shell"]> =>
    (_, call) =>
      values[call - 1] ?? "";
  const restored = ({ asked }: Workspace) =>
    asked.flatMap((request) => (request.op === "restore" ? [request.commit] : []));
  const said: Props["agent"] = (_, call) => `said ${call}`;

  test("restores the first of the highest scores, with its output", async () => {
    const played3 = await played(best(), { agent: said, shell: scores("1", "3", "log\n 5 \n", "5") });
    expect(restored(played3)).toEqual(["c3"]);
    expect(notices(played3.it)).toEqual(["KEPT_BEST /fix kept iteration 2, the best by its metric (5)"]);
    expect(played3.it.end()).toMatchObject({ conclusion: "success", output: "said 2" });
  });

  test("restores the first of the lowest, if the author wants those", async () => {
    const lowest = await played(best("direction: min"), { agent: said, shell: scores("4", "3", "2", "2") });
    expect(restored(lowest)).toEqual(["c3"]);
  });

  test("restores nothing if the last iteration is the best, and says so", async () => {
    const last = await played(best(), { agent: said, shell: scores("0", "1", "2", "3") });
    expect(restored(last)).toEqual([]);
    expect(notices(last.it)).toEqual(["KEPT_BEST /fix kept iteration 3, the best by its metric (3)"]);
  });

  test("keeps the output of every iteration, if the loop returns those", async () => {
    const { it } = await played(best("output: cumulative", 2), { agent: said, shell: scores("0", "2", "1") });
    expect(it.end()?.output).toBe("said 1\n---\nsaid 2");
  });

  test("leaves out an iteration without a number, with a notice", async () => {
    const none = await played(best(), { agent: said, shell: scores("", "none", "", "1e999") });
    const notice = (number: number) =>
      `NO_METRIC /fix#${number} the metric of iteration ${number} printed no number, so it cannot be the best`;
    const start = "NO_METRIC /fix#0 the metric of the start printed no number, so it cannot be the best";
    expect(notices(none.it)).toEqual([start, notice(1), notice(2), notice(3)]);
    expect(restored(none)).toEqual([]);
    const failed = await played(best("", 1), { agent: said, shell: () => ({ exitCode: 1, stdout: "7" }) });
    expect(notices(failed.it)).toEqual([start, notice(1)]);
  });

  test("restores the best also if the loop failed, whose output stays that of its end", async () => {
    const failed = await played(best().replace("on_max: succeed\n", ""), {
      agent: said,
      shell: scores("1", "9", "2", "3"),
    });
    expect(restored(failed)).toEqual(["c2"]);
    expect(failed.it.of("node.ended")).toMatchObject([{ status: "failed", output: "said 3" }]);
  });

  test("restores nothing if a stop chose the last iteration", async () => {
    const done = await played(best(), {
      agent: (_, call) => (call === 2 ? "DONE" : "no"),
      shell: scores("10", "9", "2"),
    });
    expect([restored(done), notices(done.it)]).toEqual([[], []]);
  });
});

test("what a loop accumulates is there in its own prompts", async () => {
  const { it } = await played("until: DONE\nmax_iterations: 3\non_max: succeed\naccumulate: history", {
    agent: (_, call) => `said ${call}`,
  });
  expect(it.prompts.map(({ prompt }) => prompt)).toEqual([
    "Fix. []",
    "Fix. [said 1]",
    "Fix. [said 1\n---\nsaid 2]",
  ]);
});

test("without a repository, a loop takes no snapshot and runs all the same", async () => {
  const it = stage(loop("until: DONE\nmax_iterations: 1"), { agent: () => "DONE" });
  await it.begin();
  expect(notices(it)).toEqual([]);
  expect(it.of("iteration.ended").map(({ v, seq, at, run, ...event }) => event)).toEqual([
    { type: "iteration.ended", path: "/fix#1", node: "fix", number: 1, output: "DONE" },
  ]);
});

test("a snapshot that fails is noticed, and the loop continues without it", async () => {
  const { it } = await played("until: DONE\nmax_iterations: 1", { agent: () => "DONE" }, ({ op }) => {
    if (op === "snapshot") throw new Error("the disk is full");
    return {};
  });
  expect(notices(it)).toEqual([
    "SNAPSHOT_FAILED /fix#0 the disk is full",
    "SNAPSHOT_FAILED /fix#1 the disk is full",
  ]);
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("files whose first state was not saved cannot be protected: the loop fails as tampered", async () => {
  const { it } = await played(
    'until_bash: npm test\nmax_iterations: 2\nprotect: ["test/**"]',
    {},
    ({ op }) => {
      if (op === "snapshot") throw new Error("the disk is full");
      return {};
    },
  );
  expect(it.end()).toMatchObject({
    conclusion: "failure",
    stop_reason: "tampered",
    because: "the protected files could not be saved, so they cannot be restored",
  });
});
