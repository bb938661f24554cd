import type { Json } from "../ports/json.ts";

/** What a workflow may be given under a name. */
export interface Input {
  /** Without one the input must be given. */
  readonly default?: string;
  readonly description?: string;
}

/** An agent that a workflow gives a name of its own. */
export interface NamedAgent {
  readonly agent?: string;
  readonly model?: string;
  readonly instructions?: string;
  readonly schema?: Json;
}

/** What a whole run may take, resumes included. Minutes are those in which something ran. */
export interface Budget {
  readonly usd?: number;
  readonly tokens?: number;
  readonly minutes?: number;
}
