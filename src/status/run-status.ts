import type { OpenGate } from "../engine/session.ts";
import type { ReviewReason } from "../ports/review-reason.ts";
import { emptyBoundedList, shrink } from "./bounded-list.ts";
import { truncate } from "./format.ts";
import { shrinkSummary } from "./headline.ts";
import type { IterationRow, LoopSummary, RunStatus, StatusGate, Summary } from "./run-status-schema.ts";

export type { GateDecider, RunStatus, StatusGate, StatusJob } from "./run-status-schema.ts";

/** The source of a status. */
export interface StatusSource extends Omit<RunStatus, "v" | "gates"> {
  readonly gates: readonly (OpenGate & Partial<Pick<StatusGate, "head">>)[];
}

/** Maximum size of a status as JSON, in bytes; the file that holds it adds a little. */
export const maxStatusBytes = 60 * 1024;

/** Builds the status within its size limit. Rows, outputs and texts are shortened first, the gates' texts last. */
export function buildRunStatus(source: StatusSource): RunStatus {
  const fits = measures.find((measure) => sizeOf(measured(source, measure)) <= maxStatusBytes);
  return measured(source, fits ?? { ...least, gates: 0, name: 20 });
}

/** Identifies one gate of one run while it is open, the same on every machine. */
export function gateNonce(run: string, { need, since }: Pick<OpenGate, "need" | "since">): string {
  const [one, two] = hash(`${run}\0${need}\0${since}`);
  return (BigInt(one) * 2n ** 32n + BigInt(two)).toString(36).padStart(13, "0").slice(-10);
}

/** How much of each long part is kept; if the status is still too large, the next entry is tried. */
interface Measure {
  readonly loops: number;
  readonly rows: number;
  readonly notices: number;
  readonly messages: number;
  readonly output: number;
  readonly gates: number;
  readonly gate: number;
  /** In bytes; if there are more, the steps are omitted, not shortened. */
  readonly steps: number;
  /** Limit for names and paths, which are usually short. */
  readonly name: number;
}

const whole: Measure = {
  loops: 100,
  rows: 100,
  notices: 50,
  messages: 50,
  output: 8_192,
  gates: 50,
  gate: 20_000,
  steps: 8_192,
  name: 1_000,
};
const least: Measure = {
  loops: 0,
  rows: 0,
  notices: 0,
  messages: 0,
  output: 0,
  gates: 20,
  gate: 400,
  steps: 0,
  name: 80,
};

const measures: readonly Measure[] = [
  whole,
  { ...whole, loops: 20, rows: 40, notices: 20, messages: 10, output: 4_096 },
  { ...whole, loops: 10, rows: 20, notices: 5, messages: 5, output: 1_024 },
  { ...whole, loops: 3, rows: 10, notices: 2, messages: 2, output: 512, gate: 12_000, name: 300 },
  { ...least, gates: 50, gate: 6_000, name: 300 },
  { ...least, gates: 50, gate: 900, name: 200 },
  least,
  { ...least, gate: 100, name: 20 },
];

function measured(
  { summary, gates, decided = [], steps, origin, comment, job, work }: StatusSource,
  measure: Measure,
): RunStatus {
  const most = Math.floor(measure.gate / Math.max(1, Math.min(gates.length, measure.gates)));
  const shown = gates.slice(0, measure.gates).map((gate) => ({
    need: gate.need,
    path: gate.path,
    question: truncate(gate.question, Math.max(most, 100)),
    since: gate.since,
    nonce: gateNonce(summary.run, gate),
    head: "head" in gate ? gate.head : origin?.head,
  }));
  return {
    v: 1,
    summary: { ...fitted(summary, measure), gates: shown.map(({ path, question }) => ({ path, question })) },
    gates: shown,
    origin,
    ...(decided.length === 0
      ? {}
      : { decided: decided.slice(-mostDecided).map((one) => shortTexts(one, measure.name)) }),
    ...(steps === undefined || sizeOf(steps) > measure.steps ? {} : { steps }),
    ...(comment === undefined ? {} : { comment }),
    job,
    work,
  };
}

function fitted(summary: Summary, measure: Measure): Summary {
  const { rows, loops, notices, messages, name, output } = measure;
  const short = (text: string) => truncate(text, name);
  const orNot = (text: string | undefined) => (text === undefined ? undefined : short(text));
  const narrow = shrinkSummary(summary, loops, rows);
  const loop = (one: LoopSummary): LoopSummary => ({
    ...one,
    path: short(one.path),
    node: short(one.node),
    rows: {
      ...one.rows,
      first: one.rows.first.map((row) => fittedRow(row, name)),
      last: one.rows.last.map((row) => fittedRow(row, name)),
    },
  });
  const kept = shrink(summary.notices, notices);
  const sent = shrink(summary.messages, messages);
  const decided = shrink(summary.decisions ?? emptyBoundedList, notices);
  const each = <T extends object>(items: readonly T[]) => items.map((item) => shortTexts(item, name));
  return {
    ...summary,
    workflow: short(summary.workflow),
    agent: orNot(summary.agent),
    message: short(summary.message),
    because: orNot(summary.because),
    loops: { ...narrow.loops, first: narrow.loops.first.map(loop), last: narrow.loops.last.map(loop) },
    notices: { ...kept, first: each(kept.first), last: each(kept.last) },
    messages: { ...sent, first: each(sent.first), last: each(sent.last) },
    ...(summary.decisions === undefined
      ? {}
      : { decisions: { ...decided, first: each(decided.first), last: each(decided.last) } }),
    output: output === 0 ? "" : truncate(summary.output, output),
    check: output === 0 ? undefined : summary.check,
    ...(summary.review === undefined ? {} : { review: fittedReview(summary.review, measure) }),
  };
}

/** The changes are left out first. */
const fittedReview = (review: readonly ReviewReason[], { output, name }: Measure) =>
  review.slice(0, mostReasons).map((reason): ReviewReason => {
    if (reason.kind === "tests")
      return {
        ...shortTexts(reason, name),
        tests: reason.tests.slice(0, 20).map((test) => truncate(test, 200)),
      };
    const { patch, ...rest } = shortTexts(reason, Math.max(name, output));
    return output < whole.output || patch === undefined ? rest : { ...rest, patch };
  });

const mostReasons = 50;

/** An iteration may change many paths, which the status does not need. */
const fittedRow = (row: IterationRow, most: number): IterationRow => ({
  ...row,
  item: row.item === undefined ? undefined : truncate(row.item, Math.min(most, 100)),
  stops: row.stops.slice(0, 20).map((stop) => shortTexts(stop, Math.min(most, 300))),
  diff: row.diff === undefined ? undefined : { ...row.diff, paths: [] },
});

const shortTexts = <T extends object>(item: T, most: number): T =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      typeof value === "string" ? truncate(value, most) : value,
    ]),
  ) as T;

const mostDecided = 20;

const sizeOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

/** Two 32-bit hashes: two texts collide with a probability of 2^-64. */
function hash(text: string): readonly [number, number] {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (const byte of new TextEncoder().encode(text)) {
    one = Math.imul(one ^ byte, 2_654_435_761);
    two = Math.imul(two ^ byte, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(two ^ (two >>> 13), 3_266_489_909);
  two = Math.imul(two ^ (two >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return [one >>> 0, two >>> 0];
}
