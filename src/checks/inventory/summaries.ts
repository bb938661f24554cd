import { tools } from "../tools/index.ts";
import { type Counts, type CountsWithTotal, type Summary, sum } from "../tools/printed.ts";
import type { Tool } from "../tools/tool.ts";

/** A test runner with a summary. */
export interface Runner extends Pick<Tool, "called" | "tests" | "files"> {
  /** Its name in events. */
  readonly runner: string;
  readonly summary: Summary;
  /** Ids of the tools that print it. */
  readonly ids: readonly string[];
}

/** All of them; what one has matched is hidden from later ones. */
export const runners: readonly Runner[] = [
  ...Map.groupBy(
    tools.filter((tool) => tool.summary !== undefined),
    ({ summary }) => summary,
  ),
].flatMap(([printed, same]) => {
  const [tool] = same;
  if (tool === undefined || printed === undefined) return [];
  const summary = printed instanceof RegExp ? { line: printed } : printed;
  return [{ ...tool, runner: tool.runner ?? tool.id, summary, ids: same.map(({ id }) => id) }];
});

export const add = (one: Counts, other: Counts): Counts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
});

interface ReadSummaries {
  /** The counts of each summary, in order. */
  readonly all: readonly Counts[];
  /** True if all of them count only failures: nobody knows how many tests ran. */
  readonly onlyFailures: boolean;
  /** The text without them. */
  readonly rest: string;
}

/** The summaries of one kind in a text. */
export function readSummaries(text: string, summary: Summary): ReadSummaries {
  const all: Counts[] = [];
  let onlyFailures = true;
  const rest = text.replace(summary.line, (match: string, ...found: readonly unknown[]) => {
    const last = found.at(-1);
    const groups = typeof last === "object" && last !== null ? (last as Groups) : {};
    const counts = countsIn(match, groups, summary);
    onlyFailures &&= "failed" in counts && !("passed" in counts) && !("total" in counts);
    const whole = { total: 0, passed: 0, failed: 0, skipped: 0, ...counts };
    all.push(completed(summary.adjust === undefined ? counts : summary.adjust(whole)));
    return "";
  });
  return { all, onlyFailures, rest };
}

type Groups = Readonly<Record<string, string | undefined>>;

const kinds = ["passed", "failed", "skipped"] as const;

/** The numbers that a summary has. */
function countsIn(text: string, groups: Groups, summary: Summary): Partial<CountsWithTotal> {
  const counts: { -readonly [Kind in keyof CountsWithTotal]?: number } = {};
  for (const [name, digits] of Object.entries(groups)) {
    const kind = name.replace(/\d+$/, "") as keyof CountsWithTotal;
    if (digits !== undefined) counts[kind] = (counts[kind] ?? 0) + Number(digits);
  }
  for (const kind of ["total", ...kinds] as const) {
    const pattern = patternOf(kind, summary);
    if (pattern !== undefined && text.search(pattern) >= 0) counts[kind] = sum(text, pattern);
  }
  return counts;
}

function patternOf(kind: keyof CountsWithTotal, summary: Summary): RegExp | undefined {
  if (kind === "total" || summary[kind] !== undefined) return summary[kind];
  const at = kinds.indexOf(kind);
  const [word, label] = [summary.words?.[at], summary.labels?.[at]];
  if (word) return new RegExp(`(\\d+) +(?:${word})\\b`, "g");
  return label ? new RegExp(`\\b(?:${label})[:=]\\s*(\\d+)`, "gi") : undefined;
}

/** If a tool reports only a total, computes the number of passed tests. */
function completed({ total, passed, failed = 0, skipped = 0 }: Partial<CountsWithTotal>): Counts {
  return { passed: passed ?? Math.max(0, (total ?? failed + skipped) - failed - skipped), failed, skipped };
}
