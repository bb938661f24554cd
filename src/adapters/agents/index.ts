import { resolve } from "node:path";
import { type Agent, AgentError } from "../../ports/agent.ts";
import type { Environment } from "../environment.ts";
import type { Candidate } from "./choice.ts";
import { commandAgent } from "./command.ts";
import { scriptedAgent } from "./scripted.ts";

export interface AgentOptions {
  /** Where file names in an agent's name start from. */
  readonly cwd: string;
  /** The variables agents see, less what they must not have; this process's own unless told. */
  readonly environment?: Environment;
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
};

/** The agents that may be taken where nobody is named, best first. */
export const candidates: readonly Candidate[] = Object.values(agents).flatMap(
  ({ candidate }) => candidate ?? [],
);

/** Agents that workflows already name. */
const later: readonly string[] = ["claude", "codex", "gemini", "copilot", "opencode", "api"];

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
