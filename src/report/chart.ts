/** Numbers as one line of blocks, higher for more; a dot where a number is missing. */
export function sparkline(values: readonly (number | undefined)[]): string {
  const most = Math.max(1, ...known(values));
  return values.map((value) => (value === undefined ? "·" : block(value / most))).join("");
}

const blocks = "▁▂▃▄▅▆▇█";

/** Nothing but zero is as low as zero. */
function block(share: number): string {
  const step = share <= 0 ? 0 : Math.max(1, Math.round(share * (blocks.length - 1)));
  return blocks[Math.min(step, blocks.length - 1)] ?? "";
}

export interface Point {
  readonly label: string;
  readonly value: number | undefined;
}

/** A line chart as a Mermaid block, which GitHub draws; empty with fewer than two numbers. */
export function lineChart(title: string, points: readonly Point[]): string {
  const drawn = points.filter((point) => point.value !== undefined).slice(-mostPoints);
  if (drawn.length < 2) return "";
  const top = Math.max(1, ...known(drawn.map((point) => point.value)));
  return [
    "```mermaid",
    "xychart-beta",
    `  title "${title}"`,
    `  x-axis [${drawn.map((point) => `"${point.label}"`).join(", ")}]`,
    `  y-axis 0 --> ${top}`,
    `  line [${drawn.map((point) => point.value).join(", ")}]`,
    "```",
  ].join("\n");
}

/** Beyond these the labels of the axis run into each other. */
const mostPoints = 30;

const known = (values: readonly (number | undefined)[]) => values.filter((value) => value !== undefined);
