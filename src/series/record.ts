import { z } from "zod";
import { parseJson } from "../ports/parse-json.ts";

/** One ended run of a goal, as later runs need to know it. */
const attempt = z.object({
  run: z.string(),
  /** When it ended, in ISO 8601. */
  at: z.string(),
  /** Who started it. */
  by: z.string().exactOptional(),
  /** The commit of the base it worked on. */
  base: z.string().exactOptional(),
  /** Identifies the text of its workflow. */
  file: z.string().exactOptional(),
  green: z.boolean(),
  /** Whether its work is on the branch now. */
  published: z.boolean(),
  reason: z.string(),
  because: z.string().exactOptional(),
  /** The agent's last message, shortened. */
  output: z.string().exactOptional(),
  failing: z.int().exactOptional(),
  lines: z.int().exactOptional(),
  paths: z.array(z.string()).exactOptional(),
  iterations: z.int(),
  usd: z.number(),
  tokens: z.number(),
});

const note = z.object({ at: z.string(), by: z.string(), text: z.string() });

const day = z.object({
  /** In UTC, such as `2026-11-22`. */
  day: z.string(),
  usd: z.number(),
  tokens: z.number(),
  /** In US dollars, by the person who started the runs. */
  people: z.record(z.string(), z.number()),
});

const record = z.object({
  v: z.literal(1),
  /** The branch that all attempts publish to. */
  goal: z.string(),
  /** Oldest first. */
  attempts: z.array(attempt),
  notes: z.array(note),
  spent: z.array(day),
  /** What the runs of the open pull request have cost, in US dollars. */
  pull: z.object({ number: z.int(), usd: z.number() }).exactOptional(),
  /** The open issue that reports the failed attempts. */
  issue: z.int().exactOptional(),
  /** The run that works on the goal now. */
  claim: z
    .object({
      run: z.string(),
      at: z.string(),
      job: z.object({ run: z.int(), attempt: z.int() }).exactOptional(),
      /** Identifies the text of its workflow. */
      file: z.string().exactOptional(),
      /** Keys of the open items on the pull request that the run works on; they count as used once it has ended. */
      keys: z.array(z.string()).exactOptional(),
    })
    .exactOptional(),
  /** Keys of items that attempts have worked on: they are no reason for another attempt. */
  used: z.array(z.string()).exactOptional(),
});

/** The record of a goal across its runs; its size is bounded. */
export type GoalRecord = z.infer<typeof record>;
export type PastAttempt = z.infer<typeof attempt>;
export type GoalNote = z.infer<typeof note>;

export const emptyRecord = (goal: string): GoalRecord => ({
  v: 1,
  goal,
  attempts: [],
  notes: [],
  spent: [],
});

/** Parses the content of the goal's ref; throws if it is not the record of this goal. */
export function readRecord(text: string, goal: string): GoalRecord {
  const parsed = record.safeParse(parseJson(text), { jitless: true });
  if (!parsed.success)
    throw new Error(
      `its record was written by another version. To start again, without its notes and its spent budget, \`git push origin --delete refs/until-green/goals/${goal}\`; its branch and its pull request stay`,
    );
  if (parsed.data.goal !== goal) throw new Error(`its record is that of another goal, ${parsed.data.goal}`);
  return parsed.data;
}

const most = { attempts: 30, notes: 20, days: 40, paths: 20, text: 500, used: 200 } as const;

