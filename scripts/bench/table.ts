import type { Row } from "./bench.ts";
import { times } from "./figures.ts";

const titles = ["what", "figure", "reference", "ratio", "goal", ""] as const;

/** Prints the rows as a Markdown table with aligned columns. */
export function print(rows: readonly Row[]): void {
  const cells = [titles, ...rows.map(cellsOf)];
  const widths = titles.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = titles, ...body] = cells;
  console.log([line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n"));
}

/** The rows of several parts, one after the other; a failing part must not prevent the others. */
export async function rowsOfAll<P>(
  parts: Readonly<Record<string, P>>,
  names: readonly string[],
  measure: (part: P, name: string) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const unknown = names.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length > 0)
    throw new Error(`no part ${unknown.join(", ")}; there are ${Object.keys(parts).join(", ")}`);
  const rows: Row[] = [];
  for (const name of names) {
    console.error(`${name} …`);
    try {
      rows.push(...(await measure(parts[name] as P, name)));
    } catch (error) {
      console.error(error);
      rows.push({ what: `${name}: could not be measured`, figure: "" });
    }
  }
  return rows;
}

function cellsOf({ what, figure, reference = "", ratio, goal = "", ok }: Row): readonly string[] {
  const shown = ratio === undefined ? "" : times(ratio);
  return [what, figure, reference, shown, goal, ok === undefined ? "" : ok ? "ok" : "short"];
}
