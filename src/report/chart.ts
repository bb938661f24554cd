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
  // Below 10 the axis would count in halves.
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
 * The default line is so pale that nobody sees it: this red stands out on GitHub's light and dark ground, which show
 * through, as the default ground by night is a grey box.
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

/** Beyond these the labels of the axis run into each other. */
const mostPoints = 30;

const known = (values: readonly (number | undefined)[]) => values.filter((value) => value !== undefined);
