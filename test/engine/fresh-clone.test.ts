import { describe, expect, test } from "vitest";
import type { ShellAnswer } from "../../src/ports/shell.ts";
import type { TestInventory } from "../../src/ports/tests.ts";
import type { WorkspaceAnswer, WorkspaceRequest } from "../../src/ports/workspace.ts";
import { type Stage, stage } from "../parts/stage.ts";

const source = (keys: string) => `
name: t
nodes:
  - id: fix
    loop: { prompt: fix it, until_bash: npm test, max_iterations: 1, ${keys} }
`;

/** Tests with names, or only their numbers. */
const named = (passed: readonly string[], failed: readonly string[] = []): TestInventory => ({
  ...{ runner: "t", passed: passed.length, failed: failed.length, skipped: 0 },
  names: { passed: [...passed], failed: [...failed], skipped: [] },
});
const counted = (passed: number, failed: number): TestInventory => ({
  ...{ runner: "t", passed, failed, skipped: 0 },
});

type Answer = Partial<ShellAnswer>;

interface World {
  readonly keys?: string;
  /** The check before any work and after it, in the checkout. */
  readonly before?: Answer;
  readonly after?: Answer;
  /** The check in a fresh clone of the work, and of what was there before. */
  readonly work?: Answer;
  readonly base?: Answer;
  /** The check in a clone of the work that also got what nothing had touched. */
  readonly completed?: Answer;
  /** `none`: there is no git repository. */
  readonly workspace?: "none" | ((request: WorkspaceRequest) => WorkspaceAnswer);
}

const red: Answer = { exitCode: 1, tests: named(["a"], ["b"]) };
const green: Answer = { exitCode: 0, tests: named(["a", "b"]) };

/** One iteration whose check is green in the checkout. */
async function checked({ keys = "check: { baseline: true }", ...world }: World): Promise<Stage> {
  const { before = red, after = green, work = green, base = red, completed = { clean: {} } } = world;
  let snapshots = 0;
  const usual = ({ op }: WorkspaceRequest) =>
    op === "snapshot" ? { commit: `commit-${++snapshots}`, tree: `tree-${snapshots}` } : {};
  const { workspace = usual } = world;
  const it = stage(source(keys), {
    ...(workspace !== "none" && { workspace }),
    shell({ clean }, call) {
      if (clean?.untouched) return completed;
      if (clean !== undefined) return clean.commit === "commit-1" ? base : work;
      return call === 1 && keys.includes("baseline") ? before : after;
    },
  });
  await it.begin();
  return it;
}

const lastStop = (it: Stage) => it.of("stop.tested").at(-1);
const clones = (it: Stage) =>
  it.scripts.flatMap(({ clean }) => (clean === undefined || clean.untouched ? [] : clean));
/** Those after the first agent. */
const later = (it: Stage) => clones(it).filter(({ keep }) => keep === undefined);

describe("the request for a fresh clone", () => {
  test("names the snapshot, what was there before, and what is protected in it", async () => {
    const it = await checked({ work: { ...green, clean: { ms: 1_200 } } });
    const guard = { scripts: ["npm test"], allow: [], tests: true };
    const { clean, ...asked } = it.scripts.at(-1) ?? {};
    expect(clean).toEqual({ commit: "commit-2", base: "commit-1", guard });
    const { env: _, ...usual } = it.scripts[0] ?? {};
    expect(asked).toMatchObject(usual);
    expect(lastStop(it)).toMatchObject({ verdict: "done", clean: { result: "passed", ms: 1_200 } });
  });

  test("includes the author's setup, and the files that the agent may change", async () => {
    const it = await checked({
      keys: 'check: { baseline: true, setup: make deps }, protect: [], allow: ["package.json"]',
    });
    const guard = { scripts: ["npm test"], allow: ["package.json"], tests: false };
    expect(later(it)).toEqual([{ commit: "commit-2", base: "commit-1", guard, setup: "make deps" }]);
  });
});

