import { resolve } from "node:path";
import { type Agent, AgentError } from "../ports/agent.ts";
import { lazyModule } from "../ports/lazy-module.ts";
import { nearestWord } from "../ports/nearest-word.ts";
import type { Environment } from "../processes/environment.ts";
import { findRoute, hasLocalModel, providers } from "./api/provider.ts";
import type { CliAgentOptions } from "./cli/cli-agent.ts";
import type { CliDefinition } from "./cli/cli-definition.ts";
import { findProgram, lookFor, versionWarning } from "./cli/program.ts";
import { cliAgents } from "./registry.ts";
import type { Candidate } from "./select-agent.ts";

export interface AgentOptions extends CliAgentOptions {
  /** Base of relative paths in an agent's name. */
  readonly cwd: string;
}

/** One kind of agent. */
interface AgentKind {
  /** `rest` is the part of the name after the colon; empty without one. */
  open(rest: string, options: AgentOptions): Agent;
  /** The text required after the colon, if any. */
  readonly needs?: string;
  /** Whether the name may have an argument after the colon. */
  readonly takesMore?: true;
  /** How to check whether it can run here; only for agents that may be selected by default. */
  readonly candidate?: Candidate;
}

const apiKeys = providers.flatMap(({ keys }) => keys.map(({ variable }) => variable));

/** Loaded on demand with its YAML parser: only tests use it in runs. */
export const scripted = lazyModule(() => import("./scripted.ts"));

/**
 * All agents, by the part of their name before the colon; those that may be selected by default come first, best
 * first. To add one, add a file and a line here.
 */
const agents: Readonly<Record<string, AgentKind>> = {
  scripted: {
    open: (file, { cwd, ...options }) =>
      scripted.get().scriptedAgent({ file: resolve(cwd, file), ...options }),
    needs: "scripted:FILE, with a file of replies",
    takesMore: true,
  },
  command: {
    open: (command, options) =>
      later(`command:${command}`, async () => (await import("./command.ts")).commandAgent(command, options)),
    needs: "command:CMD, with what bash is to run",
    takesMore: true,
  },
  acp: {
    open: (named, options) =>
      later(`acp:${named}`, async () => (await import("./acp.ts")).acpAgent(named, options)),
    needs: "acp:NAME or acp:COMMAND, with a program that speaks the Agent Client Protocol",
    takesMore: true,
  },
  ...Object.fromEntries(cliAgents.map((cli) => [cli.name, cliKind(cli)])),
  api: {
    takesMore: true,
    open: (named, { environment }) =>
      later(named === "" ? "api" : `api:${named}`, async () => {
        const { apiAgent } = await import("./api.ts");
        return apiAgent({ named, ...(environment === undefined ? {} : { environment }) });
      }),
    candidate: {
      name: "api",
      program: undefined,
      keys: apiKeys,
      hasLogin: hasLocalModel,
      portable: true,
      structured: "submit_result",
    },
  },
};

/** An agent that is a command-line program. */
function cliKind(cli: CliDefinition): AgentKind {
  const { name, program, keys, hasLogin, sessions, structured } = cli;
  return {
    open: (_, options) =>
      later(name, async () => (await import("./cli/cli-agent.ts")).cliAgent(cli, options)),
    candidate: {
      name,
      program: program.name,
      find(environment, installed) {
        const found = lookFor(program, { environment, installed });
        return found && { ...found, isUntested: versionWarning(program, found.version) !== undefined };
      },
      // Each may be leased or passed on.
      keys: [...new Set(keys.map(({ variable }) => variable))],
      hasLogin,
      portable: sessions.travel,
      structured,
    },
  };
}

/** An agent whose code is loaded at its first call, because a run needs few agents. */
function later(name: string, load: () => Promise<Agent>): Agent {
  let agent: Promise<Agent> | undefined;
  return {
    name,
    async answer(request, context) {
      agent ??= load().then(async (it) => (await import("./extras.ts")).withExtras(it));
      return await (await agent).answer(request, context);
    },
  };
}

/** The agents that may be selected by default, best first. */
export const candidates: readonly Candidate[] = Object.values(agents).flatMap(
  ({ candidate }) => candidate ?? [],
);

/**
 * Opens an agent by its name, such as `scripted:replies.yml`; throws an `AgentError` that lists the known names, or a
 * `NotLoadedError`.
 */
export function openAgent(name: string, options: AgentOptions): Agent {
  const colon = name.indexOf(":");
  const kind = colon < 0 ? name : name.slice(0, colon);
  const rest = colon < 0 ? "" : name.slice(colon + 1).trim();
  const definition = Object.hasOwn(agents, kind) ? agents[kind] : undefined;
  if (definition === undefined) throw new AgentError("missing", refusal(kind));
  if (rest === "" && definition.needs !== undefined)
    throw new AgentError("missing", `the agent ${kind} needs more: ${definition.needs}`);
  return definition.open(rest, options);
}

/** Throws an `AgentError` if the agent's program is not installed, or the built-in agent has no key. Called before anything runs. */
export function assertUsable(
  name: string,
  { model, environment }: { readonly model: string | undefined; readonly environment: Environment },
): void {
  const [kind, ...named] = name.split(":");
  if (kind === "api") findRoute({ named: named.join(":"), model, environment });
  const cli = cliAgents.find((one) => one.name === name);
  if (cli !== undefined) findProgram(cli.program, { environment });
}

function refusal(kind: string): string {
  const word = kind.toLowerCase();
  // Programs and packages have longer names, such as claude-code and gemini-cli.
  const meant =
    Object.keys(agents).find((known) => word.startsWith(`${known}-`)) ??
    nearestWord(word, Object.keys(agents));
  if (/\s|^[./]/.test(kind))
    return `there is no agent ${JSON.stringify(kind)}: to run it as a program, use --agent ${JSON.stringify(`command:${kind}`)}`;
  const instead =
    meant === undefined
      ? `use one of ${Object.keys(agents).join(", ")}; a model is named with --model`
      : `did you mean ${meant}?`;
  return `there is no agent ${JSON.stringify(kind)}: ${instead}`;
}

/** The agent names that workflow files can use. */
export const agentNames = {
  names: candidates.map(({ name }) => name),
  has: (name: string) => {
    const [kind = "", ...rest] = name.split(":");
    const definition = Object.hasOwn(agents, kind) ? agents[kind] : undefined;
    if (definition === undefined) return false;
    return rest.length === 0
      ? definition.needs === undefined
      : definition.takesMore === true && rest.join(":").trim() !== "";
  },
  ofProvider: (provider: string) => cliAgents.find(({ providers }) => providers?.includes(provider))?.name,
} as const;
