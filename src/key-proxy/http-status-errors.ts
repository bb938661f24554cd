import type { AgentFault } from "../ports/agent.ts";

/** What an HTTP status of a model endpoint means for an agent's call. */
export const statusFaults: Readonly<Record<number, AgentFault>> = {
  400: "refused",
  401: "auth",
  402: "credit",
  403: "auth",
  404: "refused",
  408: "network",
  // A lock was held (409), or the request came too early (425): both can be retried.
  409: "network",
  413: "context",
  425: "network",
  429: "rate-limit",
  500: "network",
  502: "network",
  503: "overloaded",
  504: "network",
  529: "overloaded",
};
