import { missingAnswers } from "./answers.ts";
import { inHtml } from "./escape.ts";
import { headline, loopStanding } from "./headline.ts";
import { failingPoints, fromTo } from "./iterations.ts";
import { listed } from "./kept.ts";
import type { IterationRow, LoopSummary, StopSeen } from "./loop-summary.ts";
import { addressed } from "./messages.ts";
import type { Standing } from "./standing.ts";
import { diffUrl, type Site } from "./sticky.ts";
import type { Summary } from "./summary.ts";
import { changes, count, duration, grouped, money, reasonWords, shortened, tokens } from "./words.ts";

/** A run as HTML for a page that follows it: its timeline of iterations, their stops and changes, the open gate. */
export function live(standing: Standing, site: Site): string {
  const { summary } = standing;
  return [
    headPart(standing, site),
    ...summary.gates.map((gate) => gatePart(summary, gate)),
    ...listed(summary.loops).map((loop) => loopPart(loop, { site, state: summary.state })),
    summary.loops.left === 0 ? "" : `<p class="faint">… ${summary.loops.left} more loops</p>`,
    notePart(summary),
    summary.output === "" ? "" : `<details><summary>Last output</summary>${pre(summary.output)}</details>`,
  ]
    .filter((part) => part !== "")
    .join("\n");
}

/** The one line a browser shows for the page. */
export const liveTitle = ({ summary }: Standing) => headline(summary);

const pre = (text: string) => `<pre>${inHtml(text)}</pre>`;

/** The state of a run as people name it, and its colour. */
function stateOf({ state, conclusion }: Summary): readonly [string, string] {
  if (state === "running") return ["Running", "run"];
  if (state === "paused") return ["Paused", "wait"];
  const words = {
    success: "Succeeded",
    failure: "Failed",
    cancelled: "Cancelled",
    skipped: "Skipped",
    paused: "Paused",
  };
  const tone = conclusion === "success" ? "good" : conclusion === "failure" ? "bad" : "calm";
  return [words[conclusion ?? "failure"], tone];
}

function headPart({ summary, origin }: Standing, { server, repository }: Site): string {
  const [word, tone] = stateOf(summary);
  const reason = summary.stopReason === undefined ? "" : `: ${reasonWords[summary.stopReason]}`;
  const pull =
    origin?.pull === undefined
      ? ""
      : ` · ${link(`${server}/${repository}/pull/${origin.pull}`, `#${origin.pull}`)}`;
  const because = summary.because === undefined ? "" : `<p class="because">${inHtml(summary.because)}</p>`;
  return `<header>
<p class="faint">${link(`${server}/${repository}`, repository)}${pull}</p>
<h1><span class="pill ${tone}">${word}</span> ${inHtml(summary.workflow || "A run")}<small>${inHtml(reason)}</small></h1>
${because}<dl class="tiles">${tilesOf(summary).map(tile).join("")}</dl>
</header>`;
}

const link = (to: string, text: string) => `<a href="${inHtml(to)}">${inHtml(text)}</a>`;
const tile = ([name, value]: readonly [string, string]) =>
  value === "" ? "" : `<div><dt>${name}</dt><dd>${inHtml(value)}</dd></div>`;

const tilesOf = (summary: Summary): readonly (readonly [string, string])[] => [
  ["iterations", grouped(summary.iterations)],
  ["at work", duration(summary.activeMs)],
  ["tokens", tokens(summary.usage)],
  ["cost", money(summary.usage)],
  ["agent", shortened(summary.agent ?? "", 40)],
  ["run", summary.run],
];

function gatePart(summary: Summary, gate: Summary["gates"][number]): string {
  const answers = missingAnswers(summary, gate, "comment");
  const ways =
    answers.length === 0 ? "" : `<p>Answer on the pull request with one of:</p>${pre(answers.join("\n"))}`;
  return `<section class="gate"><h2>Waiting for a person at <code>${inHtml(gate.path)}</code></h2>${pre(gate.message)}${ways}</section>`;
}

