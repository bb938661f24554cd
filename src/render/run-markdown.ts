import { shrink, toArray } from "../status/bounded-list.ts";
import { decisionTexts } from "../status/decisions.ts";
import { collapsible, shortened, truncate } from "../status/format.ts";
import { agentName, headline, loopStatus, shrinkSummary, totals } from "../status/headline.ts";
import type { LoopSummary } from "../status/loop-summary.ts";
import { addressed } from "../status/messages.ts";
import type { Summary } from "../status/run-summary.ts";
import { titledLoops, titleOf } from "../status/titles.ts";
import { lineChart, type Point, sparkline } from "./chart.ts";
import { codeBlock, inHtml, inlineCode, inMarkdown, inMarkdownWithCode } from "./escape.ts";
import { failingCheckMarkdown, failingCheckOf } from "./failing-check.ts";
import { gateAnswers, otherAnswers } from "./gate-commands.ts";
import { failingPoints, fromTo, type IterationTable, iterationTable, narrowColumns } from "./iterations.ts";
import { foldedQuote, quoteMarkdown } from "./quote.ts";
import { reviewMarkdown } from "./review.ts";

export interface MarkdownOptions {
  /** Where people answer a gate from this page. */
  readonly answerBy?: "terminal" | "comment";
  /** The URL of the diff between two snapshots; without it, the table has no links. */
  diffUrl?(from: string, to: string): string | undefined;
  /** False if the page needs no heading, as in a check, which has its own title; default true. */
  readonly heading?: boolean;
  /** Maximum length in characters; by default a comment's limit. */
  readonly most?: number;
}

/** GitHub's maximum length of a comment or a check run, in characters. */
export const maxCharacters = 65_536;

/**
 * A run as a Markdown page of at most 65,536 characters. Rows and outputs are shortened first, the gate's text last.
 */
export function runMarkdown(summary: Summary, options: MarkdownOptions = {}): string {
  const { most = maxCharacters } = options;
  for (const measure of measures) {
    const text = sections(summary, measure, options).filter(isFilled).join("\n\n");
    if (text.length < most) return `${text}\n`;
  }
  return `${truncate(inMarkdown(headline(summary)), most - 1)}\n`;
}

/** How much is shown of each long part; the next entry is tried if the page is still too long. */
interface Measure {
  readonly loops: number;
  readonly rows: number;
  readonly charts: boolean;
  readonly notices: number;
  readonly output: number;
  readonly gate: number;
}

const whole: Measure = { loops: 100, rows: 100, charts: true, notices: 50, output: 16_384, gate: 60_000 };

const measures: readonly Measure[] = [
  whole,
  { ...whole, rows: 40, notices: 20, output: 4_096 },
  { ...whole, loops: 10, rows: 20, notices: 5, output: 1_024 },
  { ...whole, loops: 3, rows: 10, charts: false, notices: 2, output: 0 },
  { ...whole, loops: 0, rows: 0, charts: false, notices: 0, output: 0 },
  // With many gates, each is quoted more briefly, but always with its commands.
  { ...whole, loops: 0, rows: 0, charts: false, notices: 0, output: 0, gate: 6_000 },
  { ...whole, loops: 0, rows: 0, charts: false, notices: 0, output: 0, gate: 900 },
];

const isFilled = (section: string) => section !== "";

function sections(summary: Summary, measure: Measure, options: MarkdownOptions): readonly string[] {
  const shown = shrinkSummary(summary, measure.loops, measure.rows);
  const check = failingCheckOf(summary);
  return [
    options.heading === false ? "" : `### ${inMarkdown(headline(summary))}`,
    summary.because === undefined ? "" : inMarkdownWithCode(truncate(summary.because, 2_000)),
    reviewMarkdown(summary, measure.gate / 3),
    ...gateSections(summary, measure, options),
    resumeSection(summary, options),
    check === undefined || measure.output === 0 ? "" : failingCheckMarkdown(check),
    ...titledLoops(toArray(shown.loops)).map((loop) =>
      loopSection(loop, measure, { ...options, state: summary.state, isAsked: summary.gates.length > 0 }),
    ),
    shown.loops.left === 0 ? "" : `… ${shown.loops.left} more loops`,
    decisionSection(summary, measure.notices),
    messageSection(summary, measure.notices),
    noticeSection(summary, measure.notices),
    outputSection(summary, measure.output),
    facts(summary),
  ];
}

function facts(summary: Summary): string {
  const agent =
    summary.agent === undefined ? [] : [`agent ${inlineCode(shortened(agentName(summary.agent), 200))}`];
  return `<sub>${[`Run ${inlineCode(summary.run)}`, ...agent, ...totals(summary)].join(" · ")}</sub>`;
}

function gateSections(summary: Summary, measure: Measure, options: MarkdownOptions): readonly string[] {
  const most = Math.floor(measure.gate / Math.max(1, summary.gates.length));
  const { answerBy = "terminal" } = options;
  const quote = most > shortestQuote ? foldedQuote : quoteMarkdown;
  const where = (path: string) => titleOf(path, toArray(summary.loops));
  return summary.gates
    .slice(0, mostGates)
    .map((gate) =>
      [
        summary.gates.length === 1 ? "" : `#### ${inMarkdown(where(gate.path))}`,
        quote(truncate(gate.question, Math.max(most, shortestQuote))),
        answerMarkdown(gateAnswers(summary, gate, answerBy), answerBy, otherAnswers(gate.path)),
      ]
        .filter(isFilled)
        .join("\n\n"),
    );
}

/** Each of many questions has at least as many characters, and is not folded. */
const shortestQuote = 900;

