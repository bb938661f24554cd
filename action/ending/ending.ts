import {
  AgentError,
  type Conclusion,
  cut,
  diffUrl,
  headline,
  inlineCode,
  inMarkdown,
  page,
  type StopReason,
  type Summary,
} from "../../src/index.ts";
import { RefusedError } from "../job/job.ts";
import type { Annotation } from "../job/runner-log.ts";

/** How this step ended: what its outputs, its summary and its annotations say. */
export interface Ending {
  readonly conclusion: Conclusion;
  readonly stopReason: StopReason;
  /** For the job summary, in Markdown. */
  readonly page: string;
  readonly annotations: readonly Annotation[];
  /** Of the run, where there was one. */
  readonly summary?: Summary;
  /** What the run said last, whole. */
  readonly output?: string;
  /** The folder it worked in. */
  readonly cwd?: string;
  /** Where its work went. */
  readonly published?: Destination;
  /** The comment that shows it. */
  readonly comment?: number;
  /** The git ref that keeps the run when the job is gone. */
  readonly stateRef?: string;
  /** Another job has the run: nothing was done here, and nothing is shown of it. */
  readonly lost?: true;
  /** Something of the run was still at work when it came to rest. */
  readonly disturbed?: boolean;
}

/** Where the work of a run was published. */
export interface Destination {
  readonly branch: string;
  readonly commit: string;
  readonly pull: { readonly number: number; readonly url: string } | undefined;
}

/** The ending of a step in which nothing ran, because of what is wrong with its inputs or its surroundings. */
export function refusal(error: unknown): Ending {
  const sentences = error instanceof RefusedError ? error.sentences : [messageOf(error)];
  const list = sentences.map((sentence) => `- ${inMarkdown(cut(sentence, 2_000))}`);
  return {
    conclusion: "failure",
    stopReason: error instanceof AgentError ? "agent-error" : "internal",
    page: ["### ❌ until-green did not start", ...list].join("\n\n"),
    annotations: sentences.map((message) => ({ level: "error", title: "until-green", message })),
  };
}

/** The ending of a step whose run another job has. */
export function lost(run: string, { message }: Error): Ending {
  return {
    conclusion: "failure",
    stopReason: "internal",
    page: `### until-green left run ${inlineCode(run)} to another job\n\n${inMarkdown(cut(message, 2_000))}`,
    annotations: [{ level: "error", title: "until-green: lost", message }],
    lost: true,
  };
}

/** The exit code of the step: green only for what is, or says loudly that it is not done. */
export const exitCodeOf = ({ conclusion, lost }: Pick<Ending, "conclusion" | "lost">): number =>
  lost ? 5 : exitCodes[conclusion];

const exitCodes: Readonly<Record<Conclusion, number>> = {
  success: 0,
  paused: 0,
  skipped: 0,
  failure: 1,
  cancelled: 1,
};

interface Ran {
  readonly summary: Summary;
  readonly output: string;
  readonly cwd: string;
  /** Where the run is kept while the job lasts. */
  readonly runs: string;
  /** What broke, where the run was left neither paused nor ended. */
  readonly fault?: unknown;
  readonly stateRef?: string | undefined;
  readonly file?: string | undefined;
  /** Where its repository is, for links to what iterations changed. */
  readonly site?: Parameters<typeof diffUrl>[0] | undefined;
  /** What else is to be said of it. */
  readonly more?: readonly Annotation[];
}

/** The ending of a step that drove a run to its end, to a pause, or until something broke. */
export function runEnding({
  summary: told,
  output,
  cwd,
  runs,
  fault,
  stateRef,
  file,
  site,
  more = [],
}: Ran): Ending {
  const summary = fault === undefined ? told : broken(told, fault);
  const conclusion = summary.state === "paused" ? "paused" : (summary.conclusion ?? "failure");
  const stopReason = summary.stopReason ?? "internal";
  // What the host has not got it cannot compare.
  const links =
    site === undefined || stateRef === undefined || file !== undefined ? {} : { diffUrl: diffUrl(site) };
  const banner = bannerOf(conclusion, stopReason, { run: summary.run, runs, stateRef, file });
  return {
    conclusion,
    stopReason,
    page: [...banner, page(summary, links)].join("\n\n"),
    annotations: [...annotationsOf(conclusion, summary), ...more],
    summary,
    output,
    cwd,
    ...(stateRef === undefined ? {} : { stateRef }),
  };
}

function broken(summary: Summary, fault: unknown): Summary {
  const cause = fault instanceof Error ? fault.cause : undefined;
  const stopReason = [fault, cause].some((it) => it instanceof AgentError) ? "agent-error" : "internal";
  return { ...summary, state: "ended", conclusion: "failure", stopReason, because: messageOf(fault) };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

interface Kept {
  readonly run: string;
  readonly runs: string;
  readonly stateRef: string | undefined;
  readonly file: string | undefined;
}

/** A green job may not hide that the work is not done. */
function bannerOf(conclusion: Conclusion, stopReason: StopReason, kept: Kept): readonly string[] {
  if (conclusion === "skipped") {
    const why =
      stopReason === "nothing-to-do"
        ? "the check was green before any work"
        : "no node of the workflow was selected";
    return [`> [!NOTE]\n> **Skipped: no agent worked.** The job is green because ${why}.`];
  }
  if (conclusion !== "paused") return [];
  const waits = stopReason === "gate" ? "waiting for a person" : "the time was up before the work was done";
  return [
    [
      "> [!WARNING]",
      `> **Paused: ${waits}.** The job is green because nothing failed, but the work is not done.`,
      ...keptWhere(kept),
    ].join("\n"),
  ];
}

function keptWhere({ run, runs, stateRef, file }: Kept): readonly string[] {
  if (file !== undefined)
    return [
      `> The run is kept in the file ${inlineCode(file)}. Hand it to another job, as an artifact: there`,
      `> ${inlineCode("command: resume")} with ${inlineCode(`run-id: ${run}`)} and ${inlineCode(`store: bundle:${file}`)} goes on with it.`,
    ];
  if (stateRef === undefined)
    return [
      `> The run is kept on this runner only, and only while this job lasts: a later step of the job goes on with the`,
      `> commands below and ${inlineCode(`--store dir:${runs}`)}; run ${inlineCode(run)} is gone when the job ends.`,
    ];
  return [
    `> The run is kept in ${inlineCode(stateRef)}. In a clone of the repository the commands below go on with it, given`,
    `> ${inlineCode("--store git")}; and so does a job, by ${inlineCode("command: resume")} with ${inlineCode(`run-id: ${run}`)}.`,
  ];
}

/** What is shown on the page of the job's run. */
export function annotationsOf(conclusion: Conclusion, summary: Summary): readonly Annotation[] {
  const level = levels[conclusion];
  if (level === undefined) return [];
  const because = summary.because === undefined ? "" : `\n${cut(summary.because, 1_000)}`;
  return [{ level, title: `until-green: ${conclusion}`, message: headline(summary) + because }];
}

const levels: Readonly<Record<Conclusion, Annotation["level"] | undefined>> = {
  success: undefined,
  skipped: "notice",
  paused: "warning",
  failure: "error",
  cancelled: "error",
};
