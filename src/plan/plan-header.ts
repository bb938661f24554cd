import type { AgentSettings, AgentTools } from "../ports/agent.ts";
import type { Json } from "../ports/json.ts";

/** An input of a workflow. */
export interface Input {
  /** Without a default the input is required. */
  readonly default?: string;
  readonly description?: string;
}

/** An agent that a workflow gives a name of its own. */
export interface NamedAgent {
  readonly agent?: string;
  readonly model?: string;
  readonly instructions?: string;
  readonly schema?: Json;
  readonly tools?: AgentTools;
  readonly settings?: AgentSettings;
}

/** The budget of a whole run, resumes included. Minutes count active time. */
export interface Budget extends BudgetLimits {
  /** Amounts at which a notice says once what is spent. */
  readonly warnings?: readonly BudgetLimits[];
}

export interface BudgetLimits {
  readonly usd?: number;
  readonly tokens?: number;
  readonly minutes?: number;
}

/** What the runs that publish to one branch are allowed together, and what their pull request says. */
export interface Series {
  /** The least time between two attempts, in milliseconds. */
  readonly cooldownMs?: number;
  /** So many failed attempts in a row end the series until the workflow changes or a person asks. */
  readonly stopAfter?: number;
  /** So many pull requests of until-green may be open in the repository. */
  readonly maxOpen?: number;
  /** How long a run that waits for a person keeps the others waiting, in milliseconds. */
  readonly gateTimeoutMs?: number;
  /** So many failed attempts in a row are reported in an issue. */
  readonly failureIssue?: number;
  /** US dollars and tokens a day, in UTC. */
  readonly dayUsd?: number;
  readonly dayTokens?: number;
  /** US dollars for all runs of one pull request. */
  readonly pullUsd?: number;
  /** US dollars a day for the runs that one person starts. */
  readonly personUsd?: number;
  /** Checks of the pull request's head that must pass, by their names; `true` for all. */
  readonly untilChecks?: true | readonly string[];
  /** Whether an approving review is needed, and no unresolved thread. */
  readonly untilReviews?: boolean;
  /** Templates with `{output}`, `{summary}`, `{run}`, `{workflow}` and `{conclusion}`. */
  readonly title?: string;
  readonly body?: string;
  readonly commitMessage?: string;
}