interface Shown {
  readonly site: Site;
  readonly state: Summary["state"];
}

function loopPart(loop: LoopSummary, { site, state }: Shown): string {
  const { first, left, last } = loop.rows;
  const rows = (items: readonly IterationRow[], start: IterationRow | undefined) =>
    items.map((row, at) => rowPart(row, { loop, site, before: items[at - 1] ?? start })).join("\n");
  const gap = left === 0 ? "" : `<li class="gap">${count(left, "iteration")} not shown</li>`;
  return `<section><h2><code>${inHtml(loop.node)}</code> <small>${inHtml(loopStanding(loop, state))}</small></h2>
${chartPart(loop)}<ol class="line">
${rows(first, undefined)}${gap}${rows(last, left === 0 ? first.at(-1) : undefined)}
</ol></section>`;
}

interface Around {
  readonly loop: LoopSummary;
  readonly site: Site;
  readonly before: IterationRow | undefined;
}

function rowPart(row: IterationRow, { loop, site, before }: Around): string {
  const isOpen = row.durationMs === undefined && loop.status === "running";
  const tone = isOpen ? "run" : toneOf(row.stops);
  const name =
    row.item === undefined ? `Iteration ${row.number}` : `${row.number}. ${shortened(row.item, 80)}`;
  const facts = [
    changedPart(row, before, site),
    failingPart(row, before?.failing ?? loop.before?.failing),
    inHtml(tokens(row.usage) && `${tokens(row.usage)} tokens`),
    inHtml(money(row.usage)),
  ].filter((fact) => fact !== "");
  const time = isOpen ? "at work" : row.durationMs === undefined ? "" : duration(row.durationMs);
  return `<li class="${tone}"><div class="row"><b>${inHtml(name)}</b><span class="facts">${facts.join(" · ")}</span><time>${time}</time></div>
${row.stops.map(stopPart).join("")}</li>`;
}

const toneOf = (stops: readonly StopSeen[]) =>
  stops.some(({ verdict }) => verdict === "give-up")
    ? "bad"
    : stops.some(({ verdict }) => verdict === "done")
      ? "good"
      : "calm";

function changedPart(row: IterationRow, before: IterationRow | undefined, site: Site): string {
  const { diff, snapshot, since = before?.snapshot } = row;
  const text = changes(diff);
  if (diff === undefined || diff.files === 0) return inHtml(text && "changed nothing");
  const words = `${count(diff.files, "file")} <ins>+${diff.added}</ins> <del>−${diff.removed}</del>`;
  if (snapshot === undefined || since === undefined) return words;
  if (![snapshot, since].every((id) => /^[0-9a-f]{40,64}$/.test(id))) return words;
  return `<a href="${inHtml(diffUrl(site)(since, snapshot))}">${words}</a>`;
}

function failingPart({ failing }: IterationRow, before: number | undefined): string {
  if (failing === undefined) return "";
  return before === undefined || before === failing ? `${failing} failing` : `${before} → ${failing} failing`;
}

const verdicts = {
  done: ["done", "good"],
  "give-up": ["gives up", "bad"],
  "go-on": ["goes on", "calm"],
} as const;

function stopPart({ kind, verdict, because }: StopSeen): string {
  const [word, tone] = verdicts[verdict];
  return `<p class="stop"><span class="badge ${tone}">${word}</span> <code>${inHtml(kind)}</code> ${inHtml(shortened(because, 240))}</p>`;
}

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

function notePart({ notices, messages }: Summary): string {
  const items = [
    ...listed(messages).map((message) => inHtml(`${addressed(message)}: ${message.text}`)),
    ...listed(notices).map(({ code, message }) => `<code>${inHtml(code)}</code> ${inHtml(message)}`),
  ];
  if (items.length === 0) return "";
  return `<details><summary>Notices and messages (${items.length})</summary><ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul></details>`;
}
