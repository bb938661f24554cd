import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Folder, folderAt, loopFile, openFolder } from "../parts/terminal.ts";

// Empty where Debian's package `faketime` is not installed.
const library = spawnSync("faketime", ["-f", "+0d", "printenv", "LD_PRELOAD"], { encoding: "utf8" });
const faketime = library.status === 0 ? library.stdout.trim() : "";
const skipped = faketime === "" ? " (skipped: `faketime` is not installed)" : "";

// Where processes may have process ids of their own, as a container has.
const container = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"];
const canUnshare = spawnSync("unshare", [...container, "true"]).status === 0;

const day = 24 * 3_600_000;
const runId = "jumped-run";
const workflow = loopFile(
  `
  prompt: "round $LOOP_ITERATION"
  until_bash: test "$LOOP_ITERATION" -ge 4
  max_iterations: 9
  time_limit: 10m
`,
  "budget: { minutes: 10 }\n",
);

/** A folder whose processes read the offset of their clock from a file in it. The monotonic clock is the kernel's. */
function openOffClock(): Folder & { set(offset: string): void } {
  const { path, write } = openFolder();
  const set = (offset: string) => write({ clock: `${offset}\n` });
  write({ "w.yml": workflow, ".gitignore": "calls\nclock\n" });
  set("+0d");
  const env = {
    ...process.env,
    LD_PRELOAD: faketime,
    FAKETIME_TIMESTAMP_FILE: join(path, "clock"),
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  return { ...folderAt(path, env), set };
}

const callsIn = ({ path }: Folder) => {
  const calls = join(path, "calls");
  return existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [];
};

/** Starts the run, and comes back when its second call has begun. */
async function startUntilSecond(folder: Folder, agent: string) {
  const args = ["run", "w.yml", "--agent", agent, "--run-id", runId, "--json"];
  const driving = folder.start(...args);
  await expect.poll(() => callsIn(folder), { timeout: 60_000 }).toContain("2");
  return driving;
}

const count = 'echo "$UNTIL_GREEN_ITERATION" >> calls';
const waitsInSecond = `command:${count}; test "$UNTIL_GREEN_ITERATION" != 2 || until test -e open; do sleep 0.05; done; echo did`;

/** That the times on record only rise, and by less than a day. */
function expectSoundTimes(events: readonly { readonly at: string }[]): void {
  const times = events.map(({ at }) => Date.parse(at));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeLessThan(day / 2);
}

describe.runIf(faketime !== "").each([1, -1])(`a clock that is set by %i day${skipped}`, (days) => {
  const jump = `${days > 0 ? "+" : ""}${days}d`;

  test("during a run ends nothing and uses up no budget", async () => {
    const folder = openOffClock();
    const agent = `command:${count}; test "$UNTIL_GREEN_ITERATION" != 2 || echo ${jump} > clock; date +%s; echo did`;
    const { code, events, stderr } = await folder.run(
      ...["run", "w.yml", "--agent", agent, "--run-id", runId, "--json"],
    );
    expect(code, stderr).toBe(0);
    expect(callsIn(folder)).toEqual(["1", "2", "3", "4"]);
    expectSoundTimes(events);
    // As the programs saw it, so did the process that drives the run.
    const seen = events.flatMap((event) =>
      event.type === "agent.answered" ? [Number(event.text.split("\n")[0])] : [],
    );
    expect(Math.sign((seen[2] ?? 0) - (seen[0] ?? 0))).toBe(days);
  });

  test("between a kill and a resume ends nothing, repeats nothing on record and uses up no budget", async () => {
    const folder = openOffClock();
    const first = await startUntilSecond(folder, waitsInSecond);
    first.process.kill("SIGKILL");
    await first.ended;
    folder.set(jump);
    folder.write({ open: "" });
    const { code, stderr } = await folder.run("resume", runId);
    expect(code, stderr).toBe(0);
    expect(callsIn(folder)).toEqual(["1", "2", "2", "3", "4"]);
  });

  test("lets nobody else drive the run", async () => {
    const folder = openOffClock();
    const driving = await startUntilSecond(folder, waitsInSecond);
    folder.set(jump);
    const second = await folder.run("resume", runId);
    expect(second).toMatchObject({ code: 5, stderr: expect.stringContaining("is driven by process") });
    folder.write({ open: "" });
    expect((await driving.ended).code).toBe(0);
    expect(callsIn(folder)).toEqual(["1", "2", "3", "4"]);
  });
});

describe("a process that is suspended", () => {
  test("still holds the lock of its run, and continues it", async () => {
    const { path, write } = openFolder();
    write({ "w.yml": workflow, ".gitignore": "calls\nopen\n" });
    const folder = folderAt(path);
    const driving = await startUntilSecond(folder, waitsInSecond);
    driving.process.kill("SIGSTOP");
    const second = await folder.run("resume", runId);
    expect(second).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`process ${driving.process.pid} on `),
    });
    write({ open: "" });
    driving.process.kill("SIGCONT");
    expect((await driving.ended).code).toBe(0);
    expect(callsIn(folder)).toEqual(["1", "2", "3", "4"]);
  });

  test.runIf(canUnshare)(
    "for longer than its lease loses its run to another container, and records nothing more",
    async () => {
      const { path, write } = openFolder();
      write({ "w.yml": workflow, ".gitignore": "calls\nopen\n" });
      const folder = folderAt(path, undefined, ["unshare", ...container]);
      const suspended = await startUntilSecond(folder, waitsInSecond);
      const pid = Number(
        readFileSync(`/proc/${suspended.process.pid}/task/${suspended.process.pid}/children`, "utf8"),
      );
      process.kill(pid, "SIGSTOP");
      write({ open: "" });
      const heir = await folder.run("resume", runId);
      expect(heir.code, heir.stderr).toBe(0);
      const log = join(path, `.git/until-green/runs/${runId}/log.jsonl`);
      const before = readFileSync(log, "utf8");
      process.kill(pid, "SIGCONT");
      const { code, stderr } = await suspended.ended;
      expect(code, stderr).toBe(5);
      expect(stderr).toContain("taken over by");
      expect(readFileSync(log, "utf8")).toBe(before);
      expect(callsIn(folder)).toEqual(["1", "2", "2", "3", "4"]);
    },
  );
});
