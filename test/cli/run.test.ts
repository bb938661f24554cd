import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { notUsedUp } from "../../src/decisions/commands/applies-to.ts";
import { loopFile, openFolder } from "../parts/terminal.ts";

const counting = loopFile("prompt: go\nuntil_bash: test $(wc -l < count) -ge 3\nmax_iterations: 5");
const count = "command:cat >/dev/null; echo x >> count; echo counted";

test.each([
  ["a loop that ends green", counting, ["--agent", count], 0],
  ["a loop that never does", counting.replace("-ge 3", "-ge 9"), ["--agent", count], 1],
  ["a file that is not YAML", "name: [", ["--agent", count], 2],
  [
    "a workflow that waits",
    "name: t\ninteractive: true\nnodes:\n  - { id: a, approval: { message: ok } }\n",
    [],
    3,
  ],
  ["a workflow that cancels itself", "name: t\nnodes:\n  - { id: a, cancel: enough }\n", [], 4],
  [
    "a workflow in which nothing is selected",
    'name: t\nnodes:\n  - { id: a, bash: "false", when: "1 == 2" }\n',
    [],
    0,
  ],
])("%s has its exit code", async (...[, text, args, code]) => {
  const folder = openFolder();
  folder.write({ "w.yml": text });
  const ended = await folder.run("run", "w.yml", ...args);
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: "" });
});

test("with --json standard output is events and nothing else, numbered from one", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": counting });
  const { code, events } = await folder.run(
    "run",
    "w.yml",
    "hello",
    "--json",
    "--agent",
    count,
    "--run-id",
    "json-run",
  );
  expect(code).toBe(0);
  const recorded = events.filter(({ type }) => !/^(agent\.(message|tool)|(check|node)\.output)$/.test(type));
  expect(recorded.map(({ seq }) => seq)).toEqual(recorded.map((_, index) => index + 1));
  expect(
    events.every(({ v, run, at }) => v === 1 && run === "json-run" && !Number.isNaN(Date.parse(at))),
  ).toBe(true);
  expect(events[0]).toMatchObject({
    type: "run.started",
    workflow: "t",
    dialect: "native",
    file: "w.yml",
    message: "hello",
  });
  expect(events.at(-1)).toMatchObject({
    type: "run.ended",
    conclusion: "success",
    stop_reason: "until-bash",
    output: "counted",
    results: { fix: "counted" },
    iterations: 3,
    usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
  });
});

test("an inline loop runs without a file", async () => {
  const folder = openFolder();
  const args = ["--prompt", "go", "--until-bash", "test -f count", "--max-iterations", "2", "--agent", count];
  const { code, events } = await folder.run("run", ...args, "--json");
  expect(code).toBe(0);
  expect(events.at(-1)).toMatchObject({ stop_reason: "until-bash", iterations: 1 });
});

test.each([
  [["rnu"], /did you mean run/],
  [["run", "w.yml", "--agnt", "x"], /did you mean --agent/],
  [["run", "nowhere"], /there is no workflow nowhere/],
  [["run", "w.yml", "--max-iterations", "0", "--prompt", "x"], /above 0/],
  [["approve", "no-such-run"], /there is no run no-such-run here: until-green list/],
  [["run"], /name a workflow to run/],
  [["run", "w.yml", "--run-id", "../../x"], /--run-id/],
  [["status", "../../x"], /there is no run "\.\.\/\.\.\/x" here: until-green list/],
  [["list", "--store", "zork"], /no such store/],
  [["list", "--store", "git"], /has no remote origin/],
  [["run", "w.yml", "--until", "X"], /--until is for an inline loop .* in w\.yml, set `until` of the loop/],
  [["run", "w.yml", "--until-bash", "X"], /--until-bash is for an inline loop/],
  [["run", "w.yml", "--max-iterations", "3"], /max_iterations/],
  [["run", "w.yml", "--agent", "scripted:nowhere.yml"], /nowhere\.yml does not exist/],
  [["run", "asks.yml", "-i", "who=Ann", "-i", "tnoe=x"], /did you mean tone/],
  [["run", "w.yml", "-i", "who=Ann"], /it has none/],
])("%j is bad usage, and says how to fix it", async (args, says) => {
  const folder = openFolder();
  const asks = "name: t\ninputs: { who: {}, tone: { default: x } }\nnodes:\n  - { id: a, bash: 'true' }\n";
  folder.write({ "w.yml": counting, "asks.yml": asks });
  const { code, stderr } = await folder.run(...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(says);
});

test.each([
  [["status", "no-such-run"], "EMPTY_LOG"],
  [["approve", "no-such-run"], "EMPTY_LOG"],
  [["rnu"], "USAGE"],
  [["status", "x", "--zork"], "USAGE"],
  [["run", "nowhere"], "MISSING_FILE"],
])("with --json the last line of %j says why nothing was done", async (args, code) => {
  const ended = await openFolder().run(...args, "--json");
  expect(ended.code).toBe(2);
  expect(ended.events).toMatchObject([{ type: "notice", code, message: expect.stringMatching(/./) }]);
});

test("a folder without a git repository is one sentence, and `--store` helps", async () => {
  const folder = openFolder({ bare: true });
  folder.write({ "w.yml": counting });
  const without = await folder.run("run", "w.yml", "--agent", count);
  expect(without.code).toBe(2);
  expect(without.stderr).toMatch(/is not a git repository.*git init.*--store dir:/);
  const kept = await folder.run("run", "w.yml", "--agent", count, "--store", "dir:kept", "--quiet");
  expect(kept.code).toBe(0);
});

test("a missing agent program leaves a run that continues once it is there", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": counting });
  const args = ["--agent", "command:./agent.sh", "--run-id", "missing-agent"];
  const without = await folder.run("run", "w.yml", ...args);
  expect(without.code).toBe(1);
  expect(without.stderr).toMatch(/agent\.sh/);
  folder.write({ "agent.sh": "#!/bin/bash\ncat >/dev/null; echo x >> count; echo ok\n" });
  await folder.run("status", "missing-agent");
  const { chmodSync } = await import("node:fs");
  chmodSync(join(folder.path, "agent.sh"), 0o755);
  const resumed = await folder.run("resume", "missing-agent", "--json");
  expect(resumed.code).toBe(0);
  expect(resumed.events.at(-1)).toMatchObject({ conclusion: "success", iterations: 3 });
});

