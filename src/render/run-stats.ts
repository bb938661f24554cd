import { duration, withThousandsSeparators } from "../status/format.ts";
import type { GroupStats, RunStats } from "../status/run-stats.ts";
import { inHtml } from "./escape.ts";
import { htmlPage, htmlTable } from "./html-page.ts";
import type { Table } from "./iterations.ts";
import { textTable } from "./text-table.ts";

/** The figures of all runs as text. */
export function statsText(stats: RunStats): string {
  return sectionsOf(stats)
    .map(({ title, table }) => [title, ...textTable(table)].join("\n"))
    .join("\n\n");
}

/** The figures of all runs as one self-contained HTML file. */
export function statsPage(stats: RunStats): string {
  const { all } = stats;
  const title = `${withThousandsSeparators(all.runs)} runs, ${percent(all.rate)} green`;
  const parts = sectionsOf(stats).map(
    (section) =>
      `<section><h2>${inHtml(section.title)}</h2>\n<div class="scroll">${htmlTable(section.table)}</div></section>`,
  );
  return htmlPage(title, `<h1>${inHtml(title)}</h1>\n${parts.join("\n")}`);
}

interface Section {
  readonly title: string;
  readonly table: Table;
}

const sectionsOf = ({ all, workflows, agents }: RunStats): readonly Section[] => [
  { title: "All runs", table: tableOf("", [all]) },
  { title: "By workflow", table: tableOf("workflow", workflows) },
  { title: "By agent", table: tableOf("agent", agents) },
];

function tableOf(first: string, groups: readonly GroupStats[]): Table {
  const figures = [
    "runs",
    "green",
    "open",
    "success",
    "median to green",
    "90 % within",
    "cost",
    "cost per fix",
    "flaky",
  ];
  return {
    columns: [
      { title: first, align: "left" },
      ...figures.map((title) => ({ title, align: "right" as const })),
    ],
    rows: groups.map((group) => [
      group.name,
      ...[group.runs, group.green, group.open].map(withThousandsSeparators),
      percent(group.rate),
      group.toGreenMs === undefined ? "" : duration(group.toGreenMs.half),
      group.toGreenMs === undefined ? "" : duration(group.toGreenMs.most),
      dollars(group.costUsd),
      dollars(group.costPerFix),
      String(group.flaky),
    ]),
  };
}

export const percent = (rate: number | undefined) =>
  rate === undefined ? "" : `${Math.round(rate * 100)} %`;
export const dollars = (cost: number | undefined) => (cost === undefined ? "" : `$${cost.toFixed(2)}`);
