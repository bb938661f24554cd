import { resolve } from "node:path";
import { type Agent, AgentError } from "../../ports/agent.ts";
import { claude } from "./claude.ts";
import { type CliAgentOptions, cliAgent } from "./cli/cli-agent.ts";
import { codex } from "./codex.ts";
import { commandAgent } from "./command.ts";
import { scriptedAgent } from "./scripted.ts";

export interface AgentOptions extends CliAgentOptions {
  /** Where file names in an agent's name start from. */
  readonly cwd: string;
}

/** Every agent there is, by what stands before the colon in its name. A new one is a file and a line. */
const agents: Readonly<Record<string, (rest: string, options: AgentOptions) => Agent>> = {
  scripted: (file, { cwd, ...options }) => scriptedAgent({ file: resolve(cwd, file), ...options }),
  command: (command, options) => commandAgent(command, options),
  claude: (_, options) => cliAgent(claude, options),
  codex: (_, options) => cliAgent(codex, options),
};

/** Agents that workflows already name. */
const later: readonly string[] = ["gemini", "copilot", "opencode", "api"];

/** Opens an agent by its name, like `scripted:replies.yml`; throws an `AgentError` that says which names there are. */
export function openAgent(name: string, options: AgentOptions): Agent {
  const colon = name.indexOf(":");
  const kind = colon < 0 ? name : name.slice(0, colon);
  const rest = colon < 0 ? "" : name.slice(colon + 1).trim();
  const open = Object.hasOwn(agents, kind) ? agents[kind] : undefined;
  if (open === undefined) throw new AgentError("missing", refusal(kind));
  if (rest === "" && Object.hasOwn(usages, kind))
    throw new AgentError("missing", `the agent ${kind} needs more: ${usages[kind]}`);
  return open(rest, options);
}

const usages: Readonly<Record<string, string>> = {
  scripted: "scripted:FILE, with a file of replies",
  command: "command:CMD, with what bash is to run",
};

function refusal(kind: string): string {
  const instead = "use command:CMD or scripted:FILE";
  if (later.includes(kind)) return `the agent ${kind} comes in a later release: ${instead} until then`;
  const meant = [...Object.keys(agents), ...later].find((known) => isNear(kind.toLowerCase(), known));
  return `there is no agent ${JSON.stringify(kind)}: ${meant === undefined ? instead : `did you mean ${meant}?`}`;
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
