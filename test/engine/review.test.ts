import { describe, expect, test } from "vitest";
import type { ShellAnswer } from "../../src/ports/shell.ts";
import type { WorkspaceAnswer, WorkspaceRequest } from "../../src/ports/workspace.ts";
import { attemptWorld } from "../parts/attempt-world.ts";
import { type Stage, stage } from "../parts/stage.ts";
import { after, before, ended, green, loop, red, shell, tests, workspace } from "./checks.ts";

const patch = "diff --git a/vite.config.js b/vite.config.js\n-old\n+alias\n";

/** A checkout in which the agent changes `vite.config.js` in some of its iterations. */
function changingWorld(changedIn: readonly number[]) {
  let [iteration, snapshots] = [0, 0];
  let isChanged = false;
  const trees = new Map<string, string>();
  const steps: string[] = [];
  const save = () => {
    const commit = `c${++snapshots}`;
    trees.set(commit, isChanged ? "with" : "without");
    return { commit, tree: isChanged ? "with" : "without" };
  };
  const protect = (since: string | undefined): WorkspaceAnswer => {
    if (!isChanged) return { restored: [] };
    const changed = save().commit;
    isChanged = false;
    return { restored: ["vite.config.js"], ...(since === undefined ? {} : { changed }) };
  };
  const workspace = (request: WorkspaceRequest): WorkspaceAnswer => {
    switch (request.op) {
      case "protect":
        return protect(request.since);
      case "restore":
        isChanged = trees.get(request.commit) === "with";
        steps.push(isChanged ? "put in" : "put back");
        return {};
      case "diff":
        return { patch };
      default:
        return request.op === "snapshot" ? save() : {};
    }
  };
  return {
    workspace,
    steps,
    trees,
    agent() {
      iteration += 1;
      isChanged ||= changedIn.includes(iteration);
      return "did it";
    },
    isChanged: () => isChanged,
  };
}

const reason = { kind: "protected-file", file: "vite.config.js", patch };
const inPull = { facts: { reviewed_in: "pull-request" } } as const;

/** A run whose check passes only with the change; `also` adds the check's other answers. */
async function played(
  changedIn: readonly number[],
  {
    checks = "baseline: true, clean: off",
    keys = "",
    ...more
  }: Partial<Record<"checks" | "keys", string>> & Partial<typeof inPull> = {},
  passes: (isChanged: boolean) => Partial<ShellAnswer> = (isChanged) =>
    isChanged ? green(after) : { ...red(before), tail: "cannot resolve @/a" },
) {
  const world = changingWorld(changedIn);
  const it = stage(loop(keys, checks), {
    ...more,
    workspace: world.workspace,
    agent: world.agent,
    shell: ({ clean }) => passes(clean === undefined ? world.isChanged() : true),
  });
  await it.begin();
  return { it, ...world };
}

const stops = (it: Stage) => it.of("stop.tested").map(({ verdict, because }) => `${verdict}: ${because}`);

describe("a change of a protected file without which the check fails", () => {
  test("is told to the agent once, then a person is asked at a gate", async () => {
    const { it, steps, isChanged } = await played([1, 2]);
    expect(stops(it)).toEqual([
      "go-on: exit 1",
      "go-on: it passes only with your changes to protected files, which were undone (vite.config.js): find another way; if there is none, make these changes again, and a person reviews them. Without them: exit 1",
      "done: exit 0",
    ]);
    expect(it.of("stop.tested").at(-1)?.review).toEqual([reason]);
    expect(steps).toEqual(["put in", "put back", "put in"]);
    expect(isChanged()).toBe(true);
    const [gate] = it.of("gate.opened");
    expect(gate?.question).toContain(
      "The check passes, but please look at this first:\n- vite.config.js is protected, and the check passes only with its change.",
    );
    expect(gate?.question).toContain("    +alias");
    expect(it.end()).toBeUndefined();
    await it.decide("approve");
    expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "approved", iterations: 2 });
    expect(it.end()?.review).toBeUndefined();
  });

  test("ends the loop if a person rejects it", async () => {
    const { it } = await played([1, 2]);
    await it.decide("reject", "no alias");
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "rejected" });
  });

  test("is part of the work that the iteration's snapshot has", async () => {
    const { it, trees } = await played([1, 2], inPull);
    expect(trees.get(it.of("iteration.ended").at(-1)?.snapshot ?? "")).toBe("with");
  });

  test("makes the run a success to review where its pull request is the place for that", async () => {
    const { it } = await played([1, 2], inPull);
    expect(it.of("gate.opened")).toEqual([]);
    expect(it.of("loop.ended").at(-1)).toMatchObject({ status: "completed", review: [reason] });
    expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "until-bash", review: [reason] });
  });

  test("counts again if the agent found no other way and changed nothing", async () => {
    const { it } = await played([1], inPull);
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 2, review: [reason] });
  });

  test("is reviewed at once if no iteration is left", async () => {
    const { it } = await played([4], inPull);
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 4, review: [reason] });
  });

  test("can repair a check that could not start", async () => {
    const broken = (isChanged: boolean) =>
      isChanged ? green(after) : { exitCode: 127, tail: "vitest: not found" };
    const { it } = await played([1, 2], { ...inPull, checks: "clean: off" }, broken);
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 2, review: [reason] });
  });

  test("is undone every time, and never tried, with `protected: refuse`", async () => {
    const { it, steps } = await played([1, 2, 3, 4], { checks: "protected: refuse, clean: off" });
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "max-iterations" });
    expect(steps).toEqual([]);
  });

  test("simply counts with `protected: allow`", async () => {
    const { it } = await played([1], { checks: "protected: allow, clean: off" });
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
    expect(it.end()?.review).toBeUndefined();
  });

  test("is not accepted if the tool reports failed tests", async () => {
    const failing = (isChanged: boolean) =>
      isChanged ? green({ ...tests(["a"], ["b"]), failedAtLast: 1 }) : red(before);
    const { it } = await played([1, 2, 3, 4], {}, failing);
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "max-iterations" });
  });

  test("must pass in a fresh clone too", async () => {
    const world = changingWorld([1, 2, 3, 4]);
    const it = stage(loop(""), {
      workspace: world.workspace,
      agent: world.agent,
      shell: ({ clean }) => (clean === undefined && world.isChanged() ? green(after) : red(before)),
    });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "max-iterations" });
    expect(it.end()?.because).toContain("the check passed here, but not in a fresh clone");
    expect(world.isChanged()).toBe(false);
  });
});

