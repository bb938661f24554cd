/** Numbers as one line of block characters, higher for more; a dot for a missing number. */
export function sparkline(values: readonly (number | undefined)[]): string {
  const most = Math.max(1, ...known(values));
  return values.map((value) => (value === undefined ? "·" : block(value / most))).join("");
}

const blocks = "▁▂▃▄▅▆▇█";

/** Only zero gets the lowest block. */
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
  // Below 10, the axis would have fractional labels.
  const top = Math.max(10, ...known(drawn.map((point) => point.value)));
  return [
    "```mermaid",
    ...look,
    "xychart-beta",
    `  title "${title}"`,
    `  x-axis [${drawn.map((point) => `"${point.label}"`).join(", ")}]`,
    `  y-axis 0 --> ${top}`,
    `  line [${drawn.map((point) => point.value).join(", ")}]`,
    "```",
  ].join("\n");
}

/**
 * The default line is hard to see. This red is visible on GitHub's light and dark backgrounds. The background is
 * transparent because the default is a grey box in dark mode.
 */
const look = [
  "---",
  "config:",
  "  xyChart:",
  "    width: 700",
  "    height: 260",
  "  themeVariables:",
  "    xyChart:",
  "      backgroundColor: 'transparent'",
  "      plotColorPalette: '#d1242f'",
  "---",
];

/** With more, the labels of the axis overlap. */
const mostPoints = 30;

const known = (values: readonly (number | undefined)[]) => values.filter((value) => value !== undefined);
