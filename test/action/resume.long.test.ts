import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { type Folder, loopFile } from "../parts/terminal.ts";
import { cloneOf, jobOf, openRepository, recordIn, stateOf } from "./github-job.ts";

// Each job is a process with git and a server behind it, and there are several in a row.
vi.setConfig({ testTimeout: 180_000 });

const gated = loopFile(
  `prompt: "[$LOOP_USER_INPUT] after [$LOOP_PREV_OUTPUT]"
until: DONE
max_iterations: 9
interactive: true
gate_message: look`,
  "interactive: true\nbudget: { tokens: 100 }\n",
);

const usage = "usage: { input_tokens: 5, output_tokens: 5, cost_usd: 0.5 }";
const replies = `replies:
  - { say: first, write: { one.txt: "1" }, run: "rm README.md", ${usage} }
  - { contains: "[make it blue] after [first]", say: second, run: "test -f one.txt && test ! -f README.md", ${usage} }
  - { contains: "[] after [second]", say: "third <promise>DONE</promise>", ${usage} }
`;

const files = { "README.md": "x\n", "w.yml": gated, "replies.yml": replies };
const run = "action-run-1";
const begin = { workflow: "w.yml", agent: "scripted:replies.yml", "run-id": run };
const goOn = { command: "resume", "run-id": run };

/** What a person decides elsewhere: on record, while nobody drives the run. */
const approve = (text: string) => (gate: string) =>
  ({
    type: "run.decided",
    at: new Date().toISOString(),
    gate,
    decision: "approve",
    by: "ann",
    text,
  }) as const;

describe("a run that pauses in one job", () => {
  test("continues in another, in a fresh clone, with all its state, and its feedback is in one iteration only", async () => {
    const host = await openRepository({ files });
    const first = await jobOf(host, { id: 11, inputs: begin });
    expect(first.ok, first.log.join("\n")).toBe(true);
    const stateRef = `refs/until-green/${run}/state`;
    expect(first.outputs).toMatchObject({
      conclusion: "paused",
      "stop-reason": "gate",
      "state-ref": stateRef,
    });
    expect(first.summary).toContain(`stored in \`${stateRef}\``);
    expect(stateOf(host, run).status).toMatchObject({
      summary: { state: "paused" },
      gates: [{ path: "/fix#1!gate" }],
      job: { run: 11, attempt: 1 },
      origin: { repository: "octocat/hello", branch: "main", workflow: ".github/workflows/loop.yml" },
    });
    await recordIn(host, run, approve("make it blue"));
    const second = await jobOf(host, { id: 12, inputs: goOn });
    expect(second.outputs, second.log.join("\n")).toMatchObject({ conclusion: "paused", iterations: "2" });
    expect(dirname(second.path)).not.toBe(dirname(first.path));
    expect(readFileSync(join(second.path, "one.txt"), "utf8")).toBe("1");
    expect(existsSync(join(second.path, "README.md"))).toBe(false);
    await recordIn(host, run, approve(""));
    const third = await jobOf(host, { id: 13, inputs: goOn });
    expect(third.ok, third.log.join("\n")).toBe(true);
    expect(third.outputs).toMatchObject({
      conclusion: "success",
      "stop-reason": "signal",
      "run-id": run,
      iterations: "3",
      "final-message": expect.stringContaining("third"),
      "cost-usd": "1.5",
      "tokens-total": "30",
      "state-ref": stateRef,
    });
    const events = (await (await cloneOf(host)).run("status", run, "--store", "git", "--json")).events;
    const prompts = events.flatMap((event) => (event.type === "agent.asked" ? [event.prompt] : []));
    expect(prompts.filter((prompt) => prompt.includes("make it blue"))).toHaveLength(1);
    const sessions = events.flatMap((event) => (event.type === "agent.answered" ? [event.session] : []));
    expect(new Set(sessions).size).toBe(1);
    const again = await jobOf(host, { id: 14, inputs: goOn });
    expect(again.annotations[0]?.message).toMatch(/has ended; there is nothing to resume/);
  });

  test("ends with its best iteration, also where that was in a job before, on another machine", async () => {
    const best = loopFile(
      `prompt: go
until: NEVER
max_iterations: 2
on_max: succeed
interactive: true
gate_message: look
keep: best
metric: cat score.txt
direction: max`,
      "interactive: true\n",
    );
    const scored = `replies:
  - { iteration: 1, say: first, write: { score.txt: "9", best.txt: "b" } }
  - { iteration: 2, say: second, write: { score.txt: "3", worse.txt: "w" }, delete: [best.txt] }
`;
    const host = await openRepository({ files: { "w.yml": best, "replies.yml": scored } });
    let last = await jobOf(host, { id: 11, inputs: begin });
    for (let id = 12; id < 14 && last.outputs["conclusion"] === "paused"; id += 1) {
      await recordIn(host, run, approve(""));
      last = await jobOf(host, { id, inputs: { ...goOn, publish: "branch" } });
    }
    expect(last.outputs, last.log.join("\n")).toMatchObject({
      conclusion: "success",
      iterations: "2",
      "final-message": "first",
    });
    expect(readFileSync(join(last.path, "best.txt"), "utf8")).toBe("b");
    const branch = last.outputs["branch"] ?? "";
    const files = host.git.git("ls-tree", "--name-only", branch).split("\n");
    expect(files).toEqual(["best.txt", "replies.yml", "score.txt", "w.yml"]);
    expect(host.git.git("show", `${branch}:score.txt`)).toBe("9");
  });

  test("waits on in a job that comes before anybody has decided, and a terminal can approve it", async () => {
    const host = await openRepository({ files });
    await jobOf(host, { id: 11, inputs: begin });
    const early = await jobOf(host, { id: 12, inputs: goOn });
    expect(early.outputs, early.log.join("\n")).toMatchObject({ conclusion: "paused", iterations: "1" });
    const terminal = await cloneOf(host);
    const approved = await terminal.run("approve", run, "make it blue", "--store", "git", "--json");
    expect(approved.stderr + approved.code).toMatch(/3$/);
    expect(existsSync(join(terminal.path, "one.txt"))).toBe(true);
  });
});

