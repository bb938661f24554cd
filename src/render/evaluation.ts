import type { AgentFigures, Evaluation } from "../status/evaluation.ts";
import { count, duration, withThousandsSeparators } from "../status/format.ts";
import type { Table } from "./iterations.ts";
import { dollars, percent } from "./run-stats.ts";
import { textTable } from "./text-table.ts";

/** Results of agents, compared and by task, as text. */
export function evaluationText(evaluation: Evaluation): string {
  const { interrupted } = evaluation;
  const wasted =
    interrupted === undefined
      ? []
      : [
          "",
          `${count(interrupted.runs, "interrupted trial")} began again; before that: ${withThousandsSeparators(interrupted.tokens)} tokens, ${dollars(interrupted.costUsd)}`,
        ];
  return [...textTable(agentTable(evaluation)), "", ...textTable(taskTable(evaluation)), ...wasted].join(
    "\n",
  );
}

function agentTable({ agents }: Evaluation): Table {
  const figures = [
    "solved",
    "success",
    "95 % interval",
    "iterations",
    "tokens",
    "cost",
    "cost per fix",
    "median time",
  ];
  return {
    columns: [
      { title: "agent", align: "left" },
      ...figures.map((title) => ({ title, align: "right" as const })),
    ],
    rows: agents.map((agent) => [
      agent.name,
      `${agent.green} of ${agent.green + agent.red}`,
      percent(agent.rate),
      intervalText(agent),
      withThousandsSeparators(agent.iterations),
      withThousandsSeparators(agent.tokens),
      dollars(agent.costUsd),
      dollars(agent.costPerFix),
      agent.toGreenMs === undefined ? "" : duration(agent.toGreenMs.half),
    ]),
  };
}

const intervalText = ({ interval }: AgentFigures) =>
  interval === undefined ? "" : `${percent(interval[0])} to ${percent(interval[1])}`;

function taskTable({ agents, tasks }: Evaluation): Table {
  return {
    columns: [
      { title: "task", align: "left" },
      ...agents.map(({ name }) => ({ title: name, align: "right" as const })),
    ],
    rows: tasks.map(({ task, solved }) => [
      task,
      ...solved.map(({ green, ended }) => (ended === 0 ? "" : `${green} of ${ended}`)),
    ]),
  };
}
