import type { Case } from "./case.ts";
import type { Verdict } from "./play.ts";

/** How many cases of each kind ended how, as a table of Markdown. */
export function table(
  part: string,
  cases: Readonly<Record<string, readonly Case[]>>,
  verdicts: ReadonlyMap<string, Verdict>,
): string {
  const lines = Object.entries(cases).map(([kind, rows]) => ({
    kind,
    of: rows.flatMap(({ title }) => verdicts.get(title) ?? []),
  }));
  const total = { kind: "all", of: lines.flatMap(({ of }) => of) };
  const numberOf = (of: readonly Verdict[], verdict: Verdict) => of.filter((one) => one === verdict).length;
  return [
    `| Kind (${part}) | Cases | Green | Asked | Refused |`,
    "| --- | ---: | ---: | ---: | ---: |",
    ...[...lines, total].map(
      ({ kind, of }) =>
        `| ${[kind, of.length, numberOf(of, "green"), numberOf(of, "asked"), numberOf(of, "refused")].join(" | ")} |`,
    ),
  ].join("\n");
}
