import { describe, expect, test } from "vitest";
import type { ShellAnswer } from "../../src/ports/shell.ts";
import type { WorkspaceRequest } from "../../src/ports/workspace.ts";
import type { Props, Stage } from "../parts/stage.ts";
import { after, before, ended, green, red, shell, tests, workspace } from "./checks.ts";

const clean = "baseline: true, clean: off";
const notices = (it: Stage) => it.of("notice").map(({ code, path, message }) => `${code} ${path} ${message}`);
const tested = (it: Stage) =>
  it.of("stop.tested").map(({ path, verdict, because }) => `${path} ${verdict}: ${because}`);

describe("before any agent call, a check", () => {
  const missing = 'npm error Missing script: "tset"';
  const empty = tests([]);
  test.each<[string, Partial<ShellAnswer>, string]>([
    ["with a green test", green(after), "skipped nothing-to-do "],
    ["without counts", green(), "skipped nothing-to-do "],
    ["that skipped its tests", green({ ...empty, skipped: 1 }), "skipped nothing-to-do "],
    ["that could not load its tests", green({ ...empty, incomplete: true }), "skipped nothing-to-do "],
    [
      "without a test",
      green(empty),
      "failure check-unevaluable the check of fix passed without running a test",
    ],
  ])("%s ends the loop", async (_, answer, end) => {
    const it = await ended("", { shell: shell([answer]) });
    const { conclusion, stop_reason, because = "" } = it.end() ?? {};
    expect(`${conclusion} ${stop_reason} ${because}`).toBe(end);
    expect(it.prompts).toEqual([]);
  });

  test.each<[string, Partial<ShellAnswer>]>([
    ["is red without a test", red(empty)],
    ["found no script", { exitCode: 1, tail: missing }],
    ["is red with a test, whatever it prints", { ...red(before), tail: missing }],
  ])("that %s starts the work", async (_, answer) => {
    const it = await ended("", { shell: shell([answer, green(after)]) }, clean);
    expect(it.prompts).toHaveLength(1);
  });
});

test("without a baseline, a first check that reached no test is noticed in the first iteration alone", async () => {
  const tail = 'npm error Missing script: "tset"';
  const it = await ended("", { shell: () => ({ exitCode: 1, tail }) }, "baseline: false");
  expect(it.prompts).toHaveLength(4);
  expect(notices(it)).toEqual([
    `NO_TEST_REACHED /fix#1?1 the check reached no test: \`${tail}\`; if the agent is not supposed to fix that, correct the check`,
  ]);
});

test("each verdict counts the tests that ran, with those that are new and those that are gone", async () => {
  const now = { ...tests(["a", "b", "c"]), skipped: 2 };
  const it = await ended(
    "",
    { shell: shell([red(before), red(tests(["a", "c"], ["d"])), green(now)]) },
    clean,
  );
  expect(it.of("stop.tested").map(({ tests }) => tests)).toEqual([
    { ran: 2, passed: 1, failed: 1, skipped: 0, gone: [], new: [] },
    { ran: 3, passed: 2, failed: 1, skipped: 0, gone: ["b"], new: ["c", "d"] },
    { ran: 3, passed: 3, failed: 0, skipped: 2, gone: [], new: ["c"] },
  ]);
  const blind = await ended("", { shell: shell([green(after)]) }, "clean: off");
  expect(blind.of("stop.tested").map(({ tests }) => tests)).toEqual([
    { ran: 2, passed: 2, failed: 0, skipped: 0, gone: [], new: [] },
  ]);
});

const patchOf = (...lines: readonly string[]) =>
  [
    "diff --git a/a.js b/a.js",
    "--- a/a.js",
    "+++ b/a.js",
    "@@ -1 +1 @@",
    ...lines.map((line) => `+${line}`),
    "",
  ].join("\n");

