import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFolder } from "../parts/terminal.ts";

const tasks = `defaults: { check: test "$(cat answer)" = 42, protect: [question], max_iterations: 2 }
tasks:
  - { name: first, folder: start }
  - { name: second, folder: start, check: "grep -q 42 answer" }
`;
const knows = "command:echo >> runs; cat question > answer";
const guesses = "command:echo 41 > answer";

function withTasks(text = tasks) {
  const folder = openFolder();
  folder.write({ "tasks.yml": text, "start/question": "42\n", "start/answer": "0\n" });
  return folder;
}

const both = ["eval", "tasks.yml", "--agent", knows, "--agent", guesses];

test("agents are compared side by side, with an interval, and task by task", async () => {
  const folder = withTasks();
  const { code, stdout, stderr } = await folder.run(...both, "--repeat", "2");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^command:echo >> runs.* 4 of 4 +100 % +51 % to 100 % /m);
  expect(stdout).toMatch(/^command:echo 41.* 0 of 4 +0 % +0 % to 49 % /m);
  expect(stdout).toMatch(/^second +2 of 2 +0 of 2$/m);
  expect(stderr).toMatch(/\[1\/8\] first, command:echo >> runs.*: solved in 1 iteration/);
  const { stdout: json } = await folder.run("eval", "--replay", "eval-results", "--json");
  expect(JSON.parse(json)).toMatchObject({
    agents: [
      { name: knows, runs: 4, green: 4, iterations: 4 },
      { name: guesses, runs: 4, green: 0, iterations: 8 },
    ],
    tasks: [
      { task: "first" },
      {
        task: "second",
        solved: [
          { green: 2, ended: 2 },
          { green: 0, ended: 2 },
        ],
      },
    ],
  });
});

test("the task's own folder stays as it was, and what is recorded does not run again", async () => {
  const folder = withTasks();
  await folder.run("eval", "tasks.yml", "--agent", knows);
  expect(readFileSync(join(folder.path, "start/answer"), "utf8")).toBe("0\n");
  const again = await folder.run(...both);
  expect(again.stderr).toMatch(/^2 trials of 4 are recorded already\n\[1\/2\] first, command:echo 41/);
});

test("the cost of an interrupted trial is reported, and counts against the limit", async () => {
  const folder = withTasks();
  folder.write({ "replies.yml": "replies: [{ say: Hm., usage: { input_tokens: 70, cost_usd: 0.5 } }]\n" });
  // All that such a trial leaves: its log, and no line in the record of trials.
  const run = ["run", "--prompt", "Fix.", "--until-bash", "false", "--agent", "scripted:replies.yml"];
  await folder.run(
    ...run,
    "--max-iterations",
    "1",
    "--store",
    "dir:eval-results/runs",
    "--run-id",
    "first-0001",
  );
  const args = ["eval", "tasks.yml", "--agent", knows];
  const over = await folder.run(...args, "--max-cost-usd", "0.4");
  expect(over.code).toBe(1);
  expect(over.stderr).toContain("--max-cost-usd is spent: 2 trials not run");
  const { stdout } = await folder.run(...args, "--max-cost-usd", "1");
  expect(stdout).toContain("1 interrupted trial began again; before that: 70 tokens, $0.50");
  const { stdout: json } = await folder.run("eval", "--replay", "eval-results", "--json");
  expect(JSON.parse(json)).toMatchObject({
    agents: [{ runs: 2, costUsd: 0 }],
    interrupted: { runs: 1, tokens: 70, costUsd: 0.5 },
  });
});

test.each([
  ["no tasks", ["eval", "--agent", "x"], /name a file with tasks, or give --replay DIR/],
  ["no agent", ["eval", "tasks.yml"], /give the agents to compare: --agent NAME/],
  ["nothing to replay", ["eval", "--replay", "none"], /--replay none: there is no trials\.jsonl/],
])("%s: exit code 2, and what to give", async (_, args, expected) => {
  const { code, stderr } = await withTasks().run(...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(expected);
});

test.each([
  ["a mistyped key", tasks.replace("folder: start }", "folders: start }"), /tasks\.yml: tasks\[0\].*folder/],
  [
    "a folder that is not there",
    tasks.replace("folder: start }", "folder: gone }"),
    /tasks\[0\]: there is no folder gone/,
  ],
  ["two tasks of one name", tasks.replace("second", "first"), /tasks\[1\]: there is a task first already/],
  ["no check", "tasks:\n  - { name: a, folder: start }\n", /tasks\[0\]: `check` is missing/],
  ["no YAML", "tasks: [", /tasks\.yml is not YAML/],
])("%s in the file of tasks is named", async (_, text, expected) => {
  const { code, stderr } = await withTasks(text).run("eval", "tasks.yml", "--agent", knows);
  expect(code).toBe(2);
  expect(stderr).toMatch(expected);
});
