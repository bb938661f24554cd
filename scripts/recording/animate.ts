import type { Row } from "./terminal.ts";

/** A screen and how long it was shown, in milliseconds. */
export interface Frame {
  readonly rows: readonly Row[];
  readonly ms: number;
}

const size = { width: 8.4, height: 18, margin: 14, bar: 30 };

/** Frames of a terminal as one SVG that plays in a loop, without a script. */
export function animate(frames: readonly Frame[], columns: number, height: number): string {
  const width = Math.round(columns * size.width + 2 * size.margin);
  const tall = height * size.height + size.margin + size.bar;
  const whole = frames.reduce((sum, { ms }) => sum + ms, 0);
  let passed = 0;
  const steps = frames.map(({ ms }, at) => {
    const percent = ((passed / whole) * 100).toFixed(3);
    passed += ms;
    return `${percent}%{transform:translateX(-${at * width}px)}`;
  });
  const ids = new Map<string, string>();
  const idOf = (row: Row): string | undefined => {
    const drawn = textOf(row);
    if (drawn === "") return undefined;
    const id = ids.get(drawn) ?? `r${ids.size}`;
    ids.set(drawn, id);
    return id;
  };
  const shown = frames.map(({ rows }, at) => {
    const uses = rows.map((row, line) => {
      const id = idOf(row);
      const y = size.bar + (line + 1) * size.height;
      return id === undefined ? "" : `<use href="#${id}" x="${at * width + size.margin}" y="${y}"/>`;
    });
    return uses.join("");
  });
  const defs = [...ids].map(([drawn, id]) => `<text id="${id}">${drawn}</text>`).join("\n");
  const last = `.s{animation:none;transform:translateX(-${(frames.length - 1) * width}px)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${tall}" width="${width}" height="${tall}" role="img" aria-label="A terminal: a loop fixes five failing tests in four iterations and ends green">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;fill:#e6edf3;white-space:pre}
.bold{font-weight:600}.dim{fill:#9198a1}.red{fill:#ff7b72}.green{fill:#56d364}.yellow{fill:#e3b341}
.s{animation:play ${Math.round(whole)}ms steps(1,end) infinite}
@keyframes play{${steps.join("")}}
@media (prefers-reduced-motion:reduce){${last}}</style>
<rect width="${width}" height="${tall}" rx="8" fill="#0d1117"/>
<g fill="#484f58"><circle cx="18" cy="16" r="5"/><circle cx="36" cy="16" r="5"/><circle cx="54" cy="16" r="5"/></g>
<defs>
${defs}
</defs>
<g class="s">${shown.join("\n")}</g>
</svg>
`;
}

/** Adjacent cells with the same style form one span. */
function textOf(row: Row): string {
  const spans: { text: string; style: string }[] = [];
  for (const { text, style } of row) {
    const last = spans.at(-1);
    if (last?.style === style) last.text += text;
    else spans.push({ text, style });
  }
  return spans
    .map(({ text, style }) =>
      style === "" ? escaped(text) : `<tspan class="${style}">${escaped(text)}</tspan>`,
    )
    .join("")
    .trimEnd();
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
