import { toArray } from "../status/bounded-list.ts";
import { changes, count, duration, money, shortened, tokens } from "../status/format.ts";
import type { IterationRow, LoopSummary } from "../status/loop-summary.ts";
import type { NodeTime, RunDetails } from "../status/run-details.ts";
import { inHtml } from "./escape.ts";
import { quoteHtml } from "./html-quote.ts";
import { isWorthShowing, verdictText } from "./verdict-text.ts";

/** What a report shows of each iteration. */
export interface ReportDetails extends RunDetails {
  /** The changes of each iteration as a unified diff, by path. */
  readonly diffs: ReadonlyMap<string, string>;
}

/**
 * The iterations of a loop, each with the agent's message, its changes and the end of the check's output; all but the
 * last folded.
 */
export function iterationParts(loop: LoopSummary, details: ReportDetails): string {
  const rows = toArray(loop.rows);
  return rows
    .map((row, at) => iterationPart(row, { loop, details, isLast: at === rows.length - 1 }))
    .join("\n");
}

interface ReportedIteration {
  readonly loop: LoopSummary;
  readonly details: ReportDetails;
  readonly isLast: boolean;
}

function iterationPart(row: IterationRow, { loop, details, isLast }: ReportedIteration): string {
  const path = `${loop.path}#${row.number}`;
  const { reply = "", tail = "" } = details.iterations.get(path) ?? {};
  const diff = details.diffs.get(path) ?? "";
  const name =
    row.item === undefined ? `Iteration ${row.number}` : `${row.number}. ${shortened(row.item, 80)}`;
  const facts = [
    ...row.stops.filter(isWorthShowing).map((stop) => verdictText(stop)),
    changes(row.diff) === "nothing" ? "no files changed" : changes(row.diff),
    row.durationMs === undefined ? "" : duration(row.durationMs),
    tokens(row.usage) === "" ? "" : `${tokens(row.usage)} tokens`,
    money(row.usage),
  ].filter((fact) => fact !== "");
  return `<details class="iteration"${isLast ? " open" : ""}><summary><b>${inHtml(name)}</b> <span class="facts">${inHtml(facts.join(" · "))}</span></summary>
${reply === "" ? "" : quoteHtml(reply)}
${diff === "" ? "" : `<h4>Changes</h4>${diffPart(diff)}`}
${tail === "" ? "" : tailPart(tail, row)}
</details>`;
}

/** Unfolded if the check failed; the last lines of a passing check are rarely useful. */
function tailPart(tail: string, { stops }: IterationRow): string {
  const shown = `<pre>${inHtml(tail)}</pre>`;
  return stops.some(({ verdict }) => verdict === "done")
    ? `<details class="tail"><summary>Last lines of the check</summary>${shown}</details>`
    : `<h4>Last lines of the check</h4>${shown}`;
}

const mostLines = 400;

/** A unified diff with coloured lines, truncated if long. */
function diffPart(diff: string): string {
  const lines = diff.trimEnd().split("\n");
  const shown = lines.slice(0, mostLines).map((line) => `<span${kindOf(line)}>${inHtml(line) || " "}</span>`);
  const left = lines.length - shown.length;
  const more = left > 0 ? `<span class="faint">… ${count(left, "line")} more</span>` : "";
  return `<pre class="diff">${shown.join("")}${more}</pre>`;
}

function kindOf(line: string): string {
  if (/^(diff |index |--- |\+\+\+ |new file|deleted file|similarity|rename)/.test(line))
    return ' class="head"';
  if (line.startsWith("@@")) return ' class="hunk"';
  return line.startsWith("+") ? ' class="add"' : line.startsWith("-") ? ' class="del"' : "";
}

/** When each node ran, as bars one under the other; nothing for a single node. */
export function timelinePart(nodes: readonly NodeTime[]): string {
  if (nodes.length < 2) return "";
  const whole = Math.max(1, ...nodes.map(({ to }) => to));
  const rows = nodes.slice(0, mostBars).map(({ label, status, from, to }) => {
    const left = ((from / whole) * 100).toFixed(2);
    const width = Math.max(0.5, ((to - from) / whole) * 100).toFixed(2);
    return `<div class="lane"><span>${inHtml(shortened(label, 40))}</span><i><b class="${status}" style="left:${left}%;width:${width}%"></b></i><time>${duration(to - from)}</time></div>`;
  });
  const more = nodes.length > mostBars ? `<p class="facts">… ${nodes.length - mostBars} more</p>` : "";
  return `<section><h2>Timeline</h2>\n${rows.join("\n")}${more}</section>`;
}

const mostBars = 40;

export const detailStyle = `
.iteration { border: 1px solid var(--line); border-radius: 6px; padding: .5rem .9rem; margin: .6rem 0; }
.iteration h4, .tail { margin: .8rem 0 .3rem; font-size: .85rem; color: var(--faint); } .tail pre { color: var(--ink); }
blockquote p { margin: .4rem 0; } blockquote { margin: .6rem 0; padding: .1rem 1rem; border-left: 3px solid var(--line); overflow-wrap: anywhere; }
.diff span { display: block; white-space: pre-wrap; overflow-wrap: anywhere; padding: 0 .5rem; }
.diff .add { background: light-dark(#dafbe1, #12261e); } .diff .del { background: light-dark(#ffebe9, #25171c); }
.diff .hunk, .diff .head, .faint { color: var(--faint); }
.lane { display: grid; grid-template-columns: 10rem 1fr 5rem; gap: .75rem; align-items: center; font-size: .85rem; margin: .2rem 0; }
.lane span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.lane i { position: relative; height: .9rem; background: var(--panel); border-radius: 3px; }
.lane b { position: absolute; top: 0; bottom: 0; border-radius: 3px; background: light-dark(#1f883d, #3fb950); }
.lane b.failed, .lane b.cancelled { background: var(--bar); } .lane b.running { background: #bf8700; }
.lane b.skipped { background: var(--faint); } .lane time { text-align: right; font-variant-numeric: tabular-nums; }
@media print { details:not([open]) > *:not(summary) { display: block; } details::details-content { content-visibility: visible; block-size: auto; }
  body { font-size: 11pt; } main { max-width: none; padding: 0; } pre { font-size: 8pt; padding: .4rem .6rem; }
  summary, h1, h2, h4 { break-after: avoid; } tr, .lane, .diff span { break-inside: avoid; } .iteration { border-width: 1px 0 0; padding: .5rem 0; } }
td { white-space: nowrap; } td:not(.right) { white-space: normal; min-width: 8em; }
@media (max-width: 40rem) { th, td { padding: .35rem .4rem; } td:not(.right) { min-width: 4.5em; } .iteration { padding: .5rem .6rem; } .lane { grid-template-columns: 6rem 1fr 4rem; } }
`;
