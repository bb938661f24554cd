import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ModelServer, openModelServer, type Step, scripted } from "../parts/model-server.ts";
import { folderAt, openFolder } from "../parts/terminal.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await openModelServer();
});
afterAll(() => server.close());

const key = "sk-ant-the-real-key";
const withKey = () => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: server.url });
// No agent of this machine's user must get into the way.
const withoutAgents = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/nonexistent" };

function open(more: Readonly<Record<string, string>> = {}, files: Readonly<Record<string, string>> = {}) {
  const { path } = openFolder();
  const folder = folderAt(path, { ...withoutAgents, ...more });
  folder.write(files);
  return folder;
}

const bash = (command: string): Step => ({ tools: [{ name: "bash", args: { command } }] });

function loopOf(steps: readonly Step[], more: string): string {
  const prompt = JSON.stringify(scripted("Count.", steps));
  return `name: t\ninteractive: true\nnodes:\n  - id: count\n    loop: { prompt: ${prompt}, max_iterations: 4, ${more} }\n`;
}

describe("without an agent named", () => {
  test("the first agent with a key is used, one line says so, and it drives a loop to its green check", async () => {
    const steps = [bash("echo x >> count; env > seen-by-agent"), { text: "One more." }];
    const check = "env > seen-by-check; test $(wc -l < count) -ge 2";
    const folder = open(withKey(), { "w.yml": loopOf(steps, `fresh_context: true, until_bash: "${check}"`) });
    const { code, events, stderr } = await folder.run("run", "w.yml", "--json");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr.match(/no agent was named: api is used, the first one that is installed.*/g)).toHaveLength(
      1,
    );
    expect(events[0]).toMatchObject({ type: "run.started", agent: "api" });
    expect(events.at(-1)).toMatchObject({ stop_reason: "until-bash", iterations: 2 });
    expect(events.find(({ type }) => type === "agent.answered")).toMatchObject({
      text: "One more.",
      usage: { input_tokens: 200, output_tokens: 40 },
    });
    for (const who of ["agent", "check"]) {
      const seen = readFileSync(join(folder.path, `seen-by-${who}`), "utf8");
      expect(seen).toContain("UNTIL_GREEN_RUN=");
      expect(seen).not.toMatch(/the-real-key|ANTHROPIC_API_KEY/);
    }
  });

  test("a call of complete_loop ends a loop", async () => {
    const steps: Step[] = [{ tools: [{ name: "complete_loop", args: { reason: "so" } }] }, { text: "Over." }];
    const folder = open(withKey(), { "w.yml": loopOf(steps, "until: DONE") });
    const { code, events } = await folder.run("run", "w.yml", "--json");
    expect(code).toBe(0);
    expect(events.at(-1)).toMatchObject({ stop_reason: "signal", iterations: 1 });
  });

  test("where none can work, what was looked for is listed, and nothing runs", async () => {
    const folder = open({}, { "w.yml": loopOf([], "until: DONE") });
    const { code, stderr } = await folder.run("run", "w.yml");
    expect(code).toBe(2);
    expect(stderr).toContain("no agent was named");
    expect(stderr).toMatch(
      /claude: no program claude on PATH, no key .*\n {2}api: no key ANTHROPIC_API_KEY or/s,
    );
    expect((await folder.run("list")).stdout).toBe("no runs here yet\n");
  });

  test("a run remembers who was taken: another that could work later changes nothing", async () => {
    const { path } = open(
      {},
      { "w.yml": loopOf([{ text: "Well?" }], 'until: DONE, interactive: true, gate_message: "?"') },
    );
    const tools = join(path, "tools");
    const before = folderAt(path, { ...withoutAgents, ...withKey() });
    expect((await before.run("run", "w.yml", "--run-id", "remember-1")).code).toBe(3);
    before.write({ "tools/claude": "#!/bin/sh\nexit 1\n" });
    chmodSync(join(tools, "claude"), 0o755);
    const after = folderAt(path, { ...withoutAgents, ...withKey(), PATH: `${tools}:${withoutAgents.PATH}` });
    const { code, events, stderr } = await after.run("approve", "remember-1", "go on", "--json");
    expect({ code, stderr }).toMatchObject({ code: 3 });
    expect(stderr).not.toContain("no agent was named");
    expect(events.find(({ type }) => type === "agent.asked")).toMatchObject({ agent: "api" });
  });
});

test("an authentication problem stops the run at once and names the secret, not its value; it can be resumed", async () => {
  const refused: Step = { error: "invalid x-api-key", status: 401, times: 1 };
  const steps = [bash("echo x >> count"), refused, { text: "<promise>DONE</promise>" }];
  const folder = open(withKey(), { "w.yml": loopOf(steps, "until: DONE") });
  const { code, stderr, events } = await folder.run("run", "w.yml", "--run-id", "refused-1", "--json");
  expect(code).toBe(1);
  expect(events.some(({ type }) => type === "run.ended")).toBe(false);
  expect(stderr).toContain("the secret ANTHROPIC_API_KEY");
  expect(stderr).toMatch(/; once this is fixed, continue with: until-green resume refused-1\n/);
  expect(JSON.stringify(events) + stderr).not.toContain(key);
  const resumed = await folder.run("resume", "refused-1", "--json");
  expect(resumed.code).toBe(0);
  expect(resumed.events.at(-1)).toMatchObject({
    conclusion: "success",
    usage: { input_tokens: 200, output_tokens: 40 },
  });
  expect(readFileSync(join(folder.path, "count"), "utf8")).toBe("x\n");
});

describe("doctor", () => {
  test("shows every agent: whether it is here, its key, what it can do", async () => {
    const { stdout, code } = await open(withKey()).run("doctor");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^– claude +not found +ANTHROPIC_API_KEY +yes +by its own flag$/m);
    expect(stdout).toMatch(/^✔ api +built in +ANTHROPIC_API_KEY +yes +by submit_result$/m);
    expect(stdout).toContain("api is used if no agent is named.");
    expect(stdout).not.toMatch(/: \w+: /);
  });

  const readOnly = mkdtempSync(join(tmpdir(), "until-green-read-only-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "tmpfs", readOnly]).status === 0;
  afterAll(() => {
    if (mounted) spawnSync("umount", [readOnly]);
    rmSync(readOnly, { recursive: true });
  });
  test.skipIf(!mounted)("finds that no run can be kept where nothing can be written", async () => {
    spawnSync("git", ["init", "--quiet", readOnly]);
    spawnSync("mount", ["-o", "remount,ro", readOnly]);
    const { stdout, code } = await open(withKey()).run("doctor", "--cwd", readOnly);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✘ store +.*\.git cannot be written/m);
  });

  test("says the same to programs, and no secret", async () => {
    const { stdout } = await open(withKey()).run("doctor", "--json");
    const rows = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.find(({ agent }) => agent === "api")).toMatchObject({
      type: "notice",
      code: "FOUND",
      key: "ANTHROPIC_API_KEY",
      sessions_portable: true,
      structured_results: true,
      structured_by: "submit_result",
    });
    expect(stdout).not.toContain(key);
  });
});
