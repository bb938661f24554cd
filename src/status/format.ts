import type { Diff } from "../engine/event-parts.ts";
import type { StopReason } from "../engine/run-events.ts";
import type { Usage } from "../ports/agent.ts";
import { type StopKind, stops } from "../stops/index.ts";

const stopWords = Object.fromEntries(
  Object.entries(stops).map(([kind, { words }]) => [kind, words.ended]),
) as Readonly<Record<StopKind, string>>;

/** A stop reason as the end of a sentence about the run. */
export const reasonWords: Readonly<Record<StopReason, string>> = {
  ...stopWords,
  approved: "a person approved",
  "iterations-done": "all iterations ran",
  completed: "everything ran",
  "nothing-to-do": "the check was already green, or no iteration was better than the start",
  "not-selected": "no node was selected",
  gate: "waiting for approval",
  requested: "a person asked for it; resume it to continue",
  "time-limit": "out of time; resume it to continue",
  "rate-limit": "the provider's rate limit; it continues later",
  outage: "the provider is not available; it continues later",
  "max-iterations": "the iteration limit was reached",
  "no-progress": "no progress",
  budget: "the budget is used up",
  "check-unevaluable": "the check itself is broken",
  tampered: "protected files were changed",
  "agent-error": "the agent failed",
  idle: "the agent fell silent",
  timeout: "it took too long",
  "node-failed": "a node failed",
  rejected: "a person rejected it",
  internal: "until-green could not continue",
  cancelled: "it was cancelled",
};

/** The same for a recorded reason, which may come from a newer version. */
export const wordsOfReason = (reason: string): string =>
  (reasonWords as Readonly<Partial<Record<string, string>>>)[reason] ?? reason;

/** `1 file`, `2 files`. */
export const count = (number: number, noun: string) =>
  `${withThousandsSeparators(number)} ${noun}${number === 1 ? "" : "s"}`;

/** A whole number with thousands separators: `12,345`. Intl would load all locales first, which takes 20 ms. */
export const withThousandsSeparators = (number: number) =>
  String(number).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ",");

/** A duration for people: `0.4 s`, `41 s`, `4 m 12 s`, `2 h 5 m`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return "?";
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}

/** Tokens, input plus output: `950`, `12.3k`, `2.1M`; empty for none. */
export function tokens(usage: Usage): string {
  const all = usage.input_tokens + usage.output_tokens;
  if (all === 0) return "";
  if (all < 1_000) return String(all);
  return all < 999_950 ? `${(all / 1_000).toFixed(1)}k` : `${(all / 1_000_000).toFixed(1)}M`;
}

/** US dollars; empty for none, and never rounded to zero. */
export function money(usage: Usage): string {
  if (usage.cost_usd === 0) return "";
  return usage.cost_usd < 0.005 ? `$${usage.cost_usd.toFixed(4)}` : `$${usage.cost_usd.toFixed(2)}`;
}

/** What an iteration changed: `2 files +10 −3`. */
export function changes(diff: Diff | undefined): string {
  if (diff === undefined) return "";
  if (diff.files === 0) return "nothing";
  return `${count(diff.files, "file")} +${diff.added} −${diff.removed}`;
}

/** At most this many characters; cuts the middle and marks the cut. */
export function truncate(text: string, most: number): string {
  if (text.length <= most) return text;
  const sign =
    most > 200 ? `\n… ${withThousandsSeparators(text.length - most)} characters left out …\n` : "…";
  const room = Math.max(0, most - sign.length);
  const head = Math.ceil(room / 2);
  return (text.slice(0, head) + sign + text.slice(text.length - (room - head))).toWellFormed();
}

/** Breaks long lines at spaces, because code blocks on GitHub do not wrap. A quoted line stays quoted. */
export function collapsible(text: string): string {
  return text.split("\n").map(foldedLine).join("\n");
}

/** The number of characters that fit on a line of a comment. */
const widest = 100;

function foldedLine(line: string): string {
  if (line.length <= widest) return line;
  const [indent = ""] = /^(?:> ?){0,3} {0,8}(?:[-*] )?/.exec(line) ?? [];
  const rows = [indent];
  for (const word of line.slice(indent.length).split(/ (?=\S)/)) {
    const row = rows.at(-1) ?? "";
    if (row.length + word.length < widest || row.length <= indent.length)
      rows[rows.length - 1] = joined(row, word, indent);
    else rows.push(indent.replace(/[-*]/, " ") + word);
  }
  return rows.join("\n");
}

const joined = (row: string, word: string, indent: string) =>
  row.length <= indent.length ? row + word : `${row} ${word}`;

/** At most this many characters; cuts the end. */
export const shortened = (text: string, most: number) =>
  text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`.toWellFormed();
