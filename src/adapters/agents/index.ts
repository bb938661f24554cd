import { resolve } from "node:path";
import { type Agent, AgentError } from "../../ports/agent.ts";
import { hasLocalModel, providers } from "./api/provider.ts";
import type { Candidate } from "./choice.ts";
import { claude } from "./claude.ts";
import type { Cli } from "./cli/cli.ts";
import type { CliAgentOptions } from "./cli/cli-agent.ts";
import { lookFor, strangeVersion } from "./cli/program.ts";
import { codex } from "./codex.ts";
import { commandAgent } from "./command.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { scriptedAgent } from "./scripted.ts";

export interface AgentOptions extends CliAgentOptions {
  /** Where file names in an agent's name start from. */
  readonly cwd: string;
}

/** One kind of agent. */
interface AgentKind {
  /** `rest` is what stands after the colon of its name; empty where nothing does. */
  open(rest: string, options: AgentOptions): Agent;
  /** What must stand after the colon, where something must. */
  readonly needs?: string;
  /** How to see whether it can work here; only of those that may be taken where nobody is named. */
  readonly candidate?: Candidate;
}

const apiKeys = providers.flatMap(({ keys }) => keys.map(({ variable }) => variable));

/**
 * Every agent there is, by what stands before the colon in its name; those that may be taken where nobody is named come
 * best first. A new one is a file and a line.
 */
const agents: Readonly<Record<string, AgentKind>> = {
  scripted: {
    open: (file, { cwd, ...options }) => scriptedAgent({ file: resolve(cwd, file), ...options }),
    needs: "scripted:FILE, with a file of replies",
  },
  command: {
    open: (command, options) => commandAgent(command, options),
    needs: "command:CMD, with what bash is to run",
  },
  claude: cliKind(claude),
  codex: cliKind(codex),
  gemini: cliKind(gemini),
  copilot: cliKind(copilot),
  opencode: cliKind(opencode),
  api: {
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
function cliKind(cli: Cli): AgentKind {
  const { name, program, keys, hasLogin, sessions, structured } = cli;
  return {
    open: (_, options) =>
      later(name, async () => (await import("./cli/cli-agent.ts")).cliAgent(cli, options)),
    candidate: {
      name,
      program: program.name,
      find(environment) {
        const found = lookFor(program, { environment });
        return found && { ...found, untried: strangeVersion(program, found.version) !== undefined };
      },
      // One may be lent or handed over, as it comes.
      keys: [...new Set(keys.map(({ variable }) => variable))],
      hasLogin,
      portable: sessions.travel,
      structured,
    },
  };
}

/** An agent whose program is loaded when it is first asked: a run needs few of them. */
function later(name: string, load: () => Promise<Agent>): Agent {
  let agent: Promise<Agent> | undefined;
  return {
    name,
    async answer(request, context) {
      agent ??= load();
      return await (await agent).answer(request, context);
    },
  };
}

/** The agents that may be taken where nobody is named, best first. */
export const candidates: readonly Candidate[] = Object.values(agents).flatMap(
  ({ candidate }) => candidate ?? [],
);

/** Opens an agent by its name, like `scripted:replies.yml`; throws an `AgentError` that says which names there are. */
export function openAgent(name: string, options: AgentOptions): Agent {
  const colon = name.indexOf(":");
  const kind = colon < 0 ? name : name.slice(0, colon);
  const rest = colon < 0 ? "" : name.slice(colon + 1).trim();
  const found = Object.hasOwn(agents, kind) ? agents[kind] : undefined;
  if (found === undefined) throw new AgentError("missing", refusal(kind));
  if (rest === "" && found.needs !== undefined)
    throw new AgentError("missing", `the agent ${kind} needs more: ${found.needs}`);
  return found.open(rest, options);
}

function refusal(kind: string): string {
  const meant = Object.keys(agents).find((known) => isNear(kind.toLowerCase(), known));
  const instead = meant === undefined ? `say ${Object.keys(agents).join(", ")}` : `did you mean ${meant}?`;
  return `there is no agent ${JSON.stringify(kind)}: ${instead}`;
}

/** One letter too many, too few, other, or two swapped; or the beginning of the name. */
function isNear(word: string, known: string): boolean {
  if (word.length >= 3 && known.startsWith(word)) return true;
  const start = [...known].findIndex((letter, at) => letter !== word[at]);
  if (start < 0) return word.length <= known.length + 1;
  const [a, b] = [word.slice(start), known.slice(start)];
  const swapped = `${a[1] ?? ""}${a[0] ?? ""}${a.slice(2)}`;
  return a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) || swapped === b;
}
