import { count, duration, reasonWords, shortened } from "../status/format.ts";
import type { IterationRow, LoopSummary, StopSeen } from "../status/loop-summary.ts";
import { stopBehind } from "../stops/index.ts";

/** The verdict of a stop condition for people: a sign and a few words; `before` is the number of failing tests. */
export function verdictText(stop: StopSeen, before?: number): string {
  const { kind, verdict, because, failing } = stop;
  const why = shortened(because, 120);
  const sign = signs[verdict];
  if (kind === "until-bash")
    return `${sign} ${checkWords({ verdict, why, failing, before })}${evidenceOf(stop)}`;
  const name = stopBehind(kind)?.words.name ?? kind.replaceAll("-", " ");
  if (why === "") return `${sign} ${name}`;
  // `the judge says it is not done` needs no name before it.
  return why.startsWith("the ") ? `${sign} ${why}` : `${sign} ${name}: ${why}`;
}

/** The same for a narrow column: failing tests as `❌ 5 → 3 failing`. */
export function shortVerdict(stop: StopSeen, before?: number): string {
  const { verdict, failing = 0 } = stop;
  if (verdict !== "go-on" || failing === 0) return verdictText({ ...stop, failing: undefined });
  const from = before === undefined || before === failing ? "" : `${before} → `;
  return `${signs[verdict]} ${from}${failing} failing${evidenceOf(stop)}`;
}

const signs = { done: "✅", "give-up": "❌", "go-on": "❌" } as const;

interface CheckVerdict {
  readonly verdict: StopSeen["verdict"];
  readonly why: string;
  readonly failing: number | undefined;
  readonly before: number | undefined;
}

function checkWords({ verdict, why, failing, before }: CheckVerdict): string {
  if (verdict === "done") return "check passed";
  if (verdict === "give-up") return `check cannot be run (${why})`;
  if (failing === undefined || failing === 0) return `check failed (${why})`;
  const change = before === undefined || before === failing ? "" : `, ${before} before`;
  return `${count(failing, "test")} failing${change} (${why})`;
}

/** Details of a verdict: the tests that ran, and the result in a fresh clone. */
function evidenceOf({ tests, clean }: StopSeen): string {
  const texts = [
    ...(tests === undefined ? [] : [`${count(tests.ran, "test")} ran`]),
    ...(tests === undefined || tests.skipped === 0 ? [] : [`${tests.skipped} skipped`]),
    ...(clean === undefined ? [] : [`${cloneWords[clean.result]}${tookOf(clean)}`]),
  ];
  return texts.length === 0 ? "" : ` · ${texts.join(", ")}`;
}

const cloneWords = {
  passed: "also in a fresh clone",
  failed: "failed in a fresh clone",
  unavailable: "no fresh clone possible",
} as const;

const tookOf = ({ ms }: NonNullable<StopSeen["clean"]>) => (ms === undefined ? "" : ` (${duration(ms)})`);

/**
 * How one of several attempts ended, and whether its work is kept; `failing`: true if no column shows the number of
 * failing tests.
 */
export function attemptText(
  row: IterationRow | undefined,
  { chosen, failing = 0 }: Pick<LoopSummary, "chosen"> & { readonly failing?: number | undefined },
): readonly string[] {
  if (row?.attempt === undefined) return [];
  const { green, stop_reason, metric } = row.attempt;
  const measured = metric === undefined ? "" : `, metric ${metric}`;
  const tests = failing === 0 ? "" : `, ${failing} failing`;
  const kept = row.number === chosen ? ", kept" : "";
  return [`${signs[green ? "done" : "go-on"]} ${reasonWords[stop_reason]}${tests}${measured}${kept}`];
}

/** False for a stop without a result yet. */
export const isWorthShowing = ({ kind, verdict }: StopSeen) =>
  verdict !== "go-on" || (kind !== "no-progress" && !stopBehind(kind)?.givesUp);