describe("that must not resume a run", () => {
  const slow = loopFile("prompt: go\nuntil_bash: test -f done\nmax_iterations: 9");
  const agent = 'command:echo "$UNTIL_GREEN_ITERATION" >> "$HOME/calls"; touch done; echo ok';

  test("a second job while the first one runs: it does nothing and fails as lost", async () => {
    const host = await openRepository({ files: { "w.yml": slow } });
    // The first job dies without a word, but its workflow run goes on.
    const first = await jobOf(host, {
      id: 11,
      inputs: { workflow: "w.yml", agent: "command:kill -KILL $PPID", "run-id": run, isolation: "off" },
    });
    expect(first.ok).toBe(false);
    host.runs.set(11, { id: 11, status: "in_progress" });
    const second = await jobOf(host, { id: 12, inputs: goOn });
    expect(second.ok).toBe(false);
    expect(second.annotations[0]).toMatchObject({
      title: "until-green: lost",
      message: expect.stringMatching(/workflow run 11 works on run \S+ and is still running/),
    });
    const before = stateOf(host, run).seq;
    host.runs.set(11, { id: 11, status: "completed" });
    const third = await jobOf(host, { id: 13, inputs: goOn });
    // It asks the same agent again, which kills this job too; but it took the run.
    expect(third.ok).toBe(false);
    expect(stateOf(host, run).seq).toBeGreaterThan(before);
  });

  test("of two jobs that resume at once one gets the run, the other leaves no trace", async () => {
    const host = await openRepository({ files: { "w.yml": gatedSlow } });
    await jobOf(host, { id: 11, inputs: { workflow: "w.yml", agent, "run-id": run } });
    await recordIn(host, run, approve("on"));
    const clones = [await cloneOf(host), await cloneOf(host)];
    const ends = await Promise.all(
      clones.map((clone, at) => jobOf(host, { id: 12 + at, inputs: goOn, clone })),
    );
    const lost = ends.filter(({ annotations }) => annotations.some(({ title }) => /lost/.test(title ?? "")));
    expect(lost, ends.flatMap(({ log }) => log).join("\n")).toHaveLength(1);
    expect(ends.filter(({ outputs }) => outputs["conclusion"] === "paused")).toHaveLength(1);
    expect(clones.flatMap(callsOf)).toEqual(["2"]);
    expect(lost[0]?.outputs).toMatchObject({ conclusion: "failure", "run-id": "" });
  });

  test("a missing run, or a missing id, is reported in a sentence", async () => {
    const host = await openRepository({ files });
    const none = await jobOf(host, { id: 11, inputs: { command: "resume", "run-id": "nobody-1" } });
    expect(none.annotations[0]?.message).toMatch(/there is no run nobody-1 at this repository's host/);
    const which = await jobOf(host, { id: 12, inputs: { command: "resume" } });
    expect(which.annotations[0]?.message).toMatch(/needs `run-id`/);
  });
});

const gatedSlow = loopFile(
  "prompt: go\nuntil: NEVER\nmax_iterations: 9\ninteractive: true\ngate_message: look",
  "interactive: true\n",
);

const callsOf = ({ path }: Folder): readonly string[] => {
  const calls = join(path, "..", "calls");
  return existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [];
};

test("starting a run under an existing id is refused, and the existing run is unchanged", async () => {
  const host = await openRepository({ files });
  await jobOf(host, { id: 11, inputs: begin });
  const before = stateOf(host, run).seq;
  const again = await jobOf(host, { id: 12, inputs: begin });
  expect(again.annotations[0]?.message).toMatch(/already exists: resume it with `command: resume`/);
  expect(stateOf(host, run).seq).toBe(before);
});

test("a job killed in the middle of an iteration is followed by one that begins it again, once, and says so", async () => {
  const loop = loopFile("prompt: go\nuntil_bash: test -f done\nmax_iterations: 9");
  const host = await openRepository({ files: { "w.yml": loop } });
  // It dies once the host knows that the second iteration has begun.
  const hasStarted = `git -C ${host.git.path} log --format= -p refs/until-green/${run}/state | grep -q '/fix#2"'`;
  const dies = `command:if [ -e one.txt ]; then test -f "$HOME/again" || { until ${hasStarted}; do sleep 0.2; done; kill -KILL $PPID; }; touch done; fi; touch one.txt; echo ok`;
  const first = await jobOf(host, {
    id: 11,
    inputs: { workflow: "w.yml", agent: dies, "run-id": run, isolation: "off" },
  });
  expect(first.ok).toBe(false);
  const clone = await cloneOf(host);
  writeFileSync(join(clone.path, "..", "again"), "");
  const second = await jobOf(host, { id: 12, inputs: goOn, clone });
  expect(second.outputs, second.log.join("\n")).toMatchObject({ conclusion: "success", iterations: "2" });
  const events = (await (await cloneOf(host)).run("status", run, "--store", "git", "--json")).events;
  expect(events.filter((event) => event.type === "notice" && event.code === "BEGUN_AGAIN")).toHaveLength(1);
  expect(events.filter(({ type }) => type === "run.ended")).toHaveLength(1);
  expect(second.annotations[0]?.message).toMatch(/its last seconds of work may be repeated/);
});
