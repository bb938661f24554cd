import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tellUsage } from "../../src/cli/answer.ts";
import { loopFile, openFolder } from "../parts/terminal.ts";

const gate = "name: t\ninteractive: true\nnodes:\n  - { id: a, approval: { message: one } }\n";
const asking = loopFile(
  "prompt: go\nuntil_bash: test -e done\nmax_iterations: 3\ninteractive: true\ngate_message: Well?",
  "interactive: true\n",
);

test("tell needs no id where one run is unfinished, also if its step has the name of the workflow", async () => {
  const folder = openFolder();
  folder.write({
    "w.yml": asking.replaceAll(/name: t\b|id: fix\b/g, (key) => `${key.split(":")[0]}: fix-tests`),
  });
  expect(await folder.run("tell", "fix-tests", "mind the names")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no run is running or paused"),
  });
  const id = "fix-tests-0000aaaa";
  await folder.run("run", "w.yml", "--agent", "command:cat", "--run-id", id);
  const recorded = `recorded; fix-tests of ${id} gets the message with its next prompt\n`;
  for (const args of [
    ["fix-tests", "first", "words"],
    [id.slice(0, 12), "fix-tests", "second words"],
  ])
    expect((await folder.run("tell", ...args)).stderr, args.join(" ")).toBe(recorded);
  const { stderr } = await folder.run("approve");
  expect(stderr).toContain("first words");
  expect(stderr).toContain("second words");
  expect(await folder.run("tell", "fix-test", "mind the names")).toMatchObject({
    code: 2,
    stderr: "until-green: the workflow has no step fix-test; did you mean fix-tests?\n",
  });
  expect(await folder.run("tell", "fix-tests")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(tellUsage),
  });
});

test("tell and cancel list the runs where several are unfinished", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": gate });
  for (const id of ["first-0000aaaa", "second-0000aaaa"]) await folder.run("run", "w.yml", "--run-id", id);
  const unclear =
    /2 runs are running or paused; name one: (first|second)-0000aaaa, (first|second)-0000aaaa\n/;
  for (const args of [["tell", "a", "hello"], ["cancel"]]) {
    const { code, stderr } = await folder.run(...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(unclear) });
  }
  expect((await folder.run("cancel", "first-0000aaaa")).code).toBe(4);
  expect((await folder.run("cancel")).code).toBe(4);
  expect((await folder.run("cancel")).stderr).toContain("no run is running or paused");
});

test.each(["9f8e7d6c", "c1lm2n3p", "19283746512-2"])(
  "the end %s of a missing run's id is no feedback",
  async (end) => {
    const folder = openFolder();
    folder.write({ "w.yml": gate });
    await folder.run("run", "w.yml", "--run-id", "waiting-0000aaaa");
    const { code, stderr } = await folder.run("approve", end);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`there is no run ${end} here`),
    });
    expect((await folder.run("approve", "0000aaaa")).code).toBe(0);
  },
);

test("cancel and resume find the only unfinished run behind a newer one that has ended", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": loopFile("prompt: go\nuntil_bash: test -e done\nmax_iterations: 1") });
  const [old, newer] = ["old-0000aaaa", "newer-0000aaaa"];
  await folder.run("run", "w.yml", "--agent", "command:no-such-program-here", "--run-id", old);
  await folder.run("run", "w.yml", "--agent", "command:touch done", "--run-id", newer);
  const resumed = await folder.run("resume");
  expect(resumed.stderr).toContain(`continue with: until-green resume ${old}`);
  expect((await folder.run("cancel")).stderr).toContain("cancelled");
  expect((await folder.run("status", old)).stdout).toContain("was cancelled");
  expect((await folder.run("resume")).stderr).toContain(`run ${newer} has ended`);
});

test("restore needs no id where one run kept snapshots, and lists the runs where several did", async () => {
  const folder = openFolder();
  folder.write({
    "w.yml": loopFile("prompt: go\nuntil_bash: test $(cat n) = 2\nmax_iterations: 3"),
    n: "0\n",
  });
  expect((await folder.run("restore", "1")).stderr).toContain("no run here kept a snapshot");
  const agent = ["--agent", "command:echo $UNTIL_GREEN_ITERATION > n"];
  await folder.run("run", "w.yml", ...agent, "--run-id", "first-0000aaaa");
  const { code, stderr } = await folder.run("restore", "1");
  expect({ code, n: readFileSync(join(folder.path, "n"), "utf8") }).toEqual({ code: 0, n: "1\n" });
  expect(stderr).toContain(
    "after iteration 1 of first-0000aaaa; undo with: until-green restore first-0000aaaa ",
  );
  expect((await folder.run("restore", "first")).stderr).toContain(
    "the number of an iteration, as in until-green restore first-0000aaaa 1\n",
  );
  await folder.run("run", "w.yml", ...agent, "--run-id", "second-0000aaaa");
  expect(await folder.run("restore", "1")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/2 runs kept snapshots; name one: \S+-0000aaaa, \S+-0000aaaa\n/),
  });
});

test("repair needs no id where one log is damaged", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": gate });
  for (const id of ["whole-run", "hurt-run"]) await folder.run("run", "w.yml", "--run-id", id);
  expect((await folder.run("repair")).stderr).toContain("no run here has a damaged log");
  appendFileSync(join(folder.path, ".git/until-green/runs/hurt-run/log.jsonl"), "not json\n{}\n");
  expect(await folder.run("repair")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("the log of run hurt-run is cut"),
  });
});
