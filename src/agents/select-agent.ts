import { AgentError } from "../ports/agent.ts";
import type { Environment } from "../processes/environment.ts";

/** An agent that may be selected by default, and how to check whether it can run here. */
export interface Candidate {
  readonly name: string;
  /** The program it starts; `undefined` if it needs none. */
  readonly program: string | undefined;
  /** Looks for that program, first in the folders that the job installed agents in. */
  find?(environment: Environment, installed?: Installed): InstalledProgram | undefined;
  /** Variables that may contain its key. */
  readonly keys: readonly string[];
  /** True if it has a login on this machine, so that it needs no key. */
  hasLogin?(environment: Environment): boolean;
  /** Whether its conversations can continue on another machine. */
  readonly portable: boolean;
  /** How it submits a structured result. */
  readonly structured: StructuredBy;
}

/** Folders with their own `node_modules`. */
type Installed = string | readonly string[] | undefined;

/** Its program's flag that enforces the schema, or the loop's tool (else JSON as the final message). */
export type StructuredBy = "its own flag" | "submit_result";

interface InstalledProgram {
  /** The program's path. */
  readonly command: string;
  readonly version: string | undefined;
  /** Its version is untested. */
  readonly isUntested?: boolean;
}

/** What was found out about a candidate. */
export interface AgentProbe {
  readonly candidate: Candidate;
  /** True if it can work here. */
  readonly usable: boolean;
  readonly found: InstalledProgram | undefined;
  /** The variable with its key, or `login`; `undefined` if it has neither. */
  readonly key: string | undefined;
}

/** Checks which candidates can work here. */
export const probeAgents = (
  candidates: readonly Candidate[],
  environment: Environment,
  installed?: Installed,
): readonly AgentProbe[] =>
  candidates.map((candidate) => {
    const found = candidate.find?.(environment, installed);
    const set = candidate.keys.find((name) => (environment[name] ?? "").trim() !== "");
    const key = set ?? (candidate.hasLogin?.(environment) ? "login" : undefined);
    const isThere = candidate.program === undefined || found !== undefined;
    return { candidate, found, key, usable: isThere && key !== undefined };
  });

interface Choosing {
  readonly environment: Environment;
  readonly installed?: Installed;
  /** The remedy if none can run here. */
  readonly noAgent: string;
}

/** The first candidate that can work here; throws an `AgentError` that lists what was looked for. */
export function selectAgent(
  candidates: readonly Candidate[],
  { environment, installed, noAgent }: Choosing,
): Candidate {
  const probes = probeAgents(candidates, environment, installed);
  const first = probes.find(({ usable }) => usable);
  if (first !== undefined) return first.candidate;
  const described = probes.map(
    (probe) => `\n  ${probe.candidate.name}: ${missingRequirements(probe).join(", ")}`,
  );
  throw new AgentError("missing", `${noAgent}. None can be chosen automatically:${described.join("")}`);
}

/** What a candidate would need to work here. */
export function missingRequirements({ candidate, found, key }: AgentProbe): readonly string[] {
  const { program, keys } = candidate;
  return [
    ...(program === undefined || found !== undefined ? [] : [`no program ${program} on PATH`]),
    ...(key === undefined ? [`no key ${keys.join(" or ")}`] : []),
  ];
}