describe("a check is tested in a fresh clone", () => {
  const silent = { before: { exitCode: 1 }, after: { exitCode: 0 }, work: { exitCode: 0 } };
  const tool = ({ op }: WorkspaceRequest): WorkspaceAnswer => ({
    ...{ commit: `commit of ${op}`, tree: "t" },
    ...(op === "inspect" && { tools: ["vitest"] }),
  });

  test.each<readonly [string, World, number]>([
    ["if its tests were counted", { ...silent, after: { exitCode: 0, tests: counted(1, 0) } }, 1],
    ["if it uses a tool that we know", { ...silent, workspace: tool }, 1],
    ["if the loop protects files", { ...silent, keys: 'protect: ["test/**"]' }, 1],
    ["if its author wants that", { ...silent, keys: "check: { clean: on }" }, 1],
    ["if its author says how a clone is prepared", { ...silent, keys: "check: { setup: make deps }" }, 1],
    ["otherwise not: it may need files that git ignores", { ...silent, keys: "check: {}" }, 0],
    ["not if its author does not want that", { keys: 'protect: ["test/**"], check: { clean: off }' }, 0],
    ["not if there is no snapshot", { keys: "check: { clean: on }", workspace: "none" }, 0],
  ])("%s", async (_, world, times) => {
    expect(later(await checked(world))).toHaveLength(times);
  });
});

/** Answers of a check: which tests pass and fail, or how many. */
const ran = (...[passed, failed]: readonly [string, string]): Answer => ({
  exitCode: failed === "" ? 0 : 1,
  tests: named([...passed], [...failed]),
});
const many = (passed: number, failed: number, exitCode = failed === 0 ? 0 : 1): Answer => ({
  exitCode,
  tests: counted(passed, failed),
});
const unprepared: Answer = { exitCode: 1, clean: { setup: "npm ci", failed: true } };
const prepared: Answer = { ...red, clean: { setup: "npm ci" } };
const three = { before: ran("ac", "b"), after: ran("abc", "") };
const four = { before: ran("ac", "bd"), after: ran("abcd", "") };
const nine = { before: many(8, 1), after: many(9, 0) };
const untold = {
  ...{ before: { exitCode: 1 }, after: { exitCode: 0 } },
  keys: "check: { baseline: true, clean: on }",
};

describe("a check that is red in a fresh clone says nothing about the work", () => {
  test.each<readonly [string, World]>([
    ["if only the change lets the clone be prepared", { work: prepared, base: unprepared }],
    ["if neither clone can be prepared", { work: unprepared, base: unprepared }],
    ["if its program is missing in both", { ...untold, work: { exitCode: 127 }, base: { exitCode: 127 } }],
    [
      "if its program cannot be executed in either",
      { ...untold, work: { exitCode: 126 }, base: { exitCode: 126 } },
    ],
    ["if no test runs without the change", { work: red, base: { exitCode: 1 } }],
    ["if the same tests fail without the change", { ...three, work: ran("ab", "c"), base: ran("a", "bc") }],
    [
      "if other tests fail in both clones than in the checkout",
      { ...four, work: ran("abd", "c"), base: ran("abd", "c") },
    ],
    ["if only the checkout named its tests", { ...three, work: many(1, 2), base: many(1, 3) }],
    ["if only the clone of the work named its tests", { ...nine, work: ran("a", "bc"), base: many(6, 3) }],
    ["if only the other clone named its tests", { ...nine, work: many(7, 2), base: ran("a", "bcd") }],
    ["if as many more tests fail without the change", { ...nine, work: many(7, 2), base: many(6, 3) }],
  ])("%s", async (_, world) => {
    const it = await checked(world);
    expect(clones(it)[0]).toMatchObject({ commit: "commit-1", keep: true });
    expect(lastStop(it)).toMatchObject({ verdict: "done", clean: { result: "unavailable" } });
    expect(it.of("notice").map(({ code }) => code)).toEqual(["CLEAN_CHECK_UNAVAILABLE"]);
  });
});

