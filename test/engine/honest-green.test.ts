import { describe, expect, test } from "vitest";
import type { ShellAnswer } from "../../src/ports/shell.ts";
import type { WorkspaceRequest } from "../../src/ports/workspace.ts";
import { stage } from "../parts/stage.ts";
import { after, before, ended, green, loop, red, shell, tests, workspace } from "./checks.ts";

describe("the inventory of tests", () => {
  test("tests that no longer run make a green check red with `tests: keep`, and the next prompt says why", async () => {
    const steps = { shell: shell([red(before), green(tests(["a"])), green(after)]) };
    const it = await ended("", steps, "baseline: true, tests: keep");
    const [, first, second] = it.of("stop.tested");
    expect(first).toMatchObject({ verdict: "go-on", because: "it passed, but 2 tests ran before, 1 now" });
    expect(first?.tests).toEqual({ ran: 1, passed: 1, failed: 0, skipped: 0, gone: ["b"], new: [] });
    expect(second).toMatchObject({ verdict: "done", tests: { ran: 2, gone: [], new: [] } });
    expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "until-bash", iterations: 2 });
  });

  test("does not count where the author says that the exit code is enough", async () => {
    const it = await ended(
      "",
      { shell: shell([red(before), green()]) },
      "baseline: true, tests: any, clean: off",
    );
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
  });
});

test("a green check whose change recognizes a test runner is pointed at, and counts", async () => {
  const patch =
    "diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-old\n+if (process.env.VITEST) return 3;\n";
  const plain = workspace();
  const it = await ended("", {
    workspace: (request) => (request.op === "diff" ? { patch } : plain(request)),
    shell: shell([red(before), green(after)]),
  });
  expect(it.of("notice")).toMatchObject([{ code: "SUSPICIOUS_CHANGE" }]);
  expect(it.of("notice")[0]?.message).toContain("a.js: `if (process.env.VITEST) return 3;`");
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
});

test("a change that ends the program is pointed at, if the check never said which tests ran", async () => {
  const patch = "diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-old\n+process.exit(0);\n";
  const plain = workspace();
  const noticed = async (first: Partial<ShellAnswer>) => {
    const it = await ended("", {
      workspace: (request) => (request.op === "diff" ? { patch } : plain(request)),
      shell: shell([first, green(after)]),
    });
    return it.of("notice").map(({ code, message }) => `${code}: ${message}`);
  };
  expect(await noticed(red())).toEqual([
    "SUSPICIOUS_CHANGE: the check is green, but the change may end the check before it has failed: a.js: `process.exit(0);`",
  ]);
  expect(await noticed(red(before))).toEqual([]);
});

test("a first check that reached no test is noticed once, if no baseline found it", async () => {
  const tail = 'npm error Missing script: "tset"';
  const it = stage(loop("", "baseline: false"), {
    shell: () => ({ exitCode: 1, tail }),
  });
  await it.begin();
  expect(it.of("notice")).toMatchObject([{ code: "NO_TEST_REACHED" }]);
  expect(it.of("notice")[0]?.message).toContain(tail);
});

describe("a baseline that reached no test", () => {
  test.each<[string, Partial<ShellAnswer>, string]>([
    ["passes without a test", green(tests([])), "the check of fix passed without running a test"],
  ])("ends the run before an agent is paid: it %s", async (_title, answer, because) => {
    const it = await ended("", { shell: shell([answer]) });
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "check-unevaluable" });
    expect(it.end()?.because).toContain(because);
    expect(it.prompts).toEqual([]);
  });
});

test("a baseline that reached no test is told before an agent is paid, and may be the bug", async () => {
  const tail = 'npm error Missing script: "test"\n';
  const it = await ended("", { shell: shell([{ exitCode: 1, tail }, green(after)]) });
  const types = it.events.map(({ type }) => type);
  expect(it.of("notice")[0]).toMatchObject({ code: "NO_TEST_REACHED", path: "/fix#0?1" });
  expect(types.indexOf("notice")).toBeLessThan(types.indexOf("agent.asked"));
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
});