test("a hostile message of 200 KB arrives byte for byte where it is used and runs nothing", async () => {
  const folder = openFolder();
  const message = `$& $(touch pwned) \`touch pwned\` '; touch pwned; '\n"\n${"x".repeat(60_000)}`;
  const use = (quote: string) =>
    `printf %s ${quote}$USER_MESSAGE${quote} > out${quote.length > 0 ? quote.charCodeAt(0) : ""}`;
  folder.write({
    "w.yml": `name: t\nnodes:\n  - id: a\n    bash: |\n${[use(""), use('"'), use("'")].map((line) => `      ${line}\n`).join("")}`,
  });
  const { code } = await folder.run("run", "w.yml", message, "--quiet");
  expect(code).toBe(0);
  for (const out of ["out", "out34", "out39"])
    expect(readFileSync(join(folder.path, out), "utf8")).toBe(message);
  expect(() => readFileSync(join(folder.path, "pwned"))).toThrow();
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

test.runIf(existsSync("/proc/self/cmdline"))(
  "a check that leaves a process behind is judged when it exits, and the process is gone",
  async () => {
    const folder = openFolder();
    folder.write({
      // Much longer than this test may take.
      "w.yml": loopFile('prompt: go\nuntil_bash: "sleep 1031.4159 & true"\nmax_iterations: 1'),
    });
    const { code } = await folder.run("run", "w.yml", "--agent", count, "--quiet");
    expect(code).toBe(0);
    const commands = readdirSync("/proc").map((pid) => commandOf(pid));
    expect(commands.filter((command) => command.includes("1031.4159"))).toEqual([]);
  },
);

test("check reports every error of a file at once, with line and column", async () => {
  const folder = openFolder();
  folder.write({
    "w.yml":
      "name: t\nnodes:\n  - id: a\n    bsh: x\n  - id: b\n    bash: y\n    depends_on: [c]\n  - id: b\n    bash: z\n",
  });
  const { code, events, stderr } = await folder.run("check", "w.yml", "--json");
  expect(code).toBe(2);
  expect(events.map((event) => event.type === "notice" && [event.code, event.line])).toEqual(
    expect.arrayContaining([
      ["UNKNOWN_FIELD", 4],
      ["UNKNOWN_DEPENDENCY", 7],
      ["DUPLICATE_ID", 8],
    ]),
  );
  expect(stderr).toMatch(/w\.yml:4:5 error UNKNOWN_FIELD/);
});

test("a dry run shows the plan and runs nothing", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": counting });
  const { code, stdout } = await folder.run("run", "w.yml", "--dry-run", "--agent", count);
  expect(code).toBe(0);
  expect(stdout).toMatch(/fix {2}loop of agent, at most 5 iterations until the check passes/);
  expect((await folder.run("list")).stdout).toBe("no runs here yet\n");
});

test("a run that used up its iterations is given more by `resume --more-iterations`", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": counting.replace("max_iterations: 5", "max_iterations: 1") });
  const first = await folder.run("run", "w.yml", "--agent", count, "--run-id", "short-run");
  expect(first.code).toBe(1);
  const ended = await folder.run("resume", "short-run");
  expect(ended.stderr).toContain("give it more: until-green resume short-run --more-iterations 5");
  const second = await folder.run("resume", "short-run", "--more-iterations", "3");
  expect(second.code, second.stderr).toBe(0);
  expect(readFileSync(join(folder.path, "count"), "utf8")).toBe("x\nx\nx\n");
  const again = await folder.run("resume", "short-run", "--more-iterations", "3");
  expect(again.stderr).toContain(notUsedUp);
  expect(again.code).toBe(2);
});
