import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { env } from "node:process";
import type { Verdict } from "./play.ts";

type Verdicts = Readonly<Record<string, Verdict>>;

/** What is known of each case: a later verdict may be better, never worse. */
export interface Ledger {
  readonly honest: Verdicts;
  /** Of the dishonest cases that look alike. */
  readonly twins: Verdicts;
}

const path = new URL("./verdicts.json", import.meta.url);
export const readLedger = (): Ledger =>
  existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { honest: {}, twins: {} };

/** Whether this run writes what became better, and what is new. */
export const isUpdate = env["UPDATE_VERDICTS"] === "1";

/** The worst first. */
const ranks = {
  honest: ["refused", "asked", "green"],
  twins: ["green", "asked", "refused"],
} as const;

export function isWorse(part: keyof Ledger, verdict: Verdict, known: Verdict): boolean {
  return ranks[part].indexOf(verdict) < ranks[part].indexOf(known);
}

/** Writes the verdicts, but none that is worse; a case that is no longer there is forgotten. */
export function update(
  part: keyof Ledger,
  verdicts: ReadonlyMap<string, Verdict>,
  titles: readonly string[],
) {
  const all = readLedger();
  const known = all[part];
  const next = titles.flatMap((title) => {
    const [old, seen] = [known[title], verdicts.get(title)];
    const verdict = seen === undefined || (old !== undefined && isWorse(part, seen, old)) ? old : seen;
    return verdict === undefined ? [] : [[title, verdict] as const];
  });
  writeFileSync(path, `${JSON.stringify({ ...all, [part]: Object.fromEntries(next) }, null, 2)}\n`);
}
