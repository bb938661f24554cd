/**
 * Measures what an answer costs on top of the bare program, started by a shell with the same prompt: `npm run
 * bench:agents [ROUNDS]`. A fake model answers immediately, so that only the programs' own time and ours remain. On a
 * busy machine, CPU time is more reliable than wall time. @module
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openModelServer, scripted } from "../test/parts/model-server.ts";
import { agentClis, isInstalled } from "../test/real-agents/agent-clis.ts";
import { median } from "./bench/figures.ts";
import { build } from "./build.ts";

const rounds = Number(process.argv[2] ?? 7);
const prompt = scripted("Say so.", [{ text: "So." }]);
const key = "a-key-for-the-bench";

const bare = {
  claude: (url: string) => ({
    model: "claude-sonnet-5-5",
    key: { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url },
    env: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
      IS_SANDBOX: "1",
    },
    command:
      "claude --print --output-format stream-json --verbose --include-partial-messages --setting-sources user " +
      "--permission-mode bypassPermissions --model claude-sonnet-5-5",
  }),
  codex: (url: string) => ({
    model: "gpt-6-sol",
    key: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` },
    env: {},
    command:
      "codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox --disable plugins " +
      "-c analytics.enabled=false -c check_for_update_on_startup=false -c model_provider=bench -c " +
      `'model_providers.bench={name="bench",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}' ` +
      "-m gpt-6-sol -",
  }),
} as const;

if (!isInstalled()) {
  console.error("the agents are not installed: npm run agents");
  process.exit(1);
}
setFlagsFromString("--expose-gc");
const tidyUp = runInNewContext("gc") as () => void;
// Bundled as it is shipped: from sources, Node would have to strip the types first.
const bundle = mkdtempSync(join(tmpdir(), "until-green-bench-"));
await build(bundle, { agents: "src/agents/index.ts" });
const { openAgent } = (await import(join(bundle, "agents.js"))) as typeof import("../src/agents/index.ts");
const server = await openModelServer();
for (const name of ["claude", "codex"] as const) await measure(name);
await server.close();
rmSync(bundle, { recursive: true, force: true });

async function measure(name: keyof typeof bare): Promise<void> {
  const { model, key: keys, env, command } = bare[name](server.url);
  const folder = mkdtempSync(join(tmpdir(), "until-green-bench-"));
  const [home, workspace, artifacts] = ["home", "workspace", "artifacts"].map((one) => join(folder, one));
  for (const one of [home, workspace, artifacts]) mkdirSync(one ?? "");
  writeFileSync(join(folder, "prompt"), prompt);
  const PATH = `${join(agentClis, "node_modules", ".bin")}:${process.env["PATH"]}`;
  const environment = { PATH, HOME: home, ...keys };
  const agent = openAgent(name, { cwd: folder, environment });
  const request = { agent: name, model, role: "judge", node: "bench", iteration: undefined, prompt } as const;
  const rest = {
    instructions: undefined,
    schema: undefined,
    session: undefined,
    idleMs: 60_000,
    timeoutMs: 60_000,
  };
  const signal = new AbortController().signal;
  const ours = (tools: boolean) =>
    agent.answer(
      { ...request, ...rest, ...(tools ? { completes: "DONE" } : {}) },
      {
        signal,
        workspace: workspace ?? "",
        artifacts: artifacts ?? "",
        env: {},
        tags: new Map(),
        onText: () => {},
      },
    );
  const shell = () =>
    new Promise((resolve) => {
      const options = { cwd: workspace, env: { ...environment, ...env }, stdio: "ignore" } as const;
      spawn("bash", ["-c", `${command} < ${join(folder, "prompt")}`], options).on("exit", resolve);
    });
  const kinds = {
    "by a shell": shell,
    "by us": () => ours(false),
    "by us, with the loop's tools": () => ours(true),
  };
  for (const run of Object.values(kinds)) await run(); // warm up: not measured
  const figures = Object.entries(kinds).map(([kind, run]): Figure & { run(): Promise<unknown> } => ({
    kind,
    run,
    ms: [],
    cpu: [],
    mb: [],
  }));
  for (let round = 0; round < rounds; round += 1) {
    // Alternating, so that a busy moment of the machine affects both.
    for (const figure of figures) {
      tidyUp();
      const [begun, used] = [performance.now(), cpuMs()];
      figure.mb.push(await peakWhile(figure.run()));
      figure.ms.push(performance.now() - begun);
      figure.cpu.push(cpuMs() - used);
    }
  }
  show(name, figures);
  rmSync(folder, { recursive: true, force: true });
}

interface Figure {
  readonly kind: string;
  readonly ms: number[];
  readonly cpu: number[];
  readonly mb: number[];
}

function show(name: string, figures: readonly Figure[]): void {
  const [first] = figures;
  for (const { kind, ms, cpu, mb } of figures) {
    const ratio = (median(ms) / median(first?.ms ?? ms)).toFixed(2);
    const work = (median(cpu) / median(first?.cpu ?? cpu)).toFixed(2);
    const more = Math.round(median(mb) - median(first?.mb ?? mb));
    console.log(
      `${name} ${kind}: ${Math.round(median(ms))} ms (${ratio}x), CPU ${Math.round(median(cpu))} ms (${work}x), ${Math.round(median(mb))} MB (+${more})`,
    );
  }
}

/**
 * Peak private memory of this process and all its children, in megabytes above the value before. File-backed memory
 * does not count, because all processes of a program share it.
 */
async function peakWhile(work: Promise<unknown>): Promise<number> {
  const before = memoryOf(process.pid);
  let peak = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, memoryOf(process.pid) - before);
  }, 20);
  await work;
  clearInterval(look);
  return peak;
}

/** CPU time used by this process and all children it waited for, in milliseconds; includes the fake model's. */
function cpuMs(): number {
  const stat = textOf("/proc/self/stat");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

function memoryOf(root: number): number {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  const family = new Set([root]);
  // Processes are sorted by number, so a child comes after its parent.
  for (const pid of pids) if (pid > root && family.has(parentOf(pid))) family.add(pid);
  const pages = [...family].map(ownPagesOf).reduce((sum, own) => sum + own, 0);
  return (pages * 4096) / 1e6;
}

function parentOf(pid: number): number {
  const stat = textOf(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

function ownPagesOf(pid: number): number {
  const [, resident = 0, shared = 0] = textOf(`/proc/${pid}/statm`).split(" ").map(Number);
  return resident - shared;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // gone meanwhile
  }
}
