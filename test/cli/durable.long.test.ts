import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { tryLock } from "../../src/processes/lock.ts";
import { type Folder, folderAt, isAlive, loopFile, openFolder } from "../parts/terminal.ts";

const rounds = 8;
const workflow = loopFile(`
  prompt: "round $LOOP_ITERATION after $LOOP_PREV_OUTPUT"
  until_bash: test "$LOOP_ITERATION" -ge ${rounds}
  max_iterations: 20
`);
// Each call leaves a line outside the log, so that calls can be counted whatever the log says.
const agent =
  'command:read -r prompt; echo "$UNTIL_GREEN_ITERATION" >> calls; echo "did $UNTIL_GREEN_ITERATION"';

const calls = (folder: Folder) =>
  readFileSync(join(folder.path, "calls"), "utf8").trim().split("\n").map(Number);

test("a run killed again and again ends as the straight one, repeats no recorded iteration and flags the one in flight", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": workflow, ".gitignore": "calls\n" });
  let cut = 0;
  let again = 0;
  const args = ["run", "w.yml", "--agent", agent, "--run-id", "killed-run", "--json"];
  let next = folder.start(...args);
  for (let round = 0; round < 60; round++) {
    killAfter(next.process, 3 + (round % 7), (round * 7) % 40);
    const { code, events } = await next.ended;
    again += events.filter((event) => event.type === "notice" && event.code === "BEGUN_AGAIN").length;
    if (code !== null) break;
    cut += 1;
    // A kill before the first line leaves no run to resume.
    const isStarted = (await folder.run("status", "killed-run")).code === 0;
    next = folder.start(...(isStarted ? ["resume", "killed-run", "--json"] : args));
  }
  expect(cut).toBeGreaterThan(1);
  // A kill may come between the last record and the exit: the log is what counts.
  const { events } = await folder.run("status", "killed-run", "--json");
  expect(events.at(-1)).toMatchObject({
    conclusion: "success",
    stop_reason: "until-bash",
    output: `did ${rounds}`,
    iterations: rounds,
  });
  const made = calls(folder);
  expect([...new Set(made)]).toEqual(Array.from({ length: rounds }, (_, index) => index + 1));
  // Whatever ran twice had been in flight at a kill, and that was said.
  expect(made.length - rounds).toBeLessThanOrEqual(again);
  expect(again).toBeLessThanOrEqual(cut);
  // Some forty processes, each killed: slow on a busy machine, however quick the product.
}, 240_000);

test("of two approvals at once one succeeds and the other learns who did", async () => {
  const folder = openFolder();
  folder.write({
    "w.yml": loopFile(
      "prompt: '[$LOOP_USER_INPUT]'\nuntil: DONE\nmax_iterations: 9\ninteractive: true\ngate_message: look",
      "interactive: true\n",
    ),
  });
  const first = await folder.run("run", "w.yml", "--agent", "command:tee -a calls", "--run-id", "raced-run");
  expect(first.code).toBe(3);
  for (let round = 1; round <= 3; round++) {
    const both = await Promise.all(
      ["ann", "bob"].map((who) => folder.run("approve", "raced-run", `by ${who}`)),
    );
    expect(both.map(({ code }) => code).toSorted()).toEqual([3, 5]);
    expect(both.find(({ code }) => code === 5)?.stderr).toMatch(/already decided by/);
    const made = readFileSync(join(folder.path, "calls"), "utf8").match(/\[[^\]]*\]/g);
    expect(made).toHaveLength(round + 1);
  }
});

/** Takes a lock as another process would that drives the run; answers how to let it go. */
async function held(path: string) {
  const taken = await tryLock(path);
  if (!("release" in taken)) throw new Error("somebody has it");
  return taken.release;
}

test("an approval of a run that has ended meanwhile ends as that run did", async () => {
  const folder = openFolder();
  folder.write({
    "w.yml":
      "name: t\ninteractive: true\nnodes:\n  - { id: a, approval: { message: ok } }\n  - { id: b, approval: { message: ok } }\n",
  });
  await folder.run("run", "w.yml", "--run-id", "ended-run");
  const run = join(folder.path, ".git/until-green/runs/ended-run");
  // As one that has just paused the run and is still on its way out.
  const release = await held(join(run, "owner"));
  const approving = folder.start("approve", "ended-run");
  await until(() => readFileSync(join(run, "log.jsonl"), "utf8").includes("run.decided") || undefined);
  // Stopped while it writes, it would keep everybody else from writing.
  await until(() => !readdirSync(run).includes("log.lock") || undefined);
  approving.process.kill("SIGSTOP");
  expect((await folder.run("cancel", "ended-run")).code).toBe(4);
  release();
  approving.process.kill("SIGCONT");
  expect(await approving.ended).toMatchObject({
    code: 4,
    stderr: expect.not.stringContaining("nothing to resume"),
  });
});