/** One command is visible, the others are folded. */
function answerMarkdown(answers: readonly string[], by: "terminal" | "comment", title: string): string {
  const plain = answers[1];
  const isComment = by === "comment";
  if (plain === undefined) return isComment ? "To answer, post one of these commands as a new comment." : "";
  const how = isComment ? "To answer, post this as a new comment:\n\n" : "";
  const others = answers.filter((answer) => answer !== plain);
  return `${how}${codeBlock(plain)}\n\n<details><summary>${title}</summary>\n\n${codeBlock(others.join("\n"))}\n\n</details>`;
}

const mostGates = 50;

function resumeSection(summary: Summary, options: MarkdownOptions): string {
  if (summary.state !== "paused" || summary.stopReason === "gate" || options.answerBy === "comment")
    return "";
  return `To continue:\n\n${codeBlock(`until-green resume ${summary.run}`)}`;
}

interface LoopOptions extends MarkdownOptions {
  readonly state: Summary["state"];
  /** True while a person is asked: on a phone, the table would not leave room for the question. */
  readonly isAsked: boolean;
}

function loopSection(loop: LoopSummary, measure: Measure, options: LoopOptions): string {
  const points = failingPoints(loop);
  const line = sparkline(points.map((point) => point.value));
  const status = loopStatus(loop, options.state);
  const parts = [
    markdownTable(iterationTable(loop, options.state, narrowColumns), options),
    points.length === 0 ? "" : `Failing tests: \`${line}\` ${fromTo(points)}`,
    measure.charts ? foldedChart(points) : "",
  ];
  const text = parts.filter(isFilled).join("\n\n");
  if (!options.isAsked) return `#### ${inlineCode(loop.node)}: ${status}\n\n${text}`;
  const failing = points.length === 0 ? "" : ` · failing tests ${fromTo(points)}`;
  return `<details><summary><code>${inHtml(loop.node)}</code>: ${status}${failing}</summary>\n\n${text}\n\n</details>`;
}

/** Two or three numbers need no chart. It is folded because mail and the mobile app show its source. */
function foldedChart(points: readonly Point[]): string {
  if (points.length < 4) return "";
  return `<details><summary>Chart</summary>\n\n${lineChart("Failing tests", points)}\n\n</details>`;
}

function markdownTable(table: IterationTable, options: MarkdownOptions): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const links = diffLinks(table, options);
  const cell = (text: string, at: number, line: number) => {
    const link = at === table.changedColumn ? links[line] : undefined;
    const shown = unbroken(inMarkdown(text));
    return link === undefined || text === "" ? shown : `[${shown}](${link})`;
  };
  return [
    row(table.columns.map((column) => column.title)),
    row(table.columns.map((column) => (column.align === "right" ? "--:" : "---"))),
    ...table.rows.map((cells, line) => row(cells.map((text, at) => cell(text, at, line)))),
  ].join("\n");
}

/** On a phone a cell may wrap, but not between a number and its sign or unit. */
const unbroken = (text: string) =>
  text.replace(/(?<=^[❌✅]|→) | (?=[·→])|(?<=\d) (?=(?:[smh]|files?)\b)/gu, "\u00a0");

/** The diff URL of each row, if its snapshot and the previous one are known. */
function diffLinks(table: IterationTable, options: MarkdownOptions): readonly (string | undefined)[] {
  return table.iterations.map((iteration, at) => {
    const from = iteration?.since ?? table.iterations[at - 1]?.snapshot;
    const to = iteration?.snapshot;
    if (from === undefined || to === undefined || iteration?.diff?.files === 0) return undefined;
    return options.diffUrl?.(from, to)?.replace(/[\s()<>|]/g, encodeURIComponent);
  });
}

function noticeSection(summary: Summary, most: number): string {
  if (most === 0) return "";
  const notices = shrink(summary.notices, most);
  const lines = toArray(notices).map((notice) => {
    const place =
      notice.file === undefined
        ? ""
        : ` (${inlineCode([notice.file, notice.line].filter(Boolean).join(":"))})`;
    return `- ${inlineCode(notice.code)} ${inMarkdownWithCode(truncate(notice.message, 500))}${place}`;
  });
  if (lines.length === 0) return "";
  const more = notices.left === 0 ? [] : [`- … ${notices.left} more`];
  return ["#### Notices", "", ...lines, ...more].join("\n");
}

function decisionSection(summary: Summary, most: number): string {
  const lines =
    most === 0 ? [] : decisionTexts(summary, most).map((text) => `- ${inMarkdown(truncate(text, 600))}`);
  return lines.length === 0 ? "" : ["#### Decisions", "", ...lines].join("\n");
}

function messageSection(summary: Summary, most: number): string {
  const messages = shrink(summary.messages, most);
  const lines = toArray(messages).map(
    (message) => `- ${inMarkdown(addressed(message))}: ${inMarkdown(truncate(message.text, 500))}`,
  );
  if (most === 0 || lines.length === 0) return "";
  const more = messages.left === 0 ? [] : [`- … ${messages.left} more`];
  return ["#### Messages", "", ...lines, ...more].join("\n");
}

function outputSection(summary: Summary, most: number): string {
  if (most === 0 || summary.output === "" || isInGate(summary)) return "";
  const text = truncate(summary.output, most);
  const shown = isColumns(text) ? codeBlock(collapsible(text)) : quoteMarkdown(text);
  return `<details><summary>Last output</summary>\n\n${shown}\n\n</details>`;
}

/** True if the gate's question already quotes the agent's last message. */
function isInGate({ gates, output }: Summary): boolean {
  const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();
  return gates.some(({ question }) => oneLine(question).includes(oneLine(output)));
}

/** True for output of a program in which whitespace matters. */
const isColumns = (text: string) => /\t|\S {2,}\S|^(?: {4,}|[-+|=]{4,})/m.test(text);
