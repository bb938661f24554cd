import { expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import { stage } from "../parts/stage.ts";

const loop = (keys: string) => `
name: t
nodes:
  - id: fix
    loop:
      prompt: "round $LOOP_ITERATION after [$LOOP_PREV_OUTPUT] said [$LOOP_USER_INPUT] check [$LOOP_CHECK_OUTPUT]"
${keys.trim().replace(/^ */gm, "      ")}
`;

test("a loop ends when its agent gives the signal, and the tag is gone from its output", async () => {
  const it = stage(loop("until: DONE\nmax_iterations: 5"), {
    agent: (_, call) => (call < 3 ? "not yet" : "All good.\n<promise>DONE</promise>"),
  });
  await it.begin();
  expect(it.end()).toMatchObject({
    conclusion: "success",
    stop_reason: "signal",
    output: "All good.",
    iterations: 3,
  });
  expect(it.prompts.map(({ iteration }) => iteration)).toEqual([1, 2, 3]);
  expect(it.prompts[1]?.prompt).toContain("after [not yet]");
});

test("sessions thread by default, and do not with a fresh context", async () => {
  const threaded = stage(loop("until: DONE\nmax_iterations: 2\non_max: succeed"));
  await threaded.begin();
  expect(threaded.prompts.map(({ session }) => session)).toEqual([undefined, "session-1"]);
  const fresh = stage(loop("until: DONE\nmax_iterations: 2\non_max: succeed\nfresh_context: true"));
  await fresh.begin();
  expect(fresh.prompts.map(({ session }) => session)).toEqual([undefined, undefined]);
});

test("a loop ends when its check passes, and the next iteration reads why it did not", async () => {
  const it = stage(loop("until_bash: npm test\nmax_iterations: 5"), {
    shell: (_, call) => (call < 2 ? { exitCode: 1, tail: "2 failing" } : 0),
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "until-bash", iterations: 2 });
  expect(it.prompts[1]?.prompt).toContain("check [exit 1\n2 failing]");
  expect(it.of("stop.tested").map(({ path, verdict }) => [path, verdict])).toEqual([
    ["/fix#1?1", "go-on"],
    ["/fix#2?1", "done"],
  ]);
});

test("exhaustion fails the loop and reports its id, its limit and each stop's last text", async () => {
  const it = stage(loop("until: DONE\nuntil_bash: npm test\nmax_iterations: 2"), { shell: () => 1 });
  await it.begin();
  const end = it.end();
  expect(end).toMatchObject({ conclusion: "failure", stop_reason: "max-iterations" });
  expect(end?.because).toMatch(
    /^fix was not done after 2 iterations: no DONE yet; the check failed \(exit 1\)$/,
  );
});

test("a loop that treats exhaustion as success ends as iterations-done", async () => {
  const it = stage(loop("until: DONE\nmax_iterations: 2\non_max: succeed"));
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "iterations-done" });
});

test("with any, a stop that fired spares the later ones; with all, every stop must agree at once", async () => {
  const any = stage(loop("until: DONE\nuntil_bash: npm test\nmax_iterations: 3"), {
    agent: () => "DONE",
    shell: () => 1,
  });
  await any.begin();
  expect(any.end()).toMatchObject({ stop_reason: "signal", iterations: 1 });
  expect(any.scripts).toEqual([]);
  const all = stage(loop("until: DONE\nuntil_bash: npm test\nuntil_mode: all\nmax_iterations: 3"), {
    agent: (_, call) => (call === 2 ? "hm" : "DONE"),
    shell: (_, call) => (call === 1 ? 1 : 0),
  });
  await all.begin();
  expect(all.end()).toMatchObject({ conclusion: "success", stop_reason: "until-bash", iterations: 3 });
});

test("with all, no model is asked once a cheaper stop says no", async () => {
  const it = stage(
    loop("until_bash: npm test\nuntil_condition: Is it done?\nuntil_mode: all\nmax_iterations: 3"),
    {
      agent: ({ role }) => (role === "evaluator" ? "yes" : "worked"),
      shell: (_, call) => (call < 3 ? 1 : 0),
    },
  );
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 3 });
  expect(it.prompts.filter(({ role }) => role === "evaluator")).toHaveLength(1);
});

