import { toArray } from "../status/bounded-list.ts";
import { decisionTexts } from "../status/decisions.ts";
import { agentName, headline, loopStatus, totals } from "../status/headline.ts";
import type { LoopSummary } from "../status/loop-summary.ts";
import { addressed } from "../status/messages.ts";
import type { Summary } from "../status/run-summary.ts";
import { titledLoops, titleOf } from "../status/titles.ts";
import type { Point } from "./chart.ts";
import { inHtml } from "./escape.ts";
import { failingCheckOf, failingTestHtml } from "./failing-check.ts";
import { gateAnswers } from "./gate-commands.ts";
import { detailStyle, iterationParts, type ReportDetails, timelinePart } from "./html-details.ts";
import { htmlPage, htmlTable } from "./html-page.ts";
import { quoteHtml } from "./html-quote.ts";
import { failingPoints, fromTo, iterationTable } from "./iterations.ts";
import { reviewHtml } from "./review.ts";

/** A run as one self-contained HTML file: no script, no external font or image. */
export function html(summary: Summary, details: ReportDetails = nothingMore): string {
  const title = headline(summary);
  const body = parts(summary, inHtml(title), details)
    .filter((part) => part !== "")
    .join("\n");
  return htmlPage(title, body, detailStyle);
}

const nothingMore: ReportDetails = { iterations: new Map(), nodes: [], diffs: new Map() };

function parts(summary: Summary, title: string, details: ReportDetails): readonly string[] {
  const because = summary.because === undefined ? "" : `<p>${inHtml(summary.because)}</p>`;
  const agent = summary.agent === undefined ? [] : [`agent <code>${inHtml(agentName(summary.agent))}</code>`];
  const facts = [`Run <code>${inHtml(summary.run)}</code>`, ...agent, ...totals(summary)].join(" · ");
  const left = summary.loops.left === 0 ? "" : `<p>… ${summary.loops.left} more loops</p>`;
  return [
    `<h1>${title}</h1>`,
    because,
    `<p class="facts">${facts}</p>`,
    reviewHtml(summary),
    ...gateParts(summary),
    summary.state === "paused" && summary.stopReason !== "gate"
      ? `<p>To continue:</p>\n${pre(`until-green resume ${summary.run}`)}`
      : "",
    checkPart(summary),
    ...titledLoops(toArray(summary.loops)).map((loop) => loopPart(loop, summary.state, details)),
    left,
    timelinePart(details.nodes),
    decisionPart(summary),
    messagePart(summary),
    noticePart(summary),
    summary.output === ""
      ? ""
      : `<details><summary>Last output</summary>${quoteHtml(summary.output)}</details>`,
  ];
}

const pre = (text: string) => `<pre>${inHtml(text)}</pre>`;

function gateParts(summary: Summary): readonly string[] {
  return summary.gates.map((gate) => {
    const answers = gateAnswers(summary, gate, "terminal");
    const choices = `<p>Answer with one of:</p>\n${pre(answers.join("\n"))}`;
    return `<section class="gate"><h2>Waiting for you · ${inHtml(titleOf(gate.path, toArray(summary.loops)))}</h2>
${quoteHtml(gate.question)}
${choices}</section>`;
  });
}

/** The failing tests by name, and the last output of the check. */
function checkPart(summary: Summary): string {
  const check = failingCheckOf(summary);
  if (check === undefined) return "";
  const names = check.failing.map(failingTestHtml).join("");
  const list = names === "" ? "" : `<h2>Failing tests</h2><ul>${names}</ul>`;
  return check.tail.trim() === "" ? list : `${list}<h2>Last lines of the check</h2>${pre(check.tail)}`;
}

function loopPart(loop: LoopSummary, state: Summary["state"], details: ReportDetails): string {
  const points = failingPoints(loop);
  const iterations = details.iterations.size === 0 ? "" : iterationParts(loop, details);
  const chart =
    points.length === 0
      ? ""
      : `<p>Failing tests: ${fromTo(points)}</p>\n${points.length < 4 ? "" : bars(points)}`;
  return `<section><h2><code>${inHtml(loop.node)}</code>: ${inHtml(loopStatus(loop, state))}</h2>
<div class="scroll">${htmlTable(iterationTable(loop, state))}</div>
${chart}${iterations}</section>`;
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

function decisionPart(summary: Summary): string {
  const decisions = decisionTexts(summary).map((text) => `<li>${inHtml(text)}</li>`);
  return decisions.length === 0 ? "" : `<h2>Decisions</h2>\n<ul>\n${decisions.join("\n")}\n</ul>`;
}

function messagePart(summary: Summary): string {
  const messages = toArray(summary.messages).map(
    (message) => `<li>${inHtml(`${addressed(message)}: ${message.text}`)}</li>`,
  );
  return messages.length === 0 ? "" : `<h2>Messages</h2>\n<ul>\n${messages.join("\n")}\n</ul>`;
}

function noticePart(summary: Summary): string {
  const notices = toArray(summary.notices).map((notice) => {
    const place =
      notice.file === undefined ? "" : ` (${[notice.file, notice.line].filter(Boolean).join(":")})`;
    return `<li><code>${inHtml(notice.code)}</code> ${inHtml(notice.message + place)}</li>`;
  });
  return notices.length === 0 ? "" : `<h2>Notices</h2>\n<ul>\n${notices.join("\n")}\n</ul>`;
}
