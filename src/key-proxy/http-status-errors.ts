import type { AgentFault } from "../ports/agent.ts";

/** The meaning of a model endpoint's HTTP status for an agent's call. */
export const statusFaults: Readonly<Record<number, AgentFault>> = {
  400: "refused",
  401: "auth",
  402: "credit",
  403: "auth",
  404: "refused",
  408: "network",
  // A lock that was not free, and a request that came too early: both are to be sent again.
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
