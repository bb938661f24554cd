import type { Origin } from "../engine/event.ts";
import type { OpenGate } from "../engine/session.ts";
import { narrowedSummary } from "./headline.ts";
import { narrowed } from "./kept.ts";
import type { IterationRow, LoopSummary } from "./loop-summary.ts";
import type { Summary } from "./summary.ts";
import { cut } from "./words.ts";

/**
 * Where a run stands, kept at the tip of its log for whoever reads only that: at most 64 KiB of JSON. Anybody who may
 * write to the repository may have written it, so it is read by its schema and shown escaped.
 */
export interface Standing {
  readonly v: 1;
  readonly summary: Summary;
  /** The open ones, oldest first. */
  readonly gates: readonly StandingGate[];
  readonly origin: Origin | undefined;
  /** Who decided the last gates, the latest last: whoever comes late is told. */
  readonly decided?: readonly Decider[] | undefined;
  /** The run's one comment on its pull request, whoever posted it. */
  readonly comment?: number | undefined;
  /** The job that drove the run last. */
  readonly job: StandingJob | undefined;
  /** The snapshot of the workspace that belongs to it. */
  readonly work: string | undefined;
}

export interface StandingGate {
  /** Names the gate in a decision. */
  readonly need: string;
  /** As people know it. */
  readonly path: string;
  readonly message: string;
  /** ISO 8601. */
  readonly since: string;
  /** 10 characters that no other gate has: a button or a late answer names the gate it was shown for. */
  readonly nonce: string;
  /** The head of the branch when the gate was shown. */
  readonly head: string | undefined;
}

export interface Decider {
  /** The gate, as people know it. */
  readonly path: string;
  readonly by: string;
  /** Of the gate, as it was shown. */
  readonly nonce?: string;
  /** What said it: a comment by its id, or a delivery of the host's. The same heard again says nothing new. */
  readonly said?: string;
}

export interface StandingJob {
  /** The id of the host's workflow run. */
  readonly run: number;
  readonly attempt: number;
}

/** What a standing is made of. */
export interface Stand extends Omit<Standing, "v" | "gates"> {
  readonly gates: readonly (OpenGate & Partial<Pick<StandingGate, "head">>)[];
}

/** The most bytes a standing takes as JSON; the file that holds it says a little more. */
export const mostStanding = 60 * 1024;

/** Where a run stands, made to fit: rows, outputs and texts give way, the gates' texts last of all. */
export function standingOf(stand: Stand): Standing {
  const fits = measures.find((measure) => sizeOf(measured(stand, measure)) <= mostStanding);
  return measured(stand, fits ?? { ...least, gates: 0, name: 20 });
}

/** Names one gate of one run for as long as it is open, alike on every machine. */
export function gateNonce(run: string, { need, since }: Pick<OpenGate, "need" | "since">): string {
  const [one, two] = hash(`${run}\0${need}\0${since}`);
  return (BigInt(one) * 2n ** 32n + BigInt(two)).toString(36).padStart(13, "0").slice(-10);
}

/** How much is kept of what may be long; each is tried when the one before is too large. */
interface Measure {
  readonly loops: number;
  readonly rows: number;
  readonly notices: number;
  readonly messages: number;
  readonly output: number;
  readonly gates: number;
  readonly gate: number;
  /** Of names, paths and the like, which are short unless somebody wants them long. */
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
  { summary, gates, decided = [], origin, comment, job, work }: Stand,
  measure: Measure,
): Standing {
  const most = Math.floor(measure.gate / Math.max(1, Math.min(gates.length, measure.gates)));
  const shown = gates.slice(0, measure.gates).map((gate) => ({
    need: gate.need,
    path: gate.path,
    message: cut(gate.message, Math.max(most, 100)),
    since: gate.since,
    nonce: gateNonce(summary.run, gate),
    head: "head" in gate ? gate.head : origin?.head,
  }));
  return {
    v: 1,
    summary: { ...fitted(summary, measure), gates: shown.map(({ path, message }) => ({ path, message })) },
    gates: shown,
    origin,
    ...(decided.length === 0
      ? {}
      : { decided: decided.slice(-mostDecided).map((one) => shortTexts(one, measure.name)) }),
    ...(comment === undefined ? {} : { comment }),
    job,
    work,
  };
}

function fitted(summary: Summary, measure: Measure): Summary {
  const { rows, loops, notices, messages, name, output } = measure;
  const short = (text: string) => cut(text, name);
  const orNot = (text: string | undefined) => (text === undefined ? undefined : short(text));
  const narrow = narrowedSummary(summary, loops, rows);
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
  const kept = narrowed(summary.notices, notices);
  const sent = narrowed(summary.messages, messages);
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
    output: output === 0 ? "" : cut(summary.output, output),
  };
}

/** The paths an iteration changed are many, and nobody reads them here. */
const fittedRow = (row: IterationRow, most: number): IterationRow => ({
  ...row,
  item: row.item === undefined ? undefined : cut(row.item, Math.min(most, 100)),
  stops: row.stops.slice(0, 20).map((stop) => shortTexts(stop, Math.min(most, 300))),
  diff: row.diff === undefined ? undefined : { ...row.diff, paths: [] },
});

const shortTexts = <T extends object>(item: T, most: number): T =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, typeof value === "string" ? cut(value, most) : value]),
  ) as T;

const mostDecided = 20;

const sizeOf = (standing: Standing) => new TextEncoder().encode(JSON.stringify(standing)).length;

/** Two numbers of 32 bits that chance gives two texts alike once in 2^64. */
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
