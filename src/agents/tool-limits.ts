import { AgentError, type AgentRequest } from "../ports/agent.ts";
import { type Capability, capabilityOf } from "../ports/tool-names.ts";

/** An agent's own tools, grouped by permission. */
export interface OwnTools extends Readonly<Partial<Record<Capability, readonly string[]>>> {
  /** Tools that move it to another checkout, wait for days, or ask people: none of that works in a loop. */
  readonly outOfPlace?: readonly string[];
}

type Limited = Pick<AgentRequest, "role" | "tools">;

const reading: ReadonlySet<Capability> = new Set(["read", "list", "search"]);
const all: readonly Capability[] = ["read", "list", "search", "edit", "write", "shell", "web", "agent"];

/** What an agent may do in one call; `undefined` if there is no limit. A judge may only read. */
export function capabilitiesFor({ role, tools }: Limited): ReadonlySet<Capability> | undefined {
  const isWorker = role === "worker";
  if (isWorker && tools?.only === undefined && tools?.not === undefined) return undefined;
  const only = tools?.only?.map(capabilityOf);
  const not = new Set((tools?.not ?? []).map(capabilityOf));
  return new Set(
    all.filter((one) => (isWorker || reading.has(one)) && (only?.includes(one) ?? true) && !not.has(one)),
  );
}

/** The agent's own tools that it may use in one call; `undefined` if there is no limit. */
export function toolsAllowed(request: Limited, own: OwnTools): readonly string[] | undefined {
  const allowed = capabilitiesFor(request);
  return allowed && all.flatMap((one) => (allowed.has(one) ? (own[one] ?? []) : []));
}

/** The agent's own tools that it may not use in one call. */
export function toolsDenied(request: Limited, own: OwnTools): readonly string[] {
  const allowed = capabilitiesFor(request) ?? new Set(all);
  return [...(own.outOfPlace ?? []), ...all.flatMap((one) => (allowed.has(one) ? [] : (own[one] ?? [])))];
}

/** True if an agent may not change anything. */
export function isReadOnly(request: Limited): boolean {
  const allowed = capabilitiesFor(request);
  return allowed !== undefined && [...allowed].every((one) => reading.has(one));
}

/** Throws if the author limits a worker's tools, but the program can only be made read-only. */
export function refuseLimits(name: string, request: Limited): void {
  const { role, tools } = request;
  if (role !== "worker" || tools === undefined || tools.advisory === true) return;
  if (capabilitiesFor(request) === undefined || isReadOnly(request)) return;
  const advice = "leave only tools that read, choose another agent, or set `tools: advisory`";
  throw new AgentError("refused", `${name} cannot be restricted to these tools: ${advice}`);
}
