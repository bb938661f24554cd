import { gateQuestion, missingAnswers } from "./answers.ts";
import type { Point } from "./chart.ts";
import { inHtml } from "./escape.ts";
import { headline, loopStanding, totals } from "./headline.ts";
import { failingPoints, fromTo, iterationTable, type Table } from "./iterations.ts";
import { listed } from "./kept.ts";
import type { LoopSummary } from "./loop-summary.ts";
import { addressed } from "./messages.ts";
import type { Summary } from "./summary.ts";

/** A run as one HTML file that needs nothing else: no script, no font, no image from anywhere. */
export function html(summary: Summary): string {
  const title = inHtml(headline(summary));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${parts(summary, title)
  .filter((part) => part !== "")
  .join("\n")}
</main>
</body>
</html>
`;
}

const style = `
:root { color-scheme: light dark; --ink: light-dark(#1f2328, #e6edf3); --faint: light-dark(#59636e, #9198a1);
  --line: light-dark(#d1d9e0, #3d444d); --ground: light-dark(#ffffff, #0d1117); --panel: light-dark(#f6f8fa, #151b23);
  --bar: light-dark(#cf222e, #f85149); }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, "Liberation Sans", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.facts { color: var(--faint); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .35rem .75rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
.right { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
pre { background: var(--panel); padding: .75rem 1rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
code, pre { font-family: ui-monospace, "Liberation Mono", monospace; font-size: .875em; }
svg { height: 4rem; max-width: 100%; fill: var(--bar); }
.gate { border-left: 4px solid #bf8700; padding-left: 1rem; }
summary { cursor: pointer; }
`;

function parts(summary: Summary, title: string): readonly string[] {
  const because = summary.because === undefined ? "" : `<p>${inHtml(summary.because)}</p>`;
  const agent = summary.agent === undefined ? [] : [`agent <code>${inHtml(summary.agent)}</code>`];
  const facts = [`Run <code>${inHtml(summary.run)}</code>`, ...agent, ...totals(summary)].join(" · ");
  const left = summary.loops.left === 0 ? "" : `<p>… ${summary.loops.left} more loops</p>`;
  return [
    `<h1>${title}</h1>`,
    because,
    `<p class="facts">${facts}</p>`,
    ...gateParts(summary),
    summary.stopReason === "time-limit"
      ? `<p>To go on:</p>\n${pre(`until-green resume ${summary.run}`)}`
      : "",
    ...listed(summary.loops).map((loop) => loopPart(loop, summary.state)),
    left,
    messagePart(summary),
    noticePart(summary),
    summary.output === "" ? "" : `<details><summary>Last output</summary>${pre(summary.output)}</details>`,
  ];
}

const pre = (text: string) => `<pre>${inHtml(text)}</pre>`;

function gateParts(summary: Summary): readonly string[] {
  return summary.gates.map((gate) => {
    const answers = missingAnswers(summary, gate, "terminal");
    const ways = answers.length === 0 ? "" : `<p>Answer with one of:</p>\n${pre(answers.join("\n"))}`;
    return `<section class="gate"><h2>Waiting for a person at <code>${inHtml(gate.path)}</code></h2>
${pre(gateQuestion(gate, summary.run))}
${ways}</section>`;
  });
}

function loopPart(loop: LoopSummary, state: Summary["state"]): string {
  const points = failingPoints(loop);
  const chart = points.length === 0 ? "" : `<p>Failing tests: ${fromTo(points)}</p>\n${bars(points)}`;
  return `<section><h2><code>${inHtml(loop.node)}</code>: ${inHtml(loopStanding(loop, state))}</h2>
<div class="scroll">${tablePart(iterationTable(loop))}</div>
${chart}</section>`;
}

function tablePart(table: Table): string {
  const cells = (tag: "th" | "td", texts: readonly string[]) =>
    texts
      .map((text, at) => {
        const right = table.columns[at]?.align === "right" ? ' class="right"' : "";
        return `<${tag}${right}>${inHtml(text)}</${tag}>`;
      })
      .join("");
  const head = cells(
    "th",
    table.columns.map((column) => column.title),
  );
  const rows = table.rows.map((row) => `<tr>${cells("td", row)}</tr>`).join("\n");
  return `<table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows}\n</tbody>\n</table>`;
}

function bars(points: readonly Point[]): string {
  const top = Math.max(1, ...points.map((point) => point.value ?? 0));
  const bar = ({ label, value = 0 }: Point, at: number) => {
    const height = value === 0 ? 1 : Math.max(2, Math.round((value / top) * 100));
    const tip = `<title>${inHtml(label)}: ${value}</title>`;
    return `<rect x="${at * 10}" y="${100 - height}" width="8" height="${height}">${tip}</rect>`;
  };
  const drawn = points.map((point, at) => (point.value === undefined ? "" : bar(point, at))).join("");
  const box = `width="${points.length * 22}" viewBox="0 0 ${points.length * 10} 100" preserveAspectRatio="none"`;
  return `<svg ${box} role="img" aria-label="Failing tests by iteration: ${fromTo(points)}">${drawn}</svg>`;
}

function messagePart(summary: Summary): string {
  const messages = listed(summary.messages).map(
    (message) => `<li>${inHtml(`${addressed(message)}: ${message.text}`)}</li>`,
  );
  return messages.length === 0 ? "" : `<h2>Messages</h2>\n<ul>\n${messages.join("\n")}\n</ul>`;
}

function noticePart(summary: Summary): string {
  const notices = listed(summary.notices).map((notice) => {
    const place =
      notice.file === undefined ? "" : ` (${[notice.file, notice.line].filter(Boolean).join(":")})`;
    return `<li><code>${inHtml(notice.code)}</code> ${inHtml(notice.message + place)}</li>`;
  });
  return notices.length === 0 ? "" : `<h2>Notices</h2>\n<ul>\n${notices.join("\n")}\n</ul>`;
}
