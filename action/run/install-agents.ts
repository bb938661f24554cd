import { access, constants, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { defined, type LocalAdapterOptions } from "../../src/api/runs.ts";
import { installAgent, isProgram } from "../../src/api/workflows.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";

/** Installs the missing agents that a run needs, and no others; `undefined` is the default one. */
export async function installAgents(
  names: Iterable<string | undefined>,
  inputs: Inputs,
  job: Job,
): Promise<LocalAdapterOptions["agents"]> {
  const { "agent-version": version, "agent-args": args } = inputs;
  const programs = [...new Set([...names].map((name) => name ?? agentOfToken(inputs, job)))]
    .filter((name) => name !== undefined)
    .filter(isProgram);
  refuse(programs, inputs);
  const installed: string[] = [];
  for (const name of programs) {
    const folder = await agentsFolder(job);
    const program = await installAgent(name, { environment: job.env, folder, version, say: job.log.say });
    if (program !== undefined) installed.push(program);
  }
  return { installed, ...defined({ version, args }) };
}

/** Only Claude Code accepts its token; with an API key, the built-in agent can work. */
function agentOfToken(inputs: Inputs, { env }: Job): string | undefined {
  const given = {
    ...env,
    ...inputs["anthropic-api-key"],
    ...inputs["openai-api-key"],
    ...inputs["gemini-api-key"],
  };
  const token = inputs["claude-code-oauth-token"]["CLAUDE_CODE_OAUTH_TOKEN"];
  return token === undefined || apiKeys.some((name) => given[name]) ? undefined : "claude";
}

const apiKeys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];

function refuse(programs: readonly string[], { "agent-version": version, "agent-args": args }: Inputs): void {
  if (version === undefined && args === undefined) return;
  const input = version === undefined ? "agent-args" : "agent-version";
  if (programs.length === 0)
    throw new RefusedError(
      `\`${input}\` is for agents that are programs, but this run uses none: set \`agent\` (claude, codex, gemini, copilot, opencode, qwen, pi or kimi), or remove \`${input}\``,
    );
  if (programs.length > 1)
    throw new RefusedError(
      `\`${input}\` is for one agent, but this run uses ${programs.join(" and ")}: set \`agent\`, or remove \`${input}\``,
    );
}

/** The runner's tool folder, which `actions/cache` can save; a folder of this job if that is not writable. */
async function agentsFolder({ env, folder }: Job): Promise<string> {
  const cache = env["RUNNER_TOOL_CACHE"] || undefined;
  if (cache === undefined) return join(folder, "agents");
  const shared = join(cache, "until-green");
  try {
    await mkdir(shared, { recursive: true });
    await access(shared, constants.W_OK);
    return shared;
  } catch {
    return join(folder, "agents");
  }
}
