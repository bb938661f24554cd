import { intervalOf } from "../ports/interval.ts";
import { type GroupStats, groupStats } from "./run-stats.ts";
import type { Summary } from "./run-summary.ts";

/** One attempt of an agent at a task. */
export interface Trial {
  readonly task: string;
  readonly agent: string;
  readonly summary: Summary;
}

/** An agent's results over all its trials. */
export interface AgentFigures extends GroupStats {
  /** The 95 % interval of its success, 0 to 1. */
  readonly interval: readonly [number, number] | undefined;
  readonly tokens: number;
}

/** Results of agents, compared and by task. */
export interface Evaluation {
  readonly agents: readonly AgentFigures[];
  readonly tasks: readonly TaskFigures[];
  /** Trials that were interrupted and restarted; included in no other figure. Absent if there were none. */
  readonly interrupted?: { readonly runs: number; readonly tokens: number; readonly costUsd: number };
}

export interface TaskFigures {
  readonly task: string;
  /** In the order of `agents`. */
  readonly solved: readonly { readonly agent: string; readonly green: number; readonly ended: number }[];
}

/** Figures over trials; agents and tasks stay in the order in which they first appear. */
export function evaluate(trials: readonly Trial[], interrupted: readonly Summary[] = []): Evaluation {
  const byAgent = Map.groupBy(trials, ({ agent }) => agent);
  const agents = [...byAgent].map(([agent, own]) => figuresOf(agent, own));
  const tasks = [...Map.groupBy(trials, ({ task }) => task)].map(([task, own]) => ({
    task,
    solved: agents.map(({ name: agent }) => {
      const { green, red } = figuresOf(
        agent,
        own.filter((trial) => trial.agent === agent),
      );
      return { agent, green, ended: green + red };
    }),
  }));
  const wasted = {
    runs: interrupted.length,
    tokens: tokensOf(interrupted),
    costUsd: interrupted.reduce((sum, { usage }) => sum + usage.cost_usd, 0),
  };
  return { agents, tasks, ...(wasted.runs === 0 ? {} : { interrupted: wasted }) };
}

const tokensOf = (summaries: readonly Summary[]) =>
  summaries.reduce((sum, { usage }) => sum + usage.input_tokens + usage.output_tokens, 0);

function figuresOf(agent: string, trials: readonly Trial[]): AgentFigures {
  const summaries = trials.map(({ summary }) => summary);
  const stats = groupStats(agent, summaries);
  return {
    ...stats,
    interval: intervalOf(stats.green, stats.green + stats.red),
    tokens: tokensOf(summaries),
  };
}