/** Adds an ended attempt to the record, or updates one that was recorded before; releases the claim of its run. */
export function withAttempt(record: GoalRecord, ended: PastAttempt, pull?: number): GoalRecord {
  const { claim, ...kept } = record;
  const { paths, because, output } = ended;
  const cut = (text: string) => (text.length > most.text ? `${text.slice(0, most.text - 1)}…` : text);
  const fitted = {
    ...ended,
    ...(because === undefined ? {} : { because: cut(because) }),
    ...(output === undefined ? {} : { output: cut(output) }),
    ...(paths === undefined ? {} : { paths: paths.slice(0, most.paths).map((path) => cut(path)) }),
  };
  const earlier = kept.attempts.find(({ run }) => run === ended.run) ?? nothing;
  const more = { ...ended, usd: ended.usd - earlier.usd, tokens: ended.tokens - earlier.tokens };
  // Only one attempt's work is on the branch: the last that was published.
  const before = kept.attempts
    .filter((one) => one !== earlier)
    .map((one) => (ended.published ? { ...one, published: false } : one));
  const spentOn = kept.pull?.number === pull ? (kept.pull?.usd ?? 0) : 0;
  const isOwn = claim?.run === ended.run;
  return {
    ...(isOwn && claim.keys !== undefined ? withUsed(kept, claim.keys) : kept),
    ...(claim === undefined || isOwn ? {} : { claim }),
    attempts: [...before, fitted].slice(-most.attempts),
    spent: withSpent(kept.spent, more),
    ...(pull === undefined ? {} : { pull: { number: pull, usd: spentOn + more.usd } }),
  };
}

const nothing = { usd: 0, tokens: 0 };

function withSpent(spent: GoalRecord["spent"], { at, by, usd, tokens }: PastAttempt): GoalRecord["spent"] {
  const day = dayOf(at);
  const before = spent.find((one) => one.day === day) ?? { day, usd: 0, tokens: 0, people: {} };
  const people =
    by === undefined ? before.people : { ...before.people, [by]: (before.people[by] ?? 0) + usd };
  const today = { day, usd: before.usd + usd, tokens: before.tokens + tokens, people };
  return [...spent.filter((one) => one.day !== day), today].slice(-most.days);
}

/** Adds a lost run to the record: its cost counts, and the items it worked on stay open. */
export function withLost(record: GoalRecord, lost: PastAttempt, pull?: number): GoalRecord {
  const { claim, ...kept } = record;
  return withAttempt(claim?.run === lost.run ? kept : record, lost, pull);
}

/** Marks items of the pull request as worked on. */
export const withUsed = (record: GoalRecord, keys: readonly string[]): GoalRecord => ({
  ...record,
  used: [...new Set([...(record.used ?? []), ...keys])].slice(-most.used),
});

export const dayOf = (at: string): string => at.slice(0, 10);

/** Adds a note of the agent or of a person to the record; drops the oldest if there are too many. */
export function withNote(record: GoalRecord, { at, by, text }: GoalNote): GoalRecord {
  const short = text.trim().replace(/\s+/g, " ").slice(0, most.text);
  if (short === "" || record.notes.some((one) => one.text === short)) return record;
  return { ...record, notes: [...record.notes, { at, by, text: short }].slice(-most.notes) };
}

/** The number of failed attempts since the last green one. Cancelled attempts do not count. */
export const failuresOf = ({ attempts }: GoalRecord): number =>
  attempts
    .slice(attempts.findLastIndex(({ green }) => green) + 1)
    .filter(({ reason }) => reason !== "cancelled").length;

/** The attempts as text for a prompt, the newest last. */
export const historyOf = ({ attempts }: GoalRecord): string => attempts.slice(-10).map(lineOf).join("\n");

function lineOf(one: PastAttempt): string {
  const tests = one.failing === undefined ? "" : `, ${one.failing} tests failing`;
  const what =
    one.paths === undefined || one.paths.length === 0 ? "" : `, changed ${one.paths.slice(0, 10).join(", ")}`;
  const why = one.because === undefined ? "" : `: ${oneLine(one.because)}`;
  const kept = one.published ? " (its work is on the branch)" : "";
  return `- ${dayOf(one.at)} ${one.green ? "green" : `red, ${one.reason}`}${tests}${what}${kept}${why}`;
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").slice(0, 300);

/** The notes as text for a prompt, the oldest first. */
export const notesOf = ({ notes }: GoalRecord): string =>
  notes.map(({ by, text }, at) => `${at + 1}. ${text} (${by})`).join("\n");
