import { conversationOf } from "../engine/log-events.ts";
import { toArray } from "../status/bounded-list.ts";
import { decisionTexts } from "../status/decisions.ts";
import {
  changes,
  count,
  duration,
  money,
  shortened,
  tokens,
  withThousandsSeparators,
} from "../status/format.ts";
import { headline, loopStatus, reasonText } from "../status/headline.ts";
import type { IterationRow, LoopSummary, StopSeen } from "../status/loop-summary.ts";
import { addressed } from "../status/messages.ts";
import type { RunStatus } from "../status/run-status.ts";
import type { Summary } from "../status/run-summary.ts";
import { titledLoops, titleOf } from "../status/titles.ts";
import { inHtml } from "./escape.ts";
import { failingCheckOf, failingTestHtml } from "./failing-check.ts";
import { gateAnswers, otherAnswers } from "./gate-commands.ts";
import { quoteHtml } from "./html-quote.ts";
import { failingPoints, fromTo, openWord } from "./iterations.ts";
import { diffUrl, type PageLinks } from "./sticky-comment.ts";
import { attemptText, isWorthShowing, verdictText } from "./verdict-text.ts";

/** A run as HTML for its live page: a timeline of iterations with stops and changes, and the open gate. */
export function livePage(status: RunStatus, site: PageLinks): string {
  const { summary } = status;
  return [
    headPart(status, site),
    ...summary.gates.map((gate) => gatePart(status, site, gate)),
    ...titledLoops(toArray(summary.loops)).map((loop) => loopPart(loop, { site, state: summary.state })),
    summary.loops.left === 0 ? "" : `<p class="faint">… ${summary.loops.left} more loops</p>`,
    checkPart(summary),
    notePart(summary),
    summary.output === ""
      ? ""
      : `<details><summary>Last output</summary>${quoteHtml(summary.output)}</details>`,
  ]
    .filter((part) => part !== "")
    .join("\n");
}

/** The page's title. */
export const liveTitle = ({ summary }: RunStatus) => headline(summary);

const pre = (text: string) => `<pre>${inHtml(text)}</pre>`;

/** The name and colour of a run's state. */
function stateOf({ state, conclusion }: Summary): readonly [string, string] {
  if (state === "running") return ["Running", "run"];
  if (state === "paused") return ["Paused", "wait"];
  const nodeState = {
    success: "Succeeded",
    failure: "Failed",
    cancelled: "Cancelled",
    skipped: "Skipped",
    paused: "Paused",
  };
  const tone = conclusion === "success" ? "good" : conclusion === "failure" ? "bad" : "calm";
  return [nodeState[conclusion ?? "failure"], tone];
}

function headPart({ summary, origin }: RunStatus, { server, repository }: PageLinks): string {
  const [label, tone] = stateOf(summary);
  const number = conversationOf(origin);
  const pull =
    number === undefined ? "" : ` · ${link(`${server}/${repository}/issues/${number}`, `#${number}`)}`;
  const because = summary.because === undefined ? "" : `<p class="because">${inHtml(summary.because)}</p>`;
  return `<header>
<p class="faint">${link(`${server}/${repository}`, repository)}${pull}</p>
<h1><span class="pill ${tone}">${label}</span> ${inHtml(summary.workflow || "A run")}<small>${inHtml(reasonText(summary))}</small></h1>
${because}<dl class="tiles">${tilesOf(summary).map(tile).join("")}</dl>
</header>`;
}

const link = (to: string, text: string) => `<a href="${inHtml(to)}">${inHtml(text)}</a>`;
const tile = ([name, value]: readonly [string, string]) =>
  value === "" ? "" : `<div><dt>${name}</dt><dd>${inHtml(value)}</dd></div>`;

const tilesOf = (summary: Summary): readonly (readonly [string, string])[] => [
  ["iterations", withThousandsSeparators(summary.iterations)],
  ["active time", duration(summary.activeMs)],
  ["tokens", tokens(summary.usage)],
  ["cost", money(summary.usage)],
  ["agent", shortened(summary.agent ?? "", 40)],
  ["run", summary.run],
];

function gatePart({ summary, origin }: RunStatus, site: PageLinks, gate: Summary["gates"][number]): string {
  const answers = gateAnswers(summary, gate, "comment");
  const prompt = origin?.issue === undefined ? "Answer on the pull request" : "Answer on the issue";
  const pull = conversationOf(origin);
  const where =
    pull === undefined ? prompt : link(`${site.server}/${site.repository}/issues/${pull}`, prompt);
  const [, plain = "", ...others] = answers;
  const more = `<details><summary>${otherAnswers(gate.path)}</summary>${pre([answers[0], ...others].join("\n"))}</details>`;
  const choices = `<p>${where} with:</p>${pre(plain)}${more}`;
  return `<section class="gate"><h2>Waiting for you · ${inHtml(titleOf(gate.path, toArray(summary.loops)))}</h2>${quoteHtml(gate.question)}${choices}</section>`;
}

