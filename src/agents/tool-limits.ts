import { AgentError, type AgentRequest } from "../ports/agent.ts";
import { type Capability, capabilityOf } from "../ports/tool-names.ts";

/** An agent's own tools, grouped by permission. */
export interface OwnTools extends Readonly<Partial<Record<Capability, readonly string[]>>> {
  /** What moves it to another checkout, waits for another day, or asks people: nothing of that ends well in a loop. */
  readonly outOfPlace?: readonly string[];
}

type Limited = Pick<AgentRequest, "role" | "tools">;

const reading: ReadonlySet<Capability> = new Set(["read", "list", "search"]);
const all: readonly Capability[] = ["read", "list", "search", "edit", "write", "shell", "web", "agent"];

/** What an agent may do in one call; `undefined` if nothing limits it. A judge only reads. */
export function capabilitiesFor({ role, tools }: Limited): ReadonlySet<Capability> | undefined {
  const isWorker = role === "worker";
  if (isWorker && tools?.only === undefined && tools?.not === undefined) return undefined;
  const only = tools?.only?.map(capabilityOf);
  const not = new Set((tools?.not ?? []).map(capabilityOf));
  return new Set(
    all.filter((one) => (isWorker || reading.has(one)) && (only?.includes(one) ?? true) && !not.has(one)),
  );
}

/** Of an agent's own tools those that it may use in one call; `undefined` where nothing limits it. */
export function toolsAllowed(request: Limited, own: OwnTools): readonly string[] | undefined {
  const allowed = capabilitiesFor(request);
  return allowed && all.flatMap((one) => (allowed.has(one) ? (own[one] ?? []) : []));
}

/** Of an agent's own tools those that it may not use in one call. */
export function toolsDenied(request: Limited, own: OwnTools): readonly string[] {
  const allowed = capabilitiesFor(request) ?? new Set(all);
  return [...(own.outOfPlace ?? []), ...all.flatMap((one) => (allowed.has(one) ? [] : (own[one] ?? [])))];
}

/** Whether an agent may change nothing. */
export function isReadOnly(request: Limited): boolean {
  const allowed = capabilitiesFor(request);
  return allowed !== undefined && [...allowed].every((one) => reading.has(one));
}

/** Throws where the author limits a worker's tools, and a program can only be kept from changing anything. */
export function refuseLimits(name: string, request: Limited): void {
  const { role, tools } = request;
  if (role !== "worker" || tools === undefined || tools.advisory === true) return;
  if (capabilitiesFor(request) === undefined || isReadOnly(request)) return;
  const advice = "leave only tools that read, choose another agent, or set `tools: advisory`";
  throw new AgentError("refused", `${name} cannot be restricted to these tools: ${advice}`);
}
