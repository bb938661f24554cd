import { toArray } from "../status/bounded-list.ts";
import { decisionTexts } from "../status/decisions.ts";
import { shortened } from "../status/format.ts";
import { headline, loopStatus, shrinkSummary, totals } from "../status/headline.ts";
import type { LoopSummary } from "../status/loop-summary.ts";
import type { Summary } from "../status/run-summary.ts";
import { titledLoops } from "../status/titles.ts";
import { sparkline } from "./chart.ts";
import { oneLine } from "./escape.ts";
import { failingCheckLines, failingCheckOf } from "./failing-check.ts";
import { type Column, failingPoints, fromTo, iterationTable, type Table } from "./iterations.ts";
import { reviewLines } from "./review.ts";

/**
 * What a terminal shows when a run ends or pauses: a headline, a table for each loop, the cost. `columns` is the
 * width of the terminal, to which tables are fitted; default unlimited.
 */
export function closingTable(summary: Summary, columns?: number): string {
  // A terminal may report a width of 0.
  const most = columns || Number.POSITIVE_INFINITY;
  const shown = shrinkSummary(summary, 10, 30);
  const because = summary.because === undefined ? [] : [`  ${shortened(oneLine(summary.because), 400)}`];
  const left = shown.loops.left === 0 ? [] : ["", `… ${shown.loops.left} more loops`];
  const check = failingCheckOf(summary);
  const decisions = decisionTexts(summary).map((text) => `  ${shortened(oneLine(text), 400)}`);
  return [
    oneLine(headline(summary)),
    ...because,
    ...reviewLines(summary),
    ...titledLoops(toArray(shown.loops)).flatMap((loop) => ["", ...loopLines(loop, summary.state, most)]),
    ...left,
    ...(check === undefined ? [] : failingCheckLines(check, summary.gates)),
    ...(decisions.length === 0 ? [] : ["", "Decisions", ...decisions]),
    "",
    totals(summary).join(" · "),
  ].join("\n");
}

/** A table as lines of text with aligned columns. If lines would exceed `most`, the widest column is shortened. */
export function textTable(table: Table, most = Number.POSITIVE_INFINITY): readonly string[] {
  const cellsWithin = (bounds: readonly number[]) =>
    [table.columns.map((column) => column.title), ...table.rows].map((row) =>
      row.map((cell, at) => shortened(oneLine(cell), bounds[at] ?? mostWidth)),
    );
  const widthsOf = (rows: readonly (readonly string[])[]) =>
    table.columns.map((_, at) => Math.max(...rows.map((row) => width(row[at] ?? ""))));
  const wanted = widthsOf(cellsWithin([]));
  const excess = wanted.reduce((all, one) => all + one + 2, -2) - most;
  const widest = wanted.indexOf(Math.max(...wanted));
  const bounds = wanted.map((one, at) =>
    excess > 0 && at === widest ? Math.max(leastWidth, one - excess - 1) : mostWidth,
  );
  const cells = cellsWithin(bounds);
  const widths = widthsOf(cells);
  return cells.map((row) =>
    row
      .map((cell, at) => padded(cell, widths[at] ?? 0, table.columns[at]?.align ?? "left"))
      .join("  ")
      .trimEnd(),
  );
}

const mostWidth = 60;
const leastWidth = 14;

function loopLines(loop: LoopSummary, state: Summary["state"], columns: number): readonly string[] {
  const points = failingPoints(loop);
  const line = sparkline(points.map((point) => point.value));
  return [
    `${oneLine(loop.node)}: ${loopStatus(loop, state)}`,
    ...(loop.iterations === 0
      ? []
      : textTable(iterationTable(loop, state), columns - 2).map((row) => `  ${row}`)),
    ...(points.length === 0 ? [] : [`  failing tests  ${line}  ${fromTo(points)}`]),
  ];
}

function padded(cell: string, to: number, align: Column["align"]): string {
  const spaces = " ".repeat(Math.max(0, to - width(cell)));
  return align === "right" ? spaces + cell : cell + spaces;
}

/** The width of a text in terminal columns. */
function width(text: string): number {
  let columns = 0;
  for (const character of text) columns += /\p{M}/u.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return columns;
}

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]|\p{Emoji_Presentation}/u;