test.each<[string, Partial<ShellAnswer>]>([
  ["crashes", { exitCode: 139 }],
  ["ends with 127 of its own", { exitCode: 127, tail: "127 failing" }],
  ["starts a program that a script lacks", { exitCode: 127, tail: "sh: 1: vitest: not found" }],
  ["names a missing file", { exitCode: 127, tail: "bash: line 1: ./bin/hello: No such file or directory" }],
  ["names a file that is no program", { exitCode: 126, tail: "bash: line 1: ./test.sh: Permission denied" }],
])("a check that %s may be the bug: the agent works on it", async (_, answer) => {
  const it = await ended("", { shell: shell([answer, green(after)]) });
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
});

describe("a fresh clone", () => {
  test("that is red sends the work back, with what was printed there", async () => {
    const clones = { "commit-2": { ...red(tests(["a"], ["b"])), tail: "b failed" }, "commit-1": red(before) };
    const it = await ended("", { shell: shell([red(before), green(after)], clones) });
    const [, first, second] = it.of("stop.tested");
    expect(first).toMatchObject({
      verdict: "go-on",
      because: "it passed here, but not in a fresh clone: exit 1",
      clean: { result: "failed" },
    });
    expect(first?.tail).toContain("--- in a fresh clone ---\nb failed");
    expect(second).toMatchObject({ verdict: "done", clean: { result: "passed" } });
  });

  test("that lacks what the check needs, also without any change, says nothing of the work", async () => {
    const missing = { exitCode: 127, tail: "vitest: not found" };
    const it = await ended("", {
      shell: shell([red(before), green(after)], { "commit-1": missing, "commit-2": missing }),
    });
    expect(it.of("notice")).toMatchObject([{ code: "CLEAN_CHECK_UNAVAILABLE" }]);
    expect(it.of("stop.tested").at(-1)).toMatchObject({ verdict: "done", clean: { result: "unavailable" } });
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
  });

  test("that lacks a program which changed since the run began is not believed", async () => {
    const missing = { exitCode: 127, clean: { leftOut: ["/home/bin/npm"] } };
    const it = await ended("", {
      shell: shell([red(before), green(after)], { "commit-1": missing, "commit-2": missing }),
    });
    expect(it.of("stop.tested")[1]).toMatchObject({ verdict: "go-on" });
    expect(it.of("stop.tested")[1]?.because).toContain("/home/bin/npm");
  });

  test("is made ready as before where a new manifest, such as requirements.txt, asks for more than is there", async () => {
    const here = shell([red(before), green(after)]);
    const it = await ended("", {
      shell: (request) => {
        const { clean } = request;
        if (clean === undefined) return here(request);
        if (clean.commit === "commit-1") return { ...red(before), clean: {} };
        return clean.setup === ""
          ? { ...green(after), clean: {} }
          : { exitCode: 1, tail: "No module named pytest", clean: { setup: "pip install" } };
      },
    });
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
    expect(it.of("stop.tested")[1]).toMatchObject({ clean: { result: "passed" } });
  });

  test("that is red however it is made ready sends the work back", async () => {
    const here = shell([red(before), green(after)]);
    const it = await ended("", {
      shell: (request) => {
        if (request.clean === undefined) return here(request);
        const setup = request.clean.setup ?? "pip install";
        return request.clean.commit === "commit-1"
          ? { ...red(before), clean: {} }
          : { ...red(before), clean: { setup } };
      },
    });
    expect(it.of("stop.tested")[1]).toMatchObject({ verdict: "go-on", clean: { result: "failed" } });
  });

  test("is made ready as the author says, and left out where the author says so", async () => {
    const on = await ended(
      "",
      { shell: shell([red(before), green(after)]) },
      'baseline: true, setup: "make deps"',
    );
    expect(on.scripts.at(-1)?.clean).toMatchObject({ commit: "commit-2", setup: "make deps" });
    const off = await ended("", { shell: shell([red(before), green(after)]) }, "baseline: true, clean: off");
    expect(off.scripts.map(({ clean }) => clean)).toEqual([undefined, undefined]);
  });
});

