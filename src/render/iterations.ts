import { toArray } from "../status/bounded-list.ts";
import { changes, duration, money, shortened, tokens } from "../status/format.ts";
import type { IterationRow, LoopSummary, StopSeen } from "../status/loop-summary.ts";
import type { Summary } from "../status/run-summary.ts";
import type { Point } from "./chart.ts";
import { attemptText, isWorthShowing, shortVerdict, verdictText } from "./verdict-text.ts";

/** A table whose cells are plain text, not yet escaped. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
}

export interface IterationTable extends Table {
  /** The iteration shown in each row; `undefined` for a row that stands for several. */
  readonly iterations: readonly (IterationRow | undefined)[];
  readonly changedColumn: number;
}

/** The iterations of a loop, one row each; columns that would be empty are left out. */
export function iterationTable(
  loop: LoopSummary,
  state: Summary["state"],
  columns: readonly CellColumn[] = allColumns,
): IterationTable {
  const lines = linesOf(loop);
  const open = openWord(loop, state);
  const seen = lines.map((line) => columns.map((column) => (line.row ? column.cell(line, open) : "")));
  const used = columns.map((column, at) => column.always === true || seen.some((cells) => cells[at] !== ""));
  const shown = columns.filter((_, at) => used[at]);
  const cells = (line: Line) =>
    line.row === undefined
      ? shown.map((column, at) => (at === 0 ? "…" : column.cell === changed.cell ? `${line.left} more` : ""))
      : shown.map((column) => column.cell(line, open));
  return {
    columns: shown,
    rows: lines.map(cells),
    iterations: lines.map((line) => line.row),
    changedColumn: shown.findIndex(({ cell }) => cell === changed.cell),
  };
}

/** The number of failing tests after each iteration, starting before the first; empty if it never changed. */
export function failingPoints(loop: LoopSummary): readonly Point[] {
  if (loop.mode === "attempts") return [];
  const start = loop.before?.failing === undefined ? [] : [{ label: "0", value: loop.before.failing }];
  const points = toArray(loop.rows).map((row) => ({ label: String(row.number), value: row.failing }));
  const all = [...start, ...points];
  const known = new Set(all.flatMap(({ value }) => value ?? []));
  return known.size > 1 ? all : [];
}

/** `12 → 0` for the first and the last known number; empty if there is none. */
export function fromTo(points: readonly Point[]): string {
  const known = points.flatMap((point) => (point.value === undefined ? [] : [point.value]));
  return known.length === 0 ? "" : known.length === 1 ? `${known[0]}` : `${known[0]} → ${known.at(-1)}`;
}

interface Line {
  readonly row: IterationRow | undefined;
  /** The number of iterations this row stands for, if more than one. */
  readonly left: number;
  /** Failing tests before the iteration. */
  readonly before: number | undefined;
  /** Among several attempts, the one that is kept. */
  readonly chosen?: number | undefined;
}

interface CellColumn extends Column {
  readonly always?: true;
  /** `open`: the text for an iteration that has not ended. */
  cell(line: Line, open: string): string;
}

const changed: CellColumn = {
  title: "changed",
  align: "left",
  always: true,
  cell: ({ row }) => changes(row?.diff),
};

const number: CellColumn = {
  title: "#",
  align: "right",
  always: true,
  cell: ({ row }) => String(row?.number ?? ""),
};

const item: CellColumn = {
  title: "item",
  align: "left",
  cell: ({ row }) => shortened(row?.item ?? "", 60),
};

const allColumns: readonly CellColumn[] = [
  number,
  item,
  {
    title: "result",
    align: "left",
    // The number of failing tests has its own column.
    cell: (line) => resultCell(line, (stop) => verdictText({ ...stop, failing: undefined })),
  },
  { title: "failing", align: "right", cell: failingCell },
  changed,
  { title: "time", align: "right", always: true, cell: timeCell },
  { title: "tokens", align: "right", cell: ({ row }) => (row ? tokens(row.usage) : "") },
  { title: "cost", align: "right", cell: ({ row }) => (row ? money(row.usage) : "") },
];

/** Fewer columns, so that the table fits a phone without scrolling. */
export const narrowColumns: readonly CellColumn[] = [
  number,
  item,
  {
    title: "result",
    align: "left",
    cell: (line) => resultCell(line, (stop) => shortVerdict(stop, line.before), line.row?.failing),
  },
  { ...changed, title: "diff" },
  {
    title: "spent",
    align: "left",
    always: true,
    cell: spentCell,
  },
];

function resultCell({ row, chosen }: Line, textOf: (stop: StopSeen) => string, failing?: number): string {
  return [
    ...attemptText(row, { chosen, failing }),
    ...(row?.stops ?? []).filter(isWorthShowing).map(textOf),
  ].join("; ");
}

/** `3.0 s · $0.02`, or tokens if no price is known. */
function spentCell(line: Line, open: string): string {
  const { row } = line;
  const spent = row === undefined ? "" : money(row.usage) || tokensOf(row);
  return [timeCell(line, open), spent].filter((part) => part !== "").join(" · ");
}

function tokensOf({ usage }: IterationRow): string {
  const all = tokens(usage);
  return all === "" ? "" : `${all} tokens`;
}

function timeCell({ row }: Line, open: string): string {
  return row?.durationMs === undefined ? open : duration(row.durationMs);
}

function failingCell({ row, before }: Line): string {
  if (row?.failing === undefined) return "";
  return before === undefined || before === row.failing ? String(row.failing) : `${before} → ${row.failing}`;
}

/** The current activity of an unfinished iteration; in a paused run it restarts when the run is resumed. */
export function openWord(loop: LoopSummary, state: Summary["state"]): string {
  if (loop.status !== "running") return "";
  return state === "running" ? "running" : "interrupted";
}

function linesOf(loop: LoopSummary): readonly Line[] {
  const { chosen } = loop;
  if (loop.mode === "attempts")
    return toArray(loop.rows).map((row) => ({ row, left: 0, before: undefined, chosen }));
  const { first, left, last } = loop.rows;
  const begin = counted(first, loop.before?.failing);
  if (left === 0) return [...begin, ...counted(last, first.at(-1)?.failing)];
  return [...begin, { row: undefined, left, before: undefined }, ...counted(last, undefined)];
}

/** The rows, each with the number of failing tests before it. */
function counted(rows: readonly IterationRow[], start: number | undefined): readonly Line[] {
  return rows.map((row, at) => ({ row, left: 0, before: at === 0 ? start : rows[at - 1]?.failing }));
}
