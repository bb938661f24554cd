import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openIsolation } from "../../src/processes/isolation.ts";
import { builtCommandLine } from "../parts/built.ts";
import { type ModelServer, openModelServer, scripted, type ToolUse } from "../parts/model-server.ts";
import { agentClis, isInstalled } from "./agent-clis.ts";

const isRoot = process.getuid?.() === 0;
const user = 47_012;
const walls = await openIsolation({ mode: "auto", environment: process.env }).walls();
const hasWalls = walls.filter(({ name }) => name !== "network").every(({ on }) => on);

interface Program {
  readonly agent: string;
  readonly model: string;
  environment(url: string): Readonly<Record<string, string>>;
  runs(command: string): ToolUse;
  /** A file of the user's that runs or says something in each later session. */
  readonly settings: string;
}

const key = "the-real-key-of-the-test";
const bash = (command: string) => ({ name: "bash", args: { command, description: "as asked" } });

const programs: readonly Program[] = [
  {
    agent: "claude",
    model: "claude-sonnet-4-5",
    environment: (url) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url }),
    runs: (command) => ({ name: "Bash", args: { command, description: "as asked" } }),
    settings: ".claude/settings.json",
  },
  {
    agent: "codex",
    model: "gpt-5",
    environment: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` }),
    runs: (cmd) => ({ name: "exec_command", args: { cmd } }),
    settings: ".codex/config.toml",
  },
  {
    agent: "gemini",
    model: "gemini-2.5-flash",
    environment: (url) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url }),
    runs: (command) => ({ name: "run_shell_command", args: { command } }),
    settings: ".gemini/settings.json",
  },
  {
    agent: "copilot",
    model: "a-model",
    environment: (url) => ({ COPILOT_PROVIDER_API_KEY: key, COPILOT_PROVIDER_BASE_URL: `${url}/v1` }),
    runs: bash,
    settings: ".copilot/mcp-config.json",
  },
  {
    agent: "opencode",
    model: "openai/a-model",
    environment: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` }),
    runs: bash,
    settings: ".config/opencode/opencode.json",
  },
  {
    agent: "qwen",
    model: "a-model",
    environment: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` }),
    runs: (command) => ({ name: "run_shell_command", args: { command, is_background: false } }),
    settings: ".qwen/settings.json",
  },
  {
    agent: "pi",
    model: "a-model",
    environment: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` }),
    runs: bash,
    settings: ".pi/agent/settings.json",
  },
  {
    agent: "kimi",
    model: "a-model",
    environment: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` }),
    runs: (command) => ({ name: "Bash", args: { command } }),
    settings: ".kimi-code/config.toml",
  },
];

/** Runs the command line as an ordinary user who has installed the agents; what it printed. */
async function runAsUser(
  home: string,
  commandLine: readonly string[],
  env: Readonly<Record<string, string>>,
) {
  const clis = isRoot ? join(home, "clis") : agentClis;
  const main = builtCommandLine();
  const own = [process.execPath, main, "run", ...commandLine];
  // The programs may lie where only root can look.
  const become = `mount --bind "${agentClis}" "${clis}" && exec setpriv --reuid ${user} --regid ${user} --clear-groups "$@"`;
  const [command = "", ...args] = isRoot ? ["unshare", "-m", "--", "sh", "-c", become, "sh", ...own] : own;
  const path = [join(clis, "node_modules/.bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  const child = spawn(command, args, {
    cwd: join(home, "repo"),
    env: { HOME: home, PATH: path, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 110_000,
  });
  return (await Promise.all([text(child.stdout), text(child.stderr)])).join("");
}

describe.skipIf(!isInstalled() || !hasWalls)("behind all walls, as an ordinary user", () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await openModelServer();
  });
  afterAll(() => server?.close());

  test.each(programs)("$agent works in a new home, and leaves the user's settings alone", async (program) => {
    const home = mkdtempSync(join(isRoot ? "/home" : homedir(), "until-green-agent-"));
    try {
      for (const folder of ["clis", "repo", dirname(program.settings)])
        mkdirSync(join(home, folder), { recursive: true });
      execFileSync("git", ["init", "-q", join(home, "repo")]);
      if (isRoot) execFileSync("chown", ["-R", `${user}:${user}`, home]);
      const attack = `echo evil > "${join(home, program.settings)}"; echo made > made.txt`;
      const steps = [{ tools: [program.runs(attack)] }, { text: "Done." }];
      const args = ["--prompt", scripted("Go.", steps), "--until-bash", "grep -q made made.txt"];
      const more = ["--agent", program.agent, "--model", program.model, "--isolation", "required"];
      const offline = ["--network", "none"];
      const result = await runAsUser(
        home,
        [...args, ...more, ...offline, "--max-iterations", "1"],
        program.environment(server.url),
      );
      expect(result).toContain("succeeded");
      expect(readFileSync(join(home, "repo/made.txt"), "utf8")).toBe("made\n");
      const settings = join(home, program.settings);
      expect(existsSync(settings) && readFileSync(settings, "utf8").includes("evil")).toBe(false);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
