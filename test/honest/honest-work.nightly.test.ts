import { env } from "node:process";
import { beforeAll, describe, expect, test } from "vitest";
import { sampled } from "../parts/sample.ts";
import type { Case } from "./case.ts";
import { kinds } from "./kinds/index.ts";
import { isUpdate, isWorse, type Ledger, readLedger, update } from "./ledger.ts";
import { canPlay, each, isFixedBy, play, type Result, type Verdict } from "./play.ts";
import { table } from "./table.ts";
import { twins } from "./twins/index.ts";

// HONEST=pytest plays the cases with that word in their kind or title, and says why; UPDATE_VERDICTS=1 writes the
// ledger, after each check was seen to be red before the work and green after it.
const wanted = new RegExp(env["HONEST"] ?? "", "i");
const ledger = readLedger();
const atOnce = Number(env["HONEST_AT_ONCE"] ?? 4);

describe.each([
  ["honest", kinds, 250],
  ["twins", twins, 20],
] as const)("%s", (part, cases, least) => {
  const all = Object.entries(cases).flatMap(([kind, rows]) => rows.map((one) => ({ ...one, kind })));
  // A sample plays one of three neighbours.
  const places = new Map(all.map((one, at) => [one, Math.floor(at / 3)]));
  const played = sampled(
    all.filter((one) => wanted.test(`${one.kind}: ${one.title}`) && canPlay(one)),
    (one) => `${part} ${places.get(one)}`,
  );
  const results = new Map<string, Result>();
  const seconds = new Map<string, number>();
  const broken: string[] = [];

  beforeAll(async () => {
    await each(played, atOnce, async (one) => {
      if (isUpdate || part === "twins") await noteIfBroken(one, broken);
      const begun = performance.now();
      results.set(one.title, await play(one));
      seconds.set(one.title, (performance.now() - begun) / 1000);
    });
    const verdicts = new Map([...results].map(([title, { verdict }]) => [title, verdict]));
    const titles = all.map(({ title }) => title);
    if (isUpdate) update(part, verdicts, titles);
    process.stdout.write(
      `\n${table(part, cases, verdicts)}\n\n${slowest(seconds)}\n${env["HONEST"] === undefined ? "" : reasons(results)}`,
    );
  }, 1_800_000);

  test(`there are at least ${least} cases, each with a title of its own`, () => {
    expect(all.length).toBeGreaterThanOrEqual(least);
    expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
  });

  test("the ledger has no other cases", () => {
    const titles = new Set(all.map(({ title }) => title));
    expect(Object.keys(readLedger()[part]).filter((title) => !titles.has(title))).toEqual([]);
  });

  test("the check of each case is red before the work and green after it", () => {
    expect(broken).toEqual([]);
  });

  test.each(played)("$kind: $title", ({ title }) => {
    expect(judged(part, title, results.get(title))).toBe("as the ledger says");
  });
});

async function noteIfBroken(one: Case, broken: string[]) {
  const fault = await isFixedBy(one);
  if (fault !== "") broken.push(`${one.title}: ${fault}`);
}

const slowest = (seconds: ReadonlyMap<string, number>) =>
  [...seconds]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 8)
    .map(([title, took]) => `${took.toFixed(1)} s  ${title}`)
    .join("\n");

/** Of the cases that somebody picked: what the loop said against them. */
const reasons = (results: ReadonlyMap<string, Result>) =>
  [...results].map(([title, { verdict, because }]) => `${verdict}  ${title}: ${because}\n`).join("");

/** What is to be done about a verdict, in words that a failing test shows. */
function judged(part: keyof Ledger, title: string, result: Result | undefined): string {
  const known: Verdict | undefined = ledger[part][title];
  if (result === undefined) return "it did not end";
  const { verdict, because } = result;
  if (known !== undefined && isWorse(part, verdict, known))
    return `worse: ${verdict}, it was ${known} (${because})`;
  if (verdict === known || isUpdate) return "as the ledger says";
  return `not as in the ledger: ${verdict}, there ${known} (${because}); UPDATE_VERDICTS=1 writes it`;
}