test("a fail signal ends the loop as failed", async () => {
  const it = stage(loop("until: DONE\nfail_until: GAVE_UP\nmax_iterations: 5"), {
    agent: () => "No key.\n<promise>GAVE_UP</promise>",
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "fail-signal", iterations: 1 });
  expect(it.of("iteration.ended").at(-1)).toMatchObject({ output: "No key." });
});

test("an iteration that fails ends the loop, is passed over, or is tried again, as its author says", async () => {
  const crash = (_: unknown, call: number) => (call === 1 ? new AgentError("crash", "it broke") : "DONE");
  const fail = stage(loop("until: DONE\nmax_iterations: 3"), { agent: crash });
  await fail.begin();
  expect(fail.end()).toMatchObject({
    conclusion: "failure",
    stop_reason: "agent-error",
    because: "it broke",
  });
  const goOn = stage(loop("until: DONE\nmax_iterations: 3\non_error: continue"), { agent: crash });
  await goOn.begin();
  expect(goOn.end()).toMatchObject({ conclusion: "success", iterations: 2 });
  const again = stage(loop("until: DONE\nmax_iterations: 3\non_error: retry\nretries: 2"), { agent: crash });
  await again.begin();
  expect(again.end()).toMatchObject({ conclusion: "success", iterations: 1 });
  expect(again.of("node.retried")).toMatchObject([{ path: "/fix#1", attempt: 2, reason: "it broke" }]);
});

test("a loop that failed starts again, from its first iteration, as often as `restarts` allows", async () => {
  const crash = (_: unknown, call: number) => (call % 2 === 0 ? new AgentError("crash", "it broke") : "more");
  const it = stage(loop("until: DONE\nmax_iterations: 3\nrestarts: 2\nrestart_delay: 7s"), { agent: crash });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "failure", because: "it broke" });
  expect(it.prompts.map(({ iteration }) => iteration)).toEqual([1, 2, 1, 2, 1, 2]);
  expect(it.of("node.retried")).toMatchObject([
    { path: "/fix", attempt: 2, reason: "it broke" },
    { path: "/fix", attempt: 3, reason: "it broke" },
  ]);
  expect(it.waits).toEqual([7000, 7000]);
});

test("a loop and a run end as failed when their time is up, and no call gets more than is left", async () => {
  const file = loop("until: DONE\nmax_iterations: 50\ntime_limit: 20ms");
  for (const source of [
    file,
    file.replace("    time_limit: 20ms\n", "").replace("\nnodes:", "\ntime_limit: 20ms\nnodes:"),
  ]) {
    const it = stage(source, { agent: () => "more" });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "timeout" });
    expect(it.prompts.every(({ timeoutMs = 99 }) => timeoutMs <= 20)).toBe(true);
  }
});

