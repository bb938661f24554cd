import { gateQuestion, missingAnswers } from "./answers.ts";
import { lineChart, sparkline } from "./chart.ts";
import { fence, inlineCode, inMarkdown } from "./escape.ts";
import { headline, loopStanding, narrowedSummary, totals } from "./headline.ts";
import { failingPoints, fromTo, type IterationTable, iterationTable } from "./iterations.ts";
import { listed, narrowed } from "./kept.ts";
import type { LoopSummary } from "./loop-summary.ts";
import { addressed } from "./messages.ts";
import type { Summary } from "./summary.ts";
import { cut, folded, shortened } from "./words.ts";

export interface PageOptions {
  /** How people answer a gate where the page stands. */
  readonly answerBy?: "terminal" | "comment";
  /** The address of what changed between two snapshots; without one the table links nothing. */
  diffUrl?(from: string, to: string): string | undefined;
  /** The most characters it may have; as many as a comment takes unless told. */
  readonly most?: number;
}

/** The most characters GitHub takes in a comment or a check run. */
export const mostCharacters = 65_536;

/** A run as a Markdown page of at most 65,536 characters: rows and outputs give way, the gate's text last of all. */
export function page(summary: Summary, options: PageOptions = {}): string {
  const { most = mostCharacters } = options;
  for (const measure of measures) {
    const text = sections(summary, measure, options).filter(isFilled).join("\n\n");
    if (text.length < most) return `${text}\n`;
  }
  return `${cut(inMarkdown(headline(summary)), most - 1)}\n`;
}

/** How much is shown of what may be long; each is tried when the one before is too long. */
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
  // Many gates at once: each shows less of what it quotes, never less than its commands.
  { ...whole, loops: 0, rows: 0, charts: false, notices: 0, output: 0, gate: 6_000 },
  { ...whole, loops: 0, rows: 0, charts: false, notices: 0, output: 0, gate: 900 },
];

const isFilled = (section: string) => section !== "";

function sections(summary: Summary, measure: Measure, options: PageOptions): readonly string[] {
  const shown = narrowedSummary(summary, measure.loops, measure.rows);
  return [
    `### ${inMarkdown(headline(summary))}`,
    summary.because === undefined ? "" : inMarkdown(cut(summary.because, 2_000)),
    facts(summary),
    ...gateSections(summary, measure, options),
    resumeSection(summary, options),
    ...listed(shown.loops).map((loop) => loopSection(loop, measure, { ...options, state: summary.state })),
    shown.loops.left === 0 ? "" : `… ${shown.loops.left} more loops`,
    messageSection(summary, measure.notices),
    noticeSection(summary, measure.notices),
    outputSection(summary, measure.output),
  ];
}

function facts(summary: Summary): string {
  const agent = summary.agent === undefined ? [] : [`agent ${inlineCode(shortened(summary.agent, 200))}`];
  return [`Run ${inlineCode(summary.run)}`, ...agent, ...totals(summary)].join(" · ");
}

function gateSections(summary: Summary, measure: Measure, options: PageOptions): readonly string[] {
  const most = Math.floor(measure.gate / Math.max(1, summary.gates.length));
  return summary.gates.slice(0, mostGates).map((gate) => {
    const answers = missingAnswers(summary, gate, options.answerBy ?? "terminal");
    return [
      `#### Waiting for a person at ${inlineCode(gate.path)}`,
      fence(cut(folded(gateQuestion(gate, summary.run)), Math.max(most, 900))),
      ...(answers.length === 0 ? [] : ["Answer with one of:", fence(answers.join("\n"))]),
    ].join("\n\n");
  });
}

const mostGates = 50;

function resumeSection(summary: Summary, options: PageOptions): string {
  if (summary.stopReason !== "time-limit" || options.answerBy === "comment") return "";
  return `To go on:\n\n${fence(`until-green resume ${summary.run}`)}`;
}

interface LoopOptions extends PageOptions {
  readonly state: Summary["state"];
}

function loopSection(loop: LoopSummary, measure: Measure, options: LoopOptions): string {
  const points = failingPoints(loop);
  const line = sparkline(points.map((point) => point.value));
  return [
    `#### ${inlineCode(loop.node)}: ${loopStanding(loop, options.state)}`,
    markdownTable(iterationTable(loop), options),
    points.length === 0 ? "" : `Failing tests: \`${line}\` ${fromTo(points)}`,
    measure.charts ? lineChart("Failing tests", points) : "",
  ]
    .filter(isFilled)
    .join("\n\n");
}

function markdownTable(table: IterationTable, options: PageOptions): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const links = diffLinks(table, options);
  const cell = (text: string, at: number, line: number) => {
    const link = at === table.changedColumn ? links[line] : undefined;
    return link === undefined || text === "" ? inMarkdown(text) : `[${inMarkdown(text)}](${link})`;
  };
  return [
    row(table.columns.map((column) => column.title)),
    row(table.columns.map((column) => (column.align === "right" ? "--:" : "---"))),
    ...table.rows.map((cells, line) => row(cells.map((text, at) => cell(text, at, line)))),
  ].join("\n");
}

/** For each row the address of its changes, where its snapshot and the one before are known. */
function diffLinks(table: IterationTable, options: PageOptions): readonly (string | undefined)[] {
  return table.iterations.map((iteration, at) => {
    const from = iteration?.since ?? table.iterations[at - 1]?.snapshot;
    const to = iteration?.snapshot;
    if (from === undefined || to === undefined) return undefined;
    return options.diffUrl?.(from, to)?.replace(/[\s()<>|]/g, encodeURIComponent);
  });
}

function noticeSection(summary: Summary, most: number): string {
  if (most === 0) return "";
  const notices = narrowed(summary.notices, most);
  const lines = listed(notices).map((notice) => {
    const place =
      notice.file === undefined
        ? ""
        : ` (${inlineCode([notice.file, notice.line].filter(Boolean).join(":"))})`;
    return `- ${inlineCode(notice.code)} ${inMarkdown(cut(notice.message, 500))}${place}`;
  });
  if (lines.length === 0) return "";
  const more = notices.left === 0 ? [] : [`- … ${notices.left} more`];
  return ["#### Notices", "", ...lines, ...more].join("\n");
}

function messageSection(summary: Summary, most: number): string {
  const messages = narrowed(summary.messages, most);
  const lines = listed(messages).map(
    (message) => `- ${inMarkdown(addressed(message))}: ${inMarkdown(cut(message.text, 500))}`,
  );
  if (most === 0 || lines.length === 0) return "";
  const more = messages.left === 0 ? [] : [`- … ${messages.left} more`];
  return ["#### Messages", "", ...lines, ...more].join("\n");
}

function outputSection(summary: Summary, most: number): string {
  if (most === 0 || summary.output === "") return "";
  return `<details><summary>Last output</summary>\n\n${fence(cut(folded(summary.output), most))}\n\n</details>`;
}