describe("a check that is red and green on one tree", () => {
  const sameTree = workspace(() => "tree");

  test("must pass twice, with a notice", async () => {
    const it = await ended("", {
      workspace: sameTree,
      shell: shell([red(before), green(after), green(after)]),
    });
    expect(it.of("notice")).toMatchObject([{ code: "FLAKY_CHECK" }]);
    expect(it.scripts.filter(({ clean }) => clean === undefined)).toHaveLength(3);
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
  });

  test("is not green where it fails the second time", async () => {
    const it = await ended("", {
      workspace: sameTree,
      shell: shell([red(before), green(after), red(before), red(before)]),
    });
    expect(it.of("stop.tested")[1]).toMatchObject({
      verdict: "go-on",
      because: "it passed, then failed on the same files (b): exit 1",
    });
  });

  test("is run as often as its author wants", async () => {
    const it = await ended("", { shell: shell([red(before), green(after)]) }, "baseline: true, confirm: 3");
    expect(it.scripts.filter(({ clean }) => clean === undefined)).toHaveLength(4);
  });
});

describe("no progress", () => {
  test("the same failing tests end the loop, however the files change; the baseline's count as seen", async () => {
    let time = 0;
    const answers = () => ({ ...red(before), tail: `noise ${"x".repeat(++time)}` });
    const it = await ended("no_progress: { same_failure: 2 }", { shell: answers });
    expect(it.end()).toMatchObject({ stop_reason: "no-progress", iterations: 2 });
    expect(it.end()?.because).toContain("the same failure came back in 2 iterations");
  });

  test("other failing tests restart the count", async () => {
    const steps = [red(before), red(tests(["b"], ["a"])), red(before), green(after)];
    const it = await ended("no_progress: 2", { shell: shell(steps) });
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 3 });
  });
});

describe("a reviewer", () => {
  test("is asked once after green, and the loop continues if it says no", async () => {
    const replies = [
      '{"honest": false, "reason": "it knows the tests"}',
      '{"honest": true, "reason": "fine"}',
    ];
    let reviews = 0;
    const it = await ended("review: true", {
      shell: shell([red(before), green(after)]),
      agent: ({ role }) => (role === "judge" ? (replies[reviews++] ?? "") : "did it"),
    });
    expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "until-bash", iterations: 2 });
    const asked = it.prompts.filter(({ role }) => role === "judge");
    expect(asked).toHaveLength(2);
    expect(asked[0]?.prompt).toContain("<changes>\n+fixed\n</changes>");
    expect(asked[0]?.prompt).toContain("t: 1 passed, 1 failed, 0 skipped");
    expect(it.of("stop.tested").find(({ kind }) => kind === "judge")).toMatchObject({
      verdict: "go-on",
      because: "the reviewer does not find the work honest: it knows the tests",
    });
  });
});

describe("a judge", () => {
  const judged = loop("until_agent: critic\n      until_mode: all", "baseline: true, clean: off");

  test("sees the goal, the changes, the tests before and now, and what the check printed", async () => {
    const it = stage(judged, {
      workspace: workspace(),
      shell: shell([red(before), { ...green(after), tail: "all is well" }]),
      agent: ({ role }) => (role === "judge" ? '{"done": true, "reason": "fine"}' : "did it"),
    });
    await it.begin();
    const prompt = it.prompts.find(({ role }) => role === "judge")?.prompt;
    for (const part of ["fix it", "+fixed", "t: 1 passed, 1 failed", "t: 2 passed, 0 failed", "all is well"])
      expect(prompt).toContain(part);
  });

  test("that changed files has them restored", async () => {
    let snapshots = 0;
    const asked: WorkspaceRequest[] = [];
    const it = stage(judged, {
      workspace(request) {
        asked.push(request);
        return request.op === "snapshot"
          ? { commit: `commit-${++snapshots}`, tree: `tree-${snapshots}` }
          : {};
      },
      shell: shell([red(before), green(after)]),
      agent: ({ role }) => (role === "judge" ? '{"done": true, "reason": "fine"}' : "did it"),
    });
    await it.begin();
    expect(asked.at(-1)).toEqual({ op: "restore", commit: "commit-2" });
    expect(it.of("notice")).toMatchObject([{ code: "JUDGE_CHANGED_FILES" }]);
  });
});
