import { access, constants, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { defined, type Environment, type LocalAdapterOptions } from "../../src/api/runs.ts";
import { installAgent, isProgram, missingKeyOf } from "../../src/api/workflows.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";

/**
 * Installs the missing agents that a run needs, and no others; `undefined` is the default one. Returns them with the
 * variables that give access to their models.
 */
export async function installAgents(
  names: Iterable<string | undefined>,
  inputs: Inputs,
  job: Job,
): Promise<Pick<LocalAdapterOptions, "agents"> & { readonly keys: Environment }> {
  const { "agent-version": version, "agent-args": args } = inputs;
  const programs = [...new Set([...names].map((name) => name ?? agentOfToken(inputs, job)))]
    .filter((name) => name !== undefined)
    .filter(isProgram);
  refuse(programs, inputs);
  const keys = {
    ...keysOf(inputs),
    ...(programs.includes("copilot") ? await copilotToken(inputs, job) : {}),
  };
  await refuseWithoutKey(programs, { ...job.env, ...keys }, job);
  const installed: string[] = [];
  for (const name of programs) {
    const folder = await agentsFolder(job);
    const program = await installAgent(name, { environment: job.env, folder, version, say: job.log.say });
    if (program !== undefined) installed.push(program);
  }
  return { agents: { installed, ...defined({ version, args }) }, keys };
}

/** The job's own token, if the workflow file lets it call Copilot. Only the key proxy gets it. */
async function copilotToken({ "github-token": token }: Inputs, job: Job): Promise<Environment> {
  if (token === undefined) return {};
  const { grants } = await import("../github/job-permissions.ts");
  return (await grants(job, "copilot-requests")) ? { COPILOT_REQUESTS_TOKEN: token } : {};
}

/** The variables that give access to a model. */
const keysOf = (inputs: Inputs): Environment => ({
  ...inputs["anthropic-api-key"],
  ...inputs["claude-code-oauth-token"],
  ...inputs["openai-api-key"],
  ...inputs["gemini-api-key"],
  ...inputs["use-bedrock"],
  ...inputs["use-vertex"],
  ...inputs["use-foundry"],
});

/** Only Claude Code accepts its token; with an API key, the built-in agent can work. */
function agentOfToken(inputs: Inputs, { env }: Job): string | undefined {
  const given = { ...env, ...keysOf(inputs) };
  const token = inputs["claude-code-oauth-token"]["CLAUDE_CODE_OAUTH_TOKEN"];
  return token === undefined || apiKeys.some((name) => given[name]) ? undefined : "claude";
}

const apiKeys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];

/** A missing secret is reported before anything is installed or runs. */
async function refuseWithoutKey(programs: readonly string[], environment: Environment, { env }: Job) {
  const missing = programs.filter((name) => missingKeyOf(name, environment) !== undefined);
  if (missing.length === 0) return;
  const { moreAboutKeys } = await import("./warn-without-secrets.ts");
  const own = missing.flatMap((name) => missingKeyOf(name, environment) ?? []);
  throw new RefusedError(...own, ...moreAboutKeys(missing, env));
}

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