test("a resume that loses to a cancellation exits as lost and names who came first", async () => {
  const folder = openFolder();
  folder.write({
    "w.yml": "name: t\ninteractive: true\nnodes: [{ id: a, approval: { message: ok } }]\n",
    // A command that was given, and has read nothing yet.
    "wait.mjs": `import { existsSync, writeFileSync } from "node:fs";
writeFileSync("began", "");
while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 20));\n`,
  });
  await folder.run("run", "w.yml", "--run-id", "lost-run");
  const slow = folderAt(folder.path, {
    ...process.env,
    NODE_OPTIONS: `--import=${pathToFileURL(join(folder.path, "wait.mjs"))}`,
  });
  const resuming = slow.start("resume", "lost-run");
  await until(() => existsSync(join(folder.path, "began")) || undefined);
  expect((await folder.run("cancel", "lost-run", "enough")).code).toBe(4);
  folder.write({ go: "" });
  expect(await resuming.ended).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/meanwhile run lost-run was cancelled by .*: enough/),
  });
  expect((await folder.run("resume", "lost-run")).code).toBe(2);
});

test("a second process does not drive a run that one drives already", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": workflow });
  const args = ["--agent", "command:touch began; sleep 30", "--run-id", "held-run"];
  const driving = folder.start("run", "w.yml", ...args);
  await until(() => readFileSync(join(folder.path, "began")));
  const other = await folder.run("resume", "held-run");
  expect(other.code).toBe(5);
  const cancelled = await folder.run("cancel", "held-run", "enough");
  expect(cancelled.code).toBe(4);
  const { code } = await driving.ended;
  expect(code).toBe(4);
});

test("if an answer is recorded and the run was not resumed, status and list say how to resume it", async () => {
  const folder = openFolder();
  const nodes = "[{ id: a, approval: { message: ok } }, { id: b, depends_on: [a], bash: echo on }]";
  folder.write({ "w.yml": `name: t\ninteractive: true\nnodes: ${nodes}\n` });
  await folder.run("run", "w.yml", "--run-id", "left-run");
  expect((await folder.run("status", "left-run")).stdout).not.toContain("resume");
  // As if the process that answers were killed once the answer is on record: another one seems to drive the run.
  const owner = join(folder.path, ".git/until-green/runs/left-run/owner");
  const release = await held(owner);
  expect((await folder.run("approve", "left-run", "fine")).stderr).toContain("recorded");
  release();
  expect((await folder.run("status", "left-run")).stdout).toContain(
    "It was answered, but no process has resumed it. To continue: until-green resume left-run\n",
  );
  // Whoever answers again comes too late, and is told the same.
  expect(await folder.run("approve", "left-run")).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(
      /already decided by .*no process has resumed it: until-green resume left-run/,
    ),
  });
  expect((await folder.run("list")).stdout).toMatch(/left-run {2}.*answered.*`resume` continues it/);
  expect((await folder.run("resume", "left-run")).code).toBe(0);
});

test("cancelling a run whose process was killed ends the agent that process left behind", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": workflow });
  const args = [
    "--agent",
    "command:echo $$ > pid; sleep 60",
    "--run-id",
    "orphaned-run",
    "--isolation",
    "off",
  ];
  const driving = folder.start("run", "w.yml", ...args);
  const pid = await until(() => readFileSync(join(folder.path, "pid"), "utf8").trim() || undefined);
  expect((await folder.run("status", "orphaned-run")).stdout).not.toContain("killed");
  driving.process.kill("SIGKILL");
  await driving.ended;
  expect((await folder.run("status", "orphaned-run")).stdout).toContain(
    "Its process ended early. To continue: until-green resume orphaned-run\n",
  );
  expect((await folder.run("list")).stdout).toMatch(/orphaned-run {2}.* paused; its process ended early/);
  const followed = await folder.run("logs", "orphaned-run", "--follow");
  expect(followed.stderr).toBe("Its process ended early. To continue: until-green resume orphaned-run\n");
  expect(isAlive(pid)).toBe(true);
  expect((await folder.run("cancel", "orphaned-run")).code).toBe(4);
  await until(() => !isAlive(pid) || undefined);
});

test("a resumed run leaves the agent of another checkout alone, even where both runs have one id", async () => {
  const [one, other] = [openFolder(), openFolder()];
  const gate = "name: t\ninteractive: true\nnodes:\n  - { id: a, approval: { message: ok } }\n";
  one.write({ "w.yml": gate });
  other.write({
    "w.yml": 'name: t\nnodes:\n  - { id: a, bash: "touch began; until test -f go; do sleep 0.05; done" }\n',
  });
  const driving = other.start("run", "w.yml", "--run-id", "same-run");
  await until(() => readFileSync(join(other.path, "began")));
  expect((await one.run("run", "w.yml", "--run-id", "same-run")).code).toBe(3);
  expect((await one.run("resume", "same-run")).code).toBe(3);
  other.write({ go: "" });
  expect((await driving.ended).code).toBe(0);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s leaves a run that continues where it was",
  async (signal) => {
    const folder = openFolder();
    folder.write({ "w.yml": workflow });
    const slow = `${agent}; test -f quick || { touch began; sleep 30; }`;
    const driving = folder.start("run", "w.yml", "--agent", slow, "--run-id", "stopped-run", "--json");
    await until(() => readFileSync(join(folder.path, "began")));
    driving.process.kill(signal);
    const { code, events, stderr } = await driving.ended;
    expect(code).toBe(3);
    expect(events.at(-1)).toMatchObject({ type: "run.paused", stop_reason: "time-limit" });
    expect(stderr).toMatch(/\nresume: until-green resume stopped-run\n$/);
    writeFileSync(join(folder.path, "quick"), "");
    const resumed = await folder.run("resume", "stopped-run", "--json");
    expect(resumed.code).toBe(0);
    expect(resumed.events.at(-1)).toMatchObject({ conclusion: "success", iterations: rounds });
  },
);

test("--max-minutes pauses a run for more time", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": workflow });
  const args = ["--agent", "command:sleep 30", "--run-id", "short-run", "--max-minutes", "0.02", "--json"];
  const { code, events } = await folder.run("run", "w.yml", ...args);
  expect(code).toBe(3);
  expect(events.at(-1)).toMatchObject({ type: "run.paused", stop_reason: "time-limit" });
  const { stdout } = await folder.run("status");
  expect(stdout).toMatch(/\nTo continue: until-green resume short-run\n$/);
});

