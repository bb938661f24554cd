import type { Point } from "./chart.ts";
import { listed } from "./kept.ts";
import type { IterationRow, LoopSummary, StopSeen } from "./loop-summary.ts";
import { changes, duration, money, shortened, tokens } from "./words.ts";

/** A table whose cells are plain text, not yet escaped for any place. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
}

export interface IterationTable extends Table {
  /** For each row, what its iteration changed; `undefined` in a row that stands for others. */
  readonly iterations: readonly (IterationRow | undefined)[];
  readonly changedColumn: number;
}

/** The iterations of a loop, a row each; columns in which nothing would stand are not there. */
export function iterationTable(loop: LoopSummary): IterationTable {
  const lines = linesOf(loop);
  const seen = lines.map((line) => columns.map((column) => (line.row ? column.cell(line, loop) : "")));
  const used = columns.map((column, at) => column.always === true || seen.some((cells) => cells[at] !== ""));
  const shown = columns.filter((_, at) => used[at]);
  const cells = (line: Line) =>
    line.row === undefined
      ? shown.map((column, at) => (at === 0 ? "…" : column === changed ? `${line.left} more` : ""))
      : shown.map((column) => column.cell(line, loop));
  return {
    columns: shown,
    rows: lines.map(cells),
    iterations: lines.map((line) => line.row),
    changedColumn: shown.indexOf(changed),
  };
}

/** The failing tests of a loop from before its first iteration on; empty when no check told. */
export function failingPoints(loop: LoopSummary): readonly Point[] {
  const start = loop.before?.failing === undefined ? [] : [{ label: "0", value: loop.before.failing }];
  const points = listed(loop.rows).map((row) => ({ label: String(row.number), value: row.failing }));
  const all = [...start, ...points];
  return all.some((point) => point.value !== undefined) ? all : [];
}

/** `12 → 0` for the first and the last number known; empty for none. */
export function fromTo(points: readonly Point[]): string {
  const known = points.flatMap((point) => (point.value === undefined ? [] : [point.value]));
  return known.length === 0 ? "" : known.length === 1 ? `${known[0]}` : `${known[0]} → ${known.at(-1)}`;
}

interface Line {
  readonly row: IterationRow | undefined;
  /** How many rows this line stands for, where it stands for no single one. */
  readonly left: number;
  /** Failing tests before the iteration. */
  readonly before: number | undefined;
}

interface CellColumn extends Column {
  readonly always?: true;
  cell(line: Line, loop: LoopSummary): string;
}

const changed: CellColumn = {
  title: "changed",
  align: "left",
  always: true,
  cell: ({ row }) => changes(row?.diff),
};

const columns: readonly CellColumn[] = [
  { title: "#", align: "right", always: true, cell: ({ row }) => String(row?.number ?? "") },
  { title: "item", align: "left", cell: ({ row }) => shortened(row?.item ?? "", 60) },
  changed,
  { title: "stops", align: "left", cell: ({ row }) => (row?.stops ?? []).map(verdictWords).join("; ") },
  { title: "failing", align: "right", cell: failingCell },
  { title: "time", align: "right", always: true, cell: ({ row }, loop) => timeCell(row, loop) },
  { title: "tokens", align: "right", cell: ({ row }) => (row ? tokens(row.usage) : "") },
  { title: "cost", align: "right", cell: ({ row }) => (row ? money(row.usage) : "") },
];

const verdicts = { done: "done", "give-up": "gave up", "go-on": "go on" } as const;

function verdictWords(stop: StopSeen): string {
  const because = shortened(stop.because, 120);
  return `${stop.kind}: ${verdicts[stop.verdict]}${because === "" ? "" : `, ${because}`}`;
}

function failingCell({ row, before }: Line): string {
  if (row?.failing === undefined) return "";
  return before === undefined || before === row.failing ? String(row.failing) : `${before} → ${row.failing}`;
}

function timeCell(row: IterationRow | undefined, loop: LoopSummary): string {
  if (row?.durationMs !== undefined) return duration(row.durationMs);
  return loop.status === "running" ? "running" : "";
}

function linesOf(loop: LoopSummary): readonly Line[] {
  const { first, left, last } = loop.rows;
  const begin = counted(first, loop.before?.failing);
  if (left === 0) return [...begin, ...counted(last, first.at(-1)?.failing)];
  return [...begin, { row: undefined, left, before: undefined }, ...counted(last, undefined)];
}

/** The rows, each with the failing tests that it started from. */
function counted(rows: readonly IterationRow[], start: number | undefined): readonly Line[] {
  return rows.map((row, at) => ({ row, left: 0, before: at === 0 ? start : rows[at - 1]?.failing }));
}
