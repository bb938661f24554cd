import { createHash } from "node:crypto";
import {
  diffUrl,
  failingCounts,
  inMarkdown,
  inMarkdownWithCode,
  reviewMarkdown,
  runMarkdown,
  stripControlCharacters,
} from "../../src/api/github.ts";
import { headline, type Summary, truncate } from "../../src/api/runs.ts";
import type { Series } from "../../src/api/workflows.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { GitHubContext } from "../job/github-context.ts";

/**
 * The user's templates for published texts, with the placeholders `{workflow}`, `{run}`, `{conclusion}`, `{summary}`
 * and `{output}`.
 */
export type Templates = Pick<Series, "title" | "body" | "commitMessage">;

/** The job's template, else the file's, with `{issue}` replaced by the number of the run's issue. */
export const templatesOf = (inputs: Inputs, file: Templates = {}, issue?: number): Templates =>
  Object.fromEntries(
    Object.entries({
      title: inputs.title ?? file.title,
      body: inputs.body ?? file.body,
      commitMessage: inputs["commit-message"] ?? file.commitMessage,
    }).flatMap(([key, text]) =>
      text === undefined ? [] : [[key, text.replaceAll("{issue}", String(issue ?? ""))]],
    ),
  );

/** Fills a template; an agent's text is always escaped. */
export function fill(template: string, summary: Summary, clean: (text: string) => string): string {
  const values: Readonly<Record<string, string>> = {
    workflow: summary.workflow,
    run: summary.run,
    conclusion: summary.conclusion ?? summary.state,
    summary: headline(summary).replace(/^\S+ /, ""),
    output: truncate(summary.output.trim(), 20_000),
  };
  return template.replace(/\{(\w+)\}/g, (all, name: string) => {
    const value = values[name];
    return value === undefined ? all : clean(value);
  });
}

/** The title of the pull request, on one line. */
export function pullTitle(template: string | undefined, summary: Summary): string {
  const filled = fill(template ?? "until-green: {workflow}", summary, (text) => text);
  return oneLine(filled, 250) || "until-green";
}

/** Adds a hidden mark of our title to the body, so that a later attempt can tell if people changed the title. */
export const withTitleMark = (body: string, title: string): string => `${body}\n\n${titleMark(title)}`;

/** Keeps the pull request's title, and the mark of ours, if people changed the title; otherwise sets the new title. */
export function keepTitle(existing: PullText | undefined, text: PullText): PullText {
  const mark = /<!-- until-green title: [0-9a-f]{16} -->/.exec(existing?.body ?? "")?.[0];
  if (existing === undefined || mark === titleMark(existing.title))
    return { title: text.title, body: withTitleMark(text.body, text.title) };
  return { title: existing.title, body: mark === undefined ? text.body : `${text.body}\n\n${mark}` };
}

interface PullText {
  readonly title: string;
  readonly body: string;
}

const titleMark = (title: string) =>
  `<!-- until-green title: ${createHash("sha256").update(title).digest("hex").slice(0, 16)} -->`;

export const oneLine = (text: string, most: number): string =>
  truncate(stripControlCharacters(text).replace(/\s+/g, " ").trim(), most).replace(/\s+/g, " ");

interface BodyOptions {
  readonly template?: string | undefined;
  /** Missing work, one sentence each. */
  readonly missing?: readonly string[];
  /** Numbered notes of attempts for later ones. */
  readonly notes?: readonly string[];
}

/** The body of the pull request: what was changed and why, the tests before and after, then the runs, folded. */
export function pullBody(runs: readonly Summary[], site: GitHubContext, options: BodyOptions = {}): string {
  const { template, missing = [], notes = [] } = options;
  const [first] = runs;
  const loops = [...new Set(runs.map(({ workflow }) => inMarkdown(workflow)))].join(", ");
  const times = runs.length > 1 ? ` in ${runs.length} runs` : "";
  // GitHub links the pull request to the issue. Only the workflow's author may say that it closes the issue.
  const from = site.issue === undefined ? "" : `, started from #${site.issue}`;
  const foot = `The work of the agent loop ${loops}${times}${from}, published by [this job](${site.job}).`;
  const most = Math.floor(40_000 / runs.length);
  const pages = runs.map((summary) =>
    runMarkdown(summary, { answerBy: "comment", diffUrl: diffUrl(site), most }),
  );
  const details = `<details><summary>${runs.length > 1 ? "The runs" : "The run"}</summary>\n\n${pages.join("\n\n")}\n\n</details>`;
  const head =
    template !== undefined && first !== undefined
      ? [truncate(fill(template, first, inMarkdown), 20_000)]
      : runs.flatMap(whatChanged);
  const review = runs.map((summary) => reviewMarkdown(summary)).filter((part) => part !== "");
  const how = review.length === 0 ? [] : [acceptText];
  return [...review, ...how, ...head, ...left(missing), details, ...noted(notes), foot].join("\n\n");
}

const acceptText =
  "To accept it, comment `/workflow approve`, or mark this pull request as ready for review.";

function whatChanged(summary: Summary): readonly string[] {
  const text = truncate(summary.output.trim(), 4_000);
  const { before, after } = failingCounts(summary);
  const quote = text
    .split("\n")
    .map((line) => `> ${inMarkdown(line)}`)
    .join("\n");
  return [
    `### ${inMarkdown(headline(summary))}`,
    ...(text === "" ? [] : [quote]),
    ...(before === undefined || after === undefined
      ? []
      : [`| Failing tests before | after |\n| --: | --: |\n| ${before} | ${after} |`]),
  ];
}

/** The next attempt reads these notes; people see them, and may remove them. */
function noted(notes: readonly string[]): readonly string[] {
  if (notes.length === 0) return [];
  const list = notes.map((note) => `- ${inMarkdownWithCode(truncate(note, 600))}`).join("\n");
  const how = "`/workflow forget 2` in a comment removes note 2, `/workflow forget` all of them.";
  return [`<details><summary>Notes for the next attempt</summary>\n\n${list}\n\n${how}\n\n</details>`];
}

function left(missing: readonly string[]): readonly string[] {
  const out = missing.slice(0, 20).map((each) => `> - ${inMarkdownWithCode(truncate(each, 200))}`);
  if (missing.length > out.length) out.push(`> - … ${missing.length - out.length} more`);
  return missing.length === 0 ? [] : [`> [!WARNING]\n> **Not in it:**\n${out.join("\n")}`];
}

/** A commit message from a user's template, in which no line can look like one of our trailers. */
export const messageOf = (template: string, summary: Summary): string =>
  truncate(stripControlCharacters(fill(template, summary, (text) => text)), 8_000)
    .replace(/^(?=until-green-)/gim, " ")
    .trim();