describe("a check that is red in a fresh clone sends the work back", () => {
  test.each<readonly [string, World]>([
    ["if it is green there without the change", { work: red, base: green }],
    ["if only the change keeps the clone from being prepared", { work: unprepared, base: prepared }],
    ["if it fails without the change, and reports no tests", { ...untold, work: red, base: { exitCode: 1 } }],
    ["if a test failed before in the checkout", { ...three, work: ran("ac", "b"), base: ran("a", "bc") }],
    ["if a test passes without the change", { ...three, work: ran("bc", "a"), base: ran("a", "bc") }],
    [
      "if one of two tests passes without the change",
      { ...three, work: ran("b", "ac"), base: ran("a", "bc") },
    ],
    [
      "if no test fails, by their names",
      { ...three, work: { ...ran("abc", ""), exitCode: 1 }, base: ran("a", "bc") },
    ],
    ["if it is green without the change, and reports no tests", { work: red, base: { exitCode: 0 } }],
    ["if more tests fail than without the change", { ...nine, work: many(6, 3), base: many(6, 3) }],
    ["if a clone fails no more tests than the checkout", { ...nine, work: many(8, 1), base: many(8, 1) }],
    ["if none of its tests fails", { ...nine, work: many(9, 0, 1), base: many(6, 3) }],
  ])("%s", async (_, world) => {
    const it = await checked(world);
    expect(clones(it).map(({ commit }) => commit)).toEqual(["commit-1", "commit-2"]);
    expect(lastStop(it)).toMatchObject({ verdict: "go-on", clean: { result: "failed" } });
    expect(it.of("notice")).toEqual([]);
  });
});

test.each<readonly [string, Answer, string]>([
  ["its exit code", { exitCode: 1 }, "exit 1"],
  [
    "the setup that failed",
    { exitCode: 1, clean: { setup: "npm ci", failed: true } },
    "its setup failed (`npm ci`)",
  ],
  ["the clone that failed", { exitCode: 1, clean: { failed: true } }, "its setup failed (`clone`)"],
])("a check that is not green in a fresh clone reports %s", async (_, work, fault) => {
  const it = await checked({ work, base: green });
  expect(lastStop(it)?.because).toBe(`it passed here, but not in a fresh clone: ${fault}`);
});

test("a clone that its author prepares is not tried again with another setup", async () => {
  const it = await checked({
    keys: "check: { baseline: true, setup: make deps }",
    work: { ...red, clean: { setup: "make deps" } },
    base: { ...green, clean: {} },
  });
  expect(clones(it).map(({ commit, setup }) => [commit, setup])).toEqual([
    ["commit-1", "make deps"],
    ["commit-2", "make deps"],
  ]);
});

describe("a clone that lacks ignored files", () => {
  const unprepared: Answer = { exitCode: 1, clean: { setup: "npm ci", failed: true } };
  const copied = [".env", "certs/dev.pem"];

  test("gets those that nothing has touched, without the setup that failed", async () => {
    const it = await checked({ work: unprepared, completed: { ...green, clean: { copied } } });
    expect(it.scripts.at(-1)?.clean).toMatchObject({ commit: "commit-2", untouched: true, setup: "" });
    expect(lastStop(it)).toMatchObject({ verdict: "done", clean: { result: "passed" } });
    const message =
      "a fresh clone passes only with files that it lacks, which were there before the run: .env, certs/dev.pem";
    expect(it.of("notice")).toMatchObject([{ code: "CLEAN_CHECK_COMPLETED", message }]);
  });

  test.each<[string, World]>([
    ["it is red with them too", { completed: { ...red, clean: { copied } } }],
    ["there are none", { completed: { ...green, clean: {} } }],
  ])("is red if %s", async (_, world) => {
    const it = await checked({ work: red, base: green, ...world });
    expect(lastStop(it)).toMatchObject({ verdict: "go-on", clean: { result: "failed" } });
  });
});

