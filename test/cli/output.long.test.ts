import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { expect, test } from "vitest";
import type { RunEvent } from "../../src/engine/run-events.ts";
import { builtCommandLine } from "../parts/built.ts";
import { type Folder, loopFile, openFolder } from "../parts/terminal.ts";

const workflow = loopFile("prompt: go\nuntil_bash: test $LOOP_ITERATION -ge 3\nmax_iterations: 5");
const commandLine = ["run", "w.yml", "--agent", "command:echo did", "--run-id", "heard-run"];

const ready = () => {
  const folder = openFolder();
  folder.write({ "w.yml": workflow });
  return folder;
};

test("a run continues to its end though its progress is no longer read", async () => {
  const folder = ready();
  const driving = folder.start(...commandLine);
  driving.process.stderr?.destroy();
  expect(await driving.ended).toMatchObject({ code: 0 });
});

test("whatever is read ends quietly when its reader has gone", async () => {
  const folder = ready();
  await folder.run(...commandLine);
  const readings = [
    "status heard-run --json",
    "list",
    "report heard-run",
    "plan w.yml",
    "--help",
    "run --help",
  ].map((line) => {
    const reading = folder.start(...line.split(" "));
    reading.process.stdout?.destroy();
    return reading.ended;
  });
  const ended = await Promise.all(readings);
  expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    readings.map(() => ({ code: 0, stderr: "" })),
  );
});

/** Runs a command whose output of one kind goes to a full disk. */
function intoFull(folder: Folder, at: 1 | 2, ...command: readonly string[]) {
  const full = openSync("/dev/full", "w");
  const stdio = ["ignore", at === 1 ? full : "pipe", at === 2 ? full : "pipe"] as const;
  const args = [builtCommandLine(), ...command];
  const ended = spawnSync(process.execPath, args, { cwd: folder.path, stdio: [...stdio], encoding: "utf8" });
  closeSync(full);
  return ended;
}

test("if progress cannot be written the run continues; if events cannot, one sentence says so", async () => {
  const folder = ready();
  expect(intoFull(folder, 2, ...commandLine).status).toBe(0);
  const { status, stderr } = intoFull(folder, 1, "status", "heard-run", "--json");
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: "until-green: standard output cannot be written: ENOSPC: no space left on device, write\n",
  });
  await folder.run("run", "w.yml", "--agent", "command:echo did");
  const listed = intoFull(folder, 1, "list");
  expect({ status: listed.status, stderr: listed.stderr }).toEqual({ status, stderr });
});

test("what belongs to no run is counted by itself, with an empty run", async () => {
  const folder = ready();
  folder.write({ "bad.yml": "name: 1\nnodes: 2\n" });
  const { code, events } = await folder.run("check", "bad.yml", "nowhere.yml", "bad.yml", "--json");
  expect(code).toBe(2);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.every(({ run, type }) => run === "" && type === "notice")).toBe(true);
  // A file that is not there hides nothing of the others.
  expect(events.filter((event) => "file" in event && event.file === "bad.yml")).toHaveLength(4);
  expect(events).toContainEqual(expect.objectContaining({ code: "MISSING_FILE" }));
});

test("output of agents and checks are live events, which share the number of the last recorded event", async () => {
  const folder = ready();
  const { events, stderr } = await folder.run(...commandLine, "--json");
  const messages = events.filter(({ type }) => (type as string) === "agent.message");
  expect(messages).toHaveLength(3);
  expect(messages[0]).toMatchObject({ v: 1, run: "heard-run", path: "/fix#1", text: "did" });
  const asked = events.findIndex(({ type }) => type === "agent.asked");
  expect(events[asked + 1]).toMatchObject({ type: "agent.message", seq: events[asked]?.seq });
  expect(stderr).toContain("fix · iteration 3 of 5 · command\n  did\n");
  const recorded = events.filter(({ type }) => !/^(agent\.(message|tool)|check\.output)$/.test(type));
  expect(recorded.map(({ seq }) => seq)).toEqual(recorded.map((_, at) => at + 1));
  // A reader that skips what is not numbered higher than all before reads the record.
  const isHigher = ({ seq }: RunEvent, at: number) => events.slice(0, at).every((one) => one.seq < seq);
  expect(events.filter(isHigher)).toEqual(recorded);
});
