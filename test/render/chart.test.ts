import { expect, test } from "vitest";
import { lineChart, sparkline } from "../../src/render/chart.ts";

test.each([
  [[8, 4, 2, 0], "█▅▃▁"],
  [[0, 0], "▁▁"],
  [[100, 1], "█▂"],
  [[3, undefined, 0], "█·▁"],
  [[], ""],
])("draws %j as %s", (values, line) => {
  expect(sparkline(values)).toBe(line);
});

test("draws a line chart that GitHub shows", () => {
  const points = [
    { label: "1", value: 12 },
    { label: "2", value: undefined },
    { label: "3", value: 0 },
  ];
  expect(lineChart("Failing tests", points)).toMatchInlineSnapshot(`
    "\`\`\`mermaid
    ---
    config:
      xyChart:
        width: 700
        height: 260
      themeVariables:
        xyChart:
          backgroundColor: 'transparent'
          plotColorPalette: '#d1242f'
    ---
    xychart-beta
      title "Failing tests"
      x-axis ["1", "3"]
      y-axis 0 --> 12
      line [12, 0]
    \`\`\`"
  `);
});

test("draws nothing where there is no line", () => {
  expect(lineChart("Failing tests", [{ label: "1", value: 3 }])).toBe("");
});