test("with `tests: any`, fewer tests in the clone are no reason to send the work back", async () => {
  const keys = "check: { baseline: true, tests: any, clean: on }";
  const it = await checked({ keys, work: { exitCode: 0, tests: named(["a"]) } });
  expect(lastStop(it)).toMatchObject({ verdict: "done", clean: { result: "passed" } });
});

test("the event of such a check has the end of both outputs, and the time of the one in the clone", async () => {
  const tail = `${"x".repeat(20_000)} end`;
  const it = await checked({
    after: { ...green, tail: "all is well" },
    work: { ...red, tail, clean: { ms: 7, leftOut: ["/home/bin/npm", "/home/bin/node"] } },
    base: green,
  });
  expect(lastStop(it)).toMatchObject({
    because:
      "it passed here, but not in a fresh clone: exit 1; programs on PATH are new or changed: /home/bin/npm, /home/bin/node",
    tail: tail.slice(-16_384),
    clean: { result: "failed", ms: 7 },
  });
  const short = await checked({
    after: { ...green, tail: "all is well" },
    work: { ...red, tail: "b failed" },
    base: green,
  });
  expect(lastStop(short)?.tail).toBe("all is well\n--- in a fresh clone ---\nb failed");
});

describe("the clone before the first agent", () => {
  const missing = { exitCode: 127, tail: "vitest: not found", clean: { ms: 9 } };
  const scriptsOf = (it: Stage) => it.scripts.map(({ clean }) => clean?.commit ?? "checkout");

  test("says what it cannot do, and none is made after the agent", async () => {
    const it = await checked({ work: missing, base: missing });
    expect(it.of("notice").map(({ path, code, message }) => `${path} ${code}: ${message}`)).toEqual([
      "/fix#0?1 CLEAN_CHECK_UNAVAILABLE: the check fails in a fresh clone even without the agent's change: exit 127; set check.setup to prepare the clone",
    ]);
    expect(lastStop(it)?.clean).toEqual({ result: "unavailable" });
    expect(scriptsOf(it)).toEqual(["checkout", "commit-1", "commit-1", "checkout"]);
  });

  test("says which untouched files it needs, and the clone of the work gets them", async () => {
    const it = await checked({ base: missing, completed: { ...red, clean: { copied: [".env"] } } });
    expect(it.of("notice")).toMatchObject([{ code: "CLEAN_CHECK_COMPLETED", path: "/fix#0?1" }]);
    expect(it.scripts.map(({ clean }) => clean?.untouched ?? false)).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });

  test("is enough if it does what the checkout does: then the check of the work runs only in a clone", async () => {
    const it = await checked({ work: { ...green, tail: "all is well", clean: { ms: 5 } } });
    expect(scriptsOf(it)).toEqual(["checkout", "commit-1", "commit-2"]);
    expect(lastStop(it)).toMatchObject({
      ...{ verdict: "done", tail: "all is well", clean: { result: "passed", ms: 5 } },
      tests: { ran: 2, passed: 2 },
    });
  });

  test.each<[string, World]>([
    ["if the check leaves files that somebody may use", { base: { ...red, clean: { leaves: true } } }],
    ["if the check of the work is not green there", { work: { exitCode: 1 } }],
    ["if fewer tests run there", { work: { exitCode: 0, tests: named(["a"]) } }],
  ])("is not enough %s", async (_, world) => {
    const it = await checked(world);
    expect(it.scripts.filter(({ clean }) => clean === undefined)).toHaveLength(2);
  });

  test("lends what it compiled to green work only: anything else is tested without", async () => {
    const it = await checked({ work: { ...red, clean: { warm: true } } });
    const asked = it.scripts.map(({ clean }) =>
      clean?.untouched ? "completed" : (clean?.commit ?? "checkout"),
    );
    const cold = ["checkout", "commit-2", "commit-2", "completed"];
    expect(asked).toEqual(["checkout", "commit-1", "commit-2", ...cold]);
    expect(lastStop(it)).toMatchObject({ verdict: "go-on", clean: { result: "failed" } });
  });
});
