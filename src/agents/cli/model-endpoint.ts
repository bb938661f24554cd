import { getKeyProxy } from "../../key-proxy/index.ts";
import type { KeyLease } from "../../key-proxy/lease.ts";
import { type AgentContext, AgentError } from "../../ports/agent.ts";
import type { Environment } from "../../processes/environment.ts";
import { callLimitsFor } from "../call-limits.ts";
import type { CliDefinition, Endpoint } from "./cli-definition.ts";
import { keyOf, missingKey } from "./missing-key.ts";

/** How one call reaches its model. */
export interface ModelAccess {
  /** The endpoint of our key proxy; `undefined` if the program uses a login or a key of its own. */
  readonly endpoint: Endpoint | undefined;
  readonly lease: KeyLease | undefined;
  /** Variables passed to the program unchanged. */
  readonly handed: Environment;
}

interface ReachRequest {
  readonly environment: Environment;
  readonly model?: string | undefined;
  readonly context: Pick<AgentContext, "signal" | "spending" | "prices">;
}

/**
 * Leases a key for one call, or finds that the program has its own; throws an `AgentError` that names the missing
 * secret.
 */
export async function resolveModelAccess(cli: CliDefinition, request: ReachRequest): Promise<ModelAccess> {
  const { environment, context, model } = request;
  const source = keyOf(cli, request);
  if (source === undefined) {
    const missing = missingKey(cli, request);
    if (missing === undefined) return { endpoint: undefined, lease: undefined, handed: {} };
    throw new AgentError("auth", missing, { isFixable: true });
  }
  const { variable, lease } = source;
  const value = environment[variable] ?? "";
  if (lease === undefined) return { endpoint: undefined, lease: undefined, handed: { [variable]: value } };
  const { wire, upstream, header, besides } = lease;
  const leased = await getKeyProxy().lease({
    wire,
    upstream: environment[upstream.variable] || upstream.usual,
    key: {
      header: header.name,
      value: `${header.prefix ?? ""}${value}`,
      secret: variable,
      ...(besides && { besides }),
    },
    signal: context.signal,
    ...callLimitsFor(model, { context, environment }),
  });
  return { endpoint: { baseUrl: leased.baseUrl, key: leased.key, variable }, lease: leased, handed: {} };
}