test("a change of a protected file that the check does not need is undone, and nobody is asked", async () => {
  const { it, steps } = await played([1], {}, () => green(after));
  expect(it.end()).toMatchObject({ conclusion: "skipped" });
  const other = await played([1], { checks: "clean: off" }, () => green(after));
  expect(other.it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
  expect(other.it.of("notice")).toMatchObject([{ code: "TAMPERED" }]);
  expect([...steps, ...other.steps]).toEqual([]);
});

describe("missing tests", () => {
  const fewer = () => ({
    shell: shell([red(before), green(tests(["a"]))], { "commit-2": green(tests(["a"])) }),
  });

  test("open the gate, which names them", async () => {
    const it = await ended("", fewer());
    expect(it.of("gate.opened")[0]?.question).toContain("- 2 tests ran before, 1 now.");
    await it.decide("approve");
    expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "approved" });
  });

  test("are a reason by name where the pull request is reviewed", async () => {
    const it = await ended("", { ...fewer(), ...inPull });
    const review = [{ kind: "tests", because: "2 tests ran before, 1 now", tests: ["b"] }];
    expect(it.end()).toMatchObject({ conclusion: "success", review });
  });

  test.each([
    ["nobody is asked if the source made up the name of a failing one", "", undefined],
    ["somebody is asked if the change could have brought the new one", "new file mode 100644\n", 1],
  ])("%s", async (_, header, asked) => {
    const usual = workspace();
    const it = await ended("", {
      shell: shell([red(before), green(tests(["a", "c"]))], { "commit-2": green(tests(["a", "c"])) }),
      workspace: (request) =>
        request.op === "diff" ? { patch: `diff --git a/x b/x\n${header}+fixed` } : usual(request),
      ...inPull,
    });
    expect(it.end()?.review?.length).toBe(asked);
  });

  test("are red with `tests: keep`", async () => {
    const it = await ended("", fewer(), "baseline: true, tests: keep");
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "max-iterations" });
  });

  test("are red if the tool itself reports that tests failed", async () => {
    const failed = green({ ...tests(["a"], ["b"]), failedAtLast: 1 });
    const it = await ended("", { shell: shell([red(before), failed]) });
    expect(it.of("stop.tested")[1]).toMatchObject({
      verdict: "go-on",
      because: "it passed, but tests failed: b",
    });
  });

  test("in a fresh clone are a reason, unless any clone lacks them", async () => {
    const here = [red(before), green(after)];
    const clones = { "commit-2": green(tests(["a"])), "commit-1": red(before) };
    const it = await ended("", { shell: shell(here, clones), ...inPull });
    expect(it.end()?.review).toEqual([
      { kind: "tests", because: "in a fresh clone, 2 tests ran before, 1 now", tests: ["b"] },
    ]);
    const lacking = { ...clones, "commit-1": red(tests(["a"])) };
    const same = await ended("", { shell: shell(here, lacking), ...inPull });
    expect(same.end()).toMatchObject({ conclusion: "success" });
    expect(same.end()?.review).toBeUndefined();
  });
});

describe("several attempts", () => {
  const attempted = async (passes: readonly (readonly string[])[], facts: typeof inPull | object = {}) => {
    const { props } = attemptWorld(passes.map(() => 0));
    let green = 0;
    const it = stage(
      loop("attempts: 2", "baseline: true, clean: off").replace("iterations: 4", "iterations: 1"),
      {
        ...props,
        ...facts,
        shell: (_, call) =>
          call % 2 === 1 ? red(before) : { exitCode: 0, tests: tests(passes[green++] ?? []) },
      },
    );
    await it.begin();
    return it;
  };

  test("keep the one that nobody has to review", async () => {
    const it = await attempted([["a"], ["a", "b"]]);
    expect(it.of("loop.ended").at(-1)).toMatchObject({ status: "completed", chosen: 2 });
    expect(it.of("iteration.ended").flatMap(({ attempt }) => attempt?.to_review ?? [])).toEqual([true]);
    expect(it.end()).toMatchObject({ conclusion: "success" });
    expect(it.end()?.review).toBeUndefined();
  });

  test("are asked about once one is chosen", async () => {
    const it = await attempted([["a"], ["a"]]);
    expect(it.of("gate.opened").map(({ path }) => path)).toEqual(["/fix!gate"]);
    await it.decide("approve");
    expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "approved" });
  });

  test("are reviewed in the pull request for the one that is kept", async () => {
    const it = await attempted([["a"], ["a"]], inPull);
    expect(it.end()?.review).toHaveLength(1);
  });
});
