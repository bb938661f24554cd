import type { Row } from "./bench.ts";

const titles = ["what", "figure", "reference", "ratio", "goal", ""] as const;

/** Prints the rows as a Markdown table with aligned columns. */
export function print(rows: readonly Row[]): void {
  const cells = [titles, ...rows.map(cellsOf)];
  const widths = titles.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = titles, ...body] = cells;
  console.log([line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n"));
}

function cellsOf({ what, figure, reference = "", ratio, goal = "", ok }: Row): readonly string[] {
  const times = ratio === undefined ? "" : `${ratio.toFixed(ratio < 10 ? 2 : 0)}x`;
  return [what, figure, reference, times, goal, ok === undefined ? "" : ok ? "ok" : "short"];
}
