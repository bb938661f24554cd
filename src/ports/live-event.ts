import type { Usage } from "./agent.ts";

/**
 * Live output while an effect is performed: bounded, without secrets, and not recorded. A resumed run does not repeat
 * it.
 */
export type LiveEvent = { readonly at: string; readonly path: string } & (
  | { readonly type: "agent.message"; readonly text: string }
  | { readonly type: "agent.tool"; readonly tool: string; readonly about: string }
  /** The usage of a call so far. */
  | { readonly type: "agent.usage"; readonly usage: Usage }
  /** `clean`: printed in the fresh clone in which a green check runs again. */
  | { readonly type: "check.output" | "node.output"; readonly text: string; readonly clean?: true }
);