interface LoopPageContext {
  readonly site: PageLinks;
  readonly state: Summary["state"];
}

function loopPart(loop: LoopSummary, { site, state }: LoopPageContext): string {
  const { first, left, last } = loop.rows;
  const rows = (items: readonly IterationRow[], start: IterationRow | undefined) =>
    items.map((row, at) => rowPart(row, { loop, site, state, before: items[at - 1] ?? start })).join("\n");
  const gap = left === 0 ? "" : `<li class="gap">${count(left, "iteration")} not shown</li>`;
  return `<section><h2><code>${inHtml(loop.node)}</code> <small>${inHtml(loopStatus(loop, state))}</small></h2>
${chartPart(loop)}<ol class="line">
${rows(first, undefined)}${gap}${rows(last, left === 0 ? first.at(-1) : undefined)}
</ol></section>`;
}

interface LiveIteration extends LoopPageContext {
  readonly loop: LoopSummary;
  readonly before: IterationRow | undefined;
}

function rowPart(row: IterationRow, { loop, site, state, before }: LiveIteration): string {
  const time = row.durationMs === undefined ? openWord(loop, state) : duration(row.durationMs);
  const tone = time === "running" ? "run" : toneOf(row);
  const name =
    row.item === undefined ? `Iteration ${row.number}` : `${row.number}. ${shortened(row.item, 80)}`;
  const facts = [
    changedPart(row, before, site),
    failingPart(row, before?.failing ?? loop.before?.failing),
    inHtml(tokens(row.usage) && `${tokens(row.usage)} tokens`),
    inHtml(money(row.usage)),
    ...attemptText(row, loop).map(inHtml),
  ].filter((fact) => fact !== "");
  return `<li class="${tone}"><div class="row"><b>${inHtml(name)}</b><span class="facts">${facts.join(" · ")}</span><time>${time}</time></div>
${row.stops.filter(isWorthShowing).map(stopPart).join("")}</li>`;
}

const toneOf = ({ stops, attempt }: IterationRow) =>
  stops.some(({ verdict }) => verdict === "give-up")
    ? "bad"
    : attempt?.green || stops.some(({ verdict }) => verdict === "done")
      ? "good"
      : "calm";

function changedPart(row: IterationRow, before: IterationRow | undefined, site: PageLinks): string {
  const { diff, snapshot, since = before?.snapshot } = row;
  const text = changes(diff);
  if (diff === undefined || diff.files === 0) return inHtml(text && "changed nothing");
  const counts = `${count(diff.files, "file")} <ins>+${diff.added}</ins> <del>−${diff.removed}</del>`;
  if (snapshot === undefined || since === undefined) return counts;
  if (![snapshot, since].every((id) => /^[0-9a-f]{40,64}$/.test(id))) return counts;
  return `<a href="${inHtml(diffUrl(site)(since, snapshot))}">${counts}</a>`;
}

function failingPart({ failing }: IterationRow, before: number | undefined): string {
  if (failing === undefined) return "";
  return before === undefined || before === failing ? `${failing} failing` : `${before} → ${failing} failing`;
}

const stopPart = (stop: StopSeen) => `<p class="stop">${inHtml(verdictText(stop))}</p>`;

function chartPart(loop: LoopSummary): string {
  const points = failingPoints(loop).slice(-mostBars);
  if (points.length < 2) return "";
  const top = Math.max(1, ...points.map(({ value }) => value ?? 0));
  const bars = points.map(({ label, value = 0 }, at) => {
    const height = Math.max(2, Math.round((value / top) * 100));
    return `<rect x="${at * 12}" y="${100 - height}" width="9" height="${height}" rx="1"><title>${inHtml(label)}: ${value}</title></rect>`;
  });
  const box = `width="${points.length * 22}" viewBox="0 0 ${points.length * 12} 100" preserveAspectRatio="none"`;
  return `<figure><svg ${box} role="img" aria-label="Failing tests by iteration">${bars.join("")}</svg><figcaption>failing tests ${fromTo(points)}</figcaption></figure>\n`;
}

const mostBars = 60;

function notePart(summary: Summary): string {
  const { notices, messages } = summary;
  const items = [
    ...decisionTexts(summary).map(inHtml),
    ...toArray(messages).map((message) => inHtml(`${addressed(message)}: ${message.text}`)),
    ...toArray(notices).map(({ code, message }) => `<code>${inHtml(code)}</code> ${inHtml(message)}`),
  ];
  if (items.length === 0) return "";
  return `<details><summary>Decisions, notices and messages (${items.length})</summary><ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul></details>`;
}

function checkPart(summary: Summary): string {
  const check = failingCheckOf(summary);
  if (check === undefined) return "";
  const names = check.failing.map(failingTestHtml).join("");
  return `<section><h2>Last lines of the check</h2>${names === "" ? "" : `<ul>${names}</ul>`}${pre(check.tail)}</section>`;
}