describe("a suspicious change", () => {
  const changing = (patch: string | undefined, more: Props = {}) => {
    const asked: WorkspaceRequest[] = [];
    const plain = workspace();
    const props: Props = {
      shell: shell([red(before), green(after)]),
      workspace(request) {
        if (request.op === "inspect") return { tools: ["eslint"] };
        if (request.op !== "diff") return plain(request);
        asked.push(request);
        return patch === undefined ? {} : { patch };
      },
      ...more,
    };
    return { asked, props };
  };

  test("is looked for in what the loop changed, once the check is green", async () => {
    const { asked, props } = changing(undefined);
    const it = await ended("", props, clean);
    expect(asked).toEqual([{ op: "diff", from: "commit-1", to: "commit-2", most: 500_000 }]);
    expect(notices(it)).toEqual([]);
  });

  test("is not looked for if nothing changed, or no snapshot says what", async () => {
    const unchanged = changing(patchOf("if (process.env.VITEST) return 3;"));
    const plain = unchanged.props.workspace;
    await ended(
      "",
      {
        ...unchanged.props,
        workspace: (request) =>
          request.op === "snapshot" ? { commit: "c", tree: "t" } : (plain?.(request) ?? {}),
      },
      clean,
    );
    const failing = changing(patchOf("if (process.env.VITEST) return 3;"));
    const before = failing.props.workspace;
    let snapshots = 0;
    await ended(
      "",
      {
        ...failing.props,
        workspace(request) {
          if (request.op === "snapshot" && ++snapshots === 2) throw new Error("the disk is full");
          return before?.(request) ?? {};
        },
      },
      clean,
    );
    expect([...unchanged.asked, ...failing.asked]).toEqual([]);
  });

  test("is noticed by kind, with its first five lines, each cut to 120 characters", async () => {
    const long = `if (process.env.VITEST) return "${"x".repeat(200)}";`;
    const lines = [long, ...[1, 2, 3, 4, 5, 6].map((n) => `if (process.env.VITEST) return ${n};`)];
    const { props } = changing(patchOf(...lines, "// eslint-disable-next-line no-eval"));
    const it = await ended("", props, clean);
    const shown = [
      `a.js: \`${long.slice(0, 120)}\``,
      ...lines.slice(1, 5).map((line) => `a.js: \`${line}\``),
    ];
    expect(notices(it)).toEqual([
      `SUSPICIOUS_CHANGE /fix#1?1 the check is green, but the change may tell tests from real use: ${shown.join(", ")} and 2 more`,
      "SUSPICIOUS_CHANGE /fix#1?1 the check is green, but the change keeps a tool of the check from reporting: a.js: `// eslint-disable-next-line no-eval`",
    ]);
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
  });

  test("of five lines is shown whole", async () => {
    const lines = [1, 2, 3, 4, 5].map((n) => `if (process.env.VITEST) return ${n};`);
    const it = await ended("", changing(patchOf(...lines)).props, clean);
    expect(notices(it)).toEqual([
      `SUSPICIOUS_CHANGE /fix#1?1 the check is green, but the change may tell tests from real use: ${lines.map((line) => `a.js: \`${line}\``).join(", ")}`,
    ]);
  });
});

describe("a flaky check", () => {
  const flaky =
    "the check failed and passed on the same files: it is flaky, so it must pass twice before it counts as green";
  const names = ["a", "b", "c", "d", "e", "f"];
  const paths = async (it: Stage) =>
    (await it.store.read("test-run"))
      .map((line) => JSON.parse(line))
      .flatMap((event) => (event.type === "need.begun" && event.path.includes("?") ? [event.path] : []));

  test("is noticed once, and must pass twice from then on", async () => {
    const it = await ended(
      "",
      {
        workspace: workspace(() => "tree"),
        shell: shell([
          red(before),
          green(after),
          red(tests([], names)),
          green(after),
          red(before),
          green(after),
        ]),
      },
      clean,
    );
    expect(notices(it)).toEqual([`FLAKY_CHECK /fix#1?1 ${flaky}`]);
    expect(tested(it)).toEqual([
      "/fix#0?1 go-on: exit 1",
      "/fix#1?1 go-on: it passed, then failed on the same files (a, b, c, d, e): exit 1",
      "/fix#2?1 go-on: it passed, then failed on the same files (b): exit 1",
      "/fix#3?1 done: exit 0",
    ]);
    expect(await paths(it)).toEqual([
      "/fix#0?1",
      "/fix#1?1",
      "/fix#1?1!diff",
      "/fix#1?1!confirm2",
      "/fix#2?1",
      "/fix#2?1!diff",
      "/fix#2?1!confirm2",
      "/fix#3?1",
      "/fix#3?1!diff",
      "/fix#3?1!confirm2",
    ]);
  });

  test("is noticed when it is red on files on which it was green", async () => {
    const it = await ended(
      "until: DONE\n      until_mode: all",
      { workspace: workspace(() => "tree"), shell: shell([red(before), green(after)]) },
      "clean: off",
    );
    expect(notices(it)).toEqual([`FLAKY_CHECK /fix#2?2 ${flaky}`]);
  });

  test("is one too if it failed when it was confirmed; without names, none are shown", async () => {
    const it = await ended(
      "",
      { shell: shell([red(), green(), red(), green(), green()]) },
      `${clean}, confirm: 2`,
    );
    expect(notices(it)).toEqual([]);
    expect(tested(it)).toEqual([
      "/fix#0?1 go-on: exit 1",
      "/fix#1?1 go-on: it passed, then failed on the same files: exit 1",
      "/fix#2?1 done: exit 0",
    ]);
  });
});