test("what passes by itself is tried again inside the iteration, with longer and longer waits", async () => {
  const it = stage(loop("until: DONE\nmax_iterations: 1"), {
    agent: (_, call) => (call < 4 ? new AgentError("rate-limit", "slow down") : "DONE"),
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
  expect(it.of("node.retried").map(({ path, attempt }) => [path, attempt])).toEqual([
    ["/fix#1", 2],
    ["/fix#1", 3],
    ["/fix#1", 4],
  ]);
  const [first = 0, second = 0, third = 0] = it.waits;
  expect(first < second && second < third).toBe(true);
});

test("a loop gives up after iterations that bring no new change and no new failure", async () => {
  const it = stage(loop("until_bash: npm test\nmax_iterations: 9\nno_progress: 2"), {
    shell: () => ({ exitCode: 1, tail: "1 failing" }),
    workspace: () => ({ commit: "c", tree: "same" }),
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "no-progress", iterations: 3 });
});

test.each([
  ["the same files and the same failure, since two iterations", () => "same", () => "1 failing", 3],
  ["files and failures that were all there before", (call: number) => `${call % 3}`, () => "1 failing", 4],
  ["other files each time", (call: number) => `${call}`, () => "1 failing", 9],
  ["another failure each time", () => "same", (call: number) => `${"n".repeat(call)} failing`, 9],
])("with no_change: 2, a loop that sees %s has its last iteration", async (...[, tree, tail, iterations]) => {
  let calls = 0;
  const it = stage(loop("until_bash: npm test\nmax_iterations: 9\nno_progress: { no_change: 2 }"), {
    agent: (_, call) => {
      calls = call;
      return "Tried.";
    },
    shell: (_, call) => ({ exitCode: 1, tail: tail(call) }),
    workspace: () => ({ commit: "c", tree: tree(calls) }),
  });
  await it.begin();
  expect(it.end()).toMatchObject({
    stop_reason: iterations === 9 ? "max-iterations" : "no-progress",
    iterations,
  });
});

test("cumulative output and accumulated names hold every iteration", async () => {
  const it = stage(
    `${loop("until: DONE\nmax_iterations: 2\non_max: succeed\noutput: cumulative\naccumulate: history")}
  - id: after
    depends_on: [fix]
    prompt: "$fix.output / $history"
`,
    { agent: (_, call) => `said ${call}` },
  );
  await it.begin();
  expect(it.prompts[2]?.prompt).toBe("said 1\n---\nsaid 2 / said 1\n---\nsaid 2");
});

test("between iterations the loop waits as long as it says", async () => {
  const it = stage(loop("until: DONE\nmax_iterations: 3\non_max: succeed\ndelay: 10s"));
  await it.begin();
  expect(it.waits).toEqual([10_000, 10_000]);
});

test("the best iteration's workspace and output are kept where no stop chose another", async () => {
  const asked: unknown[] = [];
  const it = stage(
    loop("until: DONE\nmax_iterations: 3\non_max: succeed\nkeep: best\nmetric: wc -c <x\ndirection: min"),
    {
      agent: (_, call) => `said ${call}`,
      shell: (_, call) => ["10", "9", "3", "5"][call - 1] ?? "",
      workspace(request) {
        asked.push(request);
        return request.op === "snapshot" ? { commit: `c-${request.message}`, tree: request.message } : {};
      },
    },
  );
  await it.begin();
  expect(asked.at(-1)).toEqual({ op: "restore", commit: "c-fix, iteration 2" });
  const [first, second] = it.of("iteration.ended");
  expect(first?.snapshot).toBe("c-fix, iteration 1");
  expect(second).toMatchObject({ snapshot: "c-fix, iteration 2", since: first?.snapshot });
  expect(it.end()).toMatchObject({ stop_reason: "iterations-done", output: "said 2" });
});

test("a metric reads the iteration that it measures", async () => {
  const it = stage(
    `
name: t
nodes:
  - id: fix
    loop:
      nodes: [{ id: write, prompt: Write. }]
      until: DONE
      max_iterations: 1
      on_max: succeed
      keep: best
      metric: score "$write.output" "$LOOP_ITERATION" "$LOOP_OUTPUT"
`,
    { agent: () => "draft", shell: () => "7", workspace: () => ({ commit: "c", tree: "t" }) },
  );
  await it.begin();
  expect(it.scripts).toMatchObject([
    { role: "metric", env: { UG_write_output: "", LOOP_ITERATION: "0", LOOP_OUTPUT: "" } },
    { role: "metric", env: { UG_write_output: "draft", LOOP_ITERATION: "1", LOOP_OUTPUT: "draft" } },
  ]);
});

test("protected files are restored before the check, with a notice", async () => {
  const order: string[] = [];
  const it = stage(loop('until_bash: npm test\nmax_iterations: 1\nprotect: ["test/**"]'), {
    shell: ({ clean }) => {
      order.push(clean === undefined ? "check" : "check in a fresh clone");
      return 0;
    },
    workspace(request) {
      order.push(request.op);
      return request.op === "protect" ? { restored: ["test/a.js"] } : { commit: "base", tree: "t" };
    },
  });
  await it.begin();
  expect(order).toEqual([
    ...["snapshot", "inspect", "protect", "snapshot"],
    ...["check", "check in a fresh clone"],
  ]);
  expect(it.of("notice")).toMatchObject([{ code: "TAMPERED" }]);
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("protected files that cannot be restored end the loop before its check runs", async () => {
  const it = stage(loop('until_bash: npm test\nmax_iterations: 2\nprotect: ["test/**"]'), {
    workspace(request) {
      if (request.op === "protect") throw new Error("the index is damaged");
      return { commit: "base", tree: "t" };
    },
  });
  await it.begin();
  expect(it.scripts).toEqual([]);
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "tampered" });
  expect(it.end()?.because).toMatch("could not be restored: the index is damaged");
});

test("a nested repository is named, as its files are in no snapshot, and the loop continues", async () => {
  const it = stage(loop("until_bash: npm test\nmax_iterations: 1"), {
    shell: () => 0,
    workspace: ({ op }) =>
      op === "snapshot" ? { commit: "c", tree: "t", nested: ["app"] } : { commit: "c", tree: "t" },
  });
  await it.begin();
  const notices = it.of("notice").filter(({ code }) => code === "NESTED_REPOSITORY");
  expect(notices[0]?.message).toContain("stored without their files: app");
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("a pipe that git waited for is named, and the loop continues", async () => {
  const it = stage(loop("until_bash: npm test\nmax_iterations: 1"), {
    shell: () => 0,
    workspace: ({ op }) =>
      op === "snapshot" ? { commit: "c", tree: "t", pipes: [".gitignore"] } : { commit: "c", tree: "t" },
  });
  await it.begin();
  const notices = it.of("notice").filter(({ code }) => code === "PIPE_REMOVED");
  expect(notices[0]?.message).toBe("git waited for named pipes, which were removed: .gitignore");
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("files that cannot be read, or could not, are named", async () => {
  const it = stage(loop("until_bash: npm test\nmax_iterations: 1"), {
    shell: () => 0,
    workspace: ({ op }) =>
      op === "snapshot"
        ? { commit: "c", tree: "t", unlocked: ["a"], unreadable: ["b"] }
        : { commit: "c", tree: "t" },
  });
  await it.begin();
  const notices = it.of("notice").filter(({ code }) => code === "UNREADABLE_FILE");
  expect(notices.map(({ message }) => message).slice(0, 2)).toEqual([
    "files that nobody could read were made readable for their owner: a",
    "files of other users that cannot be read are stored in their previous version: b",
  ]);
});

test("a large file is named with its size and the remedy, and the loop continues", async () => {
  const large = [
    { path: "data.bin", size: 524_288_000, kept: true },
    { path: "huge.bin", size: 1_200_000_000, kept: false },
  ];
  const it = stage(loop("until_bash: npm test\nmax_iterations: 1"), {
    shell: () => 0,
    workspace: ({ op }) =>
      op === "snapshot" ? { commit: "c", tree: "t", large } : { commit: "c", tree: "t" },
  });
  await it.begin();
  const notices = it.of("notice").filter(({ code }) => code === "LARGE_FILE");
  expect(notices[0]?.message).toBe(
    "data.bin (524 MB) is stored again after each change; huge.bin (1200 MB) is stored in its previous version; " +
      "GitHub accepts no file over 100 MiB: list it in .gitignore, or use Git LFS",
  );
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("snapshots that use much disk space are reported with a remedy", async () => {
  const it = stage(loop("until_bash: npm test\nmax_iterations: 1"), {
    shell: () => 0,
    workspace: ({ op }) => ({ commit: "c", tree: "t", ...(op === "snapshot" && { stored: 1_540_000_000 }) }),
  });
  await it.begin();
  const notices = it.of("notice").filter(({ code }) => code === "LARGE_SNAPSHOTS");
  expect(notices[0]?.message).toMatch(
    /^the snapshots of this run take 1\.5 GB: list large files .* in \.gitignore/,
  );
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("a file that was kept out of a snapshot because of a secret is named, and the loop continues", async () => {
  const it = stage(loop("until_bash: npm test\nmax_iterations: 1"), {
    shell: () => 0,
    workspace: ({ op }) =>
      op === "snapshot" ? { commit: "c", tree: "t", withheld: ["a.env"] } : { commit: "c", tree: "t" },
  });
  await it.begin();
  const notices = it.of("notice").filter(({ code }) => code === "SECRET_WITHHELD");
  expect(notices[0]?.message).toContain("stored in their previous version: a.env");
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test.each([
  ["protect: [test/**]", "protect"],
  ["keep: best\nmetric: ./score.sh", "keep: best"],
])("a loop with %s needs a git repository", async (keys, what) => {
  const it = stage(loop(`until_bash: npm test\nmax_iterations: 2\n${keys}`), { shell: () => 0 });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "node-failed" });
  expect(it.end()?.because).toMatch(`loop fix uses ${what}, which needs a git repository`);
});
