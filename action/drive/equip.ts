import { access, constants, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { HandsOptions } from "../../src/index.ts";
import { installAgent, isProgram } from "../../src/index.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";

interface Wanted {
  /** The agents a run asks for; `undefined` is the one that is chosen. */
  readonly names: Iterable<string | undefined>;
  readonly inputs: Inputs;
}

/** Sees that the agents a run asks for are here, and installs those that are not: these, and no others. */
export async function equip({ names, inputs }: Wanted, job: Job): Promise<HandsOptions["agents"]> {
  const { "agent-version": version, "agent-args": args } = inputs;
  const programs = [...new Set(names)].filter((name) => name !== undefined).filter(isProgram);
  refuse(programs, inputs);
  const installed: string[] = [];
  for (const name of programs) {
    const { env } = job;
    const folder = await agentsFolder(job);
    const found = await installAgent(name, { environment: env, folder, version, say: job.log.say });
    if (found !== undefined) installed.push(found);
  }
  return {
    installed,
    ...(version === undefined ? {} : { version }),
    ...(args === undefined ? {} : { args }),
  };
}

function refuse(programs: readonly string[], { "agent-version": version, "agent-args": args }: Inputs): void {
  if (version === undefined && args === undefined) return;
  const [input] = version === undefined ? ["agent-args"] : ["agent-version"];
  if (programs.length === 0)
    throw new RefusedError(
      `\`${input}\` is for an agent that is a program, and this run names none: give \`agent\` (claude, codex, gemini, copilot or opencode), or leave \`${input}\` out`,
    );
  if (programs.length > 1)
    throw new RefusedError(
      `\`${input}\` is for one agent, and this run asks for ${programs.join(" and ")}: give \`agent\`, or leave \`${input}\` out`,
    );
}

/** The runner's folder for tools, which `actions/cache` can keep; where that may not be written, this job's own. */
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