test("a message sent to a step is in its next prompt, once", async () => {
  const folder = openFolder();
  folder.write({
    "w.yml": loopFile(
      "prompt: go\nuntil: DONE\nmax_iterations: 9\ninteractive: true\ngate_message: look",
      "interactive: true\n",
    ),
  });
  await folder.run("run", "w.yml", "--agent", "command:tee -a calls", "--run-id", "told-run");
  expect((await folder.run("tell", "told-run", "nobody", "hello")).code).toBe(2);
  expect((await folder.run("tell", "told-run", "fix", "mind", "the", "gap")).code).toBe(0);
  await folder.run("approve", "told-run");
  await folder.run("approve", "told-run");
  expect(readFileSync(join(folder.path, "calls"), "utf8").match(/mind the gap/g)).toHaveLength(1);
});

/** Kills a process some milliseconds after it has told its nth event, which is at no moment of ours. */
function killAfter(child: ChildProcess, events: number, ms: number): void {
  let seen = 0;
  child.stdout?.on("data", (text: string) => {
    const before = seen;
    seen += text.split("\n").length - 1;
    if (before < events && seen >= events) setTimeout(() => child.kill("SIGKILL"), ms);
  });
}

/** Waits until something no longer throws and has a value. */
async function until<T>(look: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 2_400; tries++) {
    try {
      const seen = look();
      if (seen !== undefined) return seen;
    } catch {
      // not there yet
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("it never came");
}

test("a damaged log says how to repair it; repaired, the run continues from its last whole line", async () => {
  const folder = openFolder();
  folder.write({
    "w.yml": "name: t\nnodes: [{ id: a, bash: echo one }, { id: b, depends_on: [a], bash: echo two }]\n",
  });
  await folder.run("run", "w.yml", "--run-id", "hurt-run");
  const path = join(folder.path, ".git/until-green/runs/hurt-run/log.jsonl");
  const lines = readFileSync(path, "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes('"/b"') && line.includes("need.met"));
  writeFileSync(path, lines.map((line, index) => (index === at ? `x${line}` : line)).join("\n"));
  const refused = await folder.run("resume", "hurt-run");
  expect(refused.stderr).toContain("`until-green repair hurt-run`");
  const repaired = await folder.run("repair", "hurt-run");
  expect(repaired).toMatchObject({ code: 0, stderr: expect.stringContaining("until-green resume hurt-run") });
  expect(readdirSync(dirname(path)).filter((name) => name.includes(".damaged-"))).toHaveLength(1);
  expect((await folder.run("resume", "hurt-run")).code).toBe(0);
  expect((await folder.run("repair", "hurt-run")).stderr).toContain("nothing to repair");
});

test("a log without a whole line, a missing one, and a folder in its place: each error says what to do", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": "name: t\nnodes: [{ id: a, bash: echo one }]\n" });
  await folder.run("run", "w.yml", "--run-id", "hurt-run");
  const path = join(folder.path, ".git/until-green/runs/hurt-run/log.jsonl");
  writeFileSync(path, "\uFEFFno line\n".repeat(9));
  expect((await folder.run("resume", "hurt-run")).stderr).toContain("`until-green repair hurt-run`");
  const useless = /no line of the log of run hurt-run is intact; the damaged file is .*start a new run/;
  expect(await folder.run("repair", "hurt-run")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(useless),
  });
  const gone =
    /no run hurt-run here to repair, or its log is empty: put a lost log back from a copy, or start/;
  for (const _ of ["empty", "gone"]) {
    for (const look of ["status", "resume"])
      expect(await folder.run(look, "hurt-run")).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /the log of run hurt-run is gone: .*log\.jsonl .*Put it back from a copy, or start/,
        ),
      });
    expect(await folder.run("repair", "hurt-run")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(gone),
    });
    rmSync(path, { force: true });
  }
  mkdirSync(path);
  expect((await folder.run("status", "hurt-run")).stderr).toContain(
    "is a folder and must be a file (EISDIR)",
  );
});
