import {
  diffUrl,
  inlineCode,
  inMarkdownWithCode,
  isolationSection,
  runMarkdown,
} from "../../src/api/github.ts";
import {
  AgentError,
  type Conclusion,
  defined,
  headline,
  messageOf,
  needsReview,
  type StopReason,
  type Summary,
  truncate,
  type Wall,
} from "../../src/api/runs.ts";
import { NothingToDoError, type PublishedWork, RefusedError } from "../job/job.ts";
import { type Annotation, annotation } from "../job/workflow-commands.ts";
import type { Outputs } from "./outputs.ts";

/** The step's result: outputs, summary and annotations. */
export interface StepResult {
  readonly conclusion: Conclusion;
  readonly stopReason: StopReason;
  /** For the job summary, in Markdown. */
  readonly page: string;
  readonly annotations: readonly Annotation[];
  /** The run, if there was one. */
  readonly summary?: Summary;
  /** The run's whole final message. */
  readonly output?: string;
  /** The folder it worked in. */
  readonly cwd?: string;
  /** Where its work was published. */
  readonly published?: PublishedWork;
  /** True if its work was not published because the published work is better. */
  readonly keptAside?: true;
  /** The comment that shows it. */
  readonly comment?: number;
  /** The git ref that stores the run after the job. */
  readonly stateRef?: string;
  /** True if another job drives the run: nothing was done or published here. */
  readonly lost?: true;
  /** Processes of the run were still running at its end. */
  readonly disturbed?: boolean;
  /** Outputs of this command only. */
  readonly outputs?: Outputs;
}

/** The result of a step that ran nothing, because of its inputs or environment. */
export function refusal(error: unknown): StepResult {
  const sentences = error instanceof RefusedError ? error.sentences : [messageOf(error)];
  const list = sentences.map((sentence) => `- ${inMarkdownWithCode(truncate(sentence, 2_000))}`);
  return {
    conclusion: "failure",
    stopReason: error instanceof AgentError ? "agent-error" : "internal",
    page: ["### ❌ until-green did not start", ...list].join("\n\n"),
    annotations: sentences.map((message) => annotation("error", message)),
  };
}

/** The result of a step that called no agent, because there is nothing to do. */
export const nothingToDo = (error: NothingToDoError): StepResult => ({
  ...passedOver(error.message),
  stopReason: "nothing-to-do",
});

/** The result of a step whose run is driven by another job. */
export function lost(run: string, { message }: Error): StepResult {
  return {
    conclusion: "failure",
    stopReason: "internal",
    page: `### until-green left run ${inlineCode(run)} to another job\n\n${inMarkdownWithCode(truncate(message, 2_000))}`,
    annotations: [annotation("error", message, "lost")],
    lost: true,
  };
}

/** The result of a job that found a paused run of its goal, which another job was quicker to resume. */
export const leftToOther = (run: string): StepResult =>
  nothingToDo(
    new NothingToDoError(`nothing to do: another job resumed run ${run}, which works on this goal`),
  );

/**
 * The exit code of the program: 0 only for success. The action's last step is also green for `paused` and `skipped`.
 */
export const exitCodeOf = ({ conclusion, lost }: Pick<StepResult, "conclusion" | "lost">): number =>
  lost ? 5 : exitCodes[conclusion];

const exitCodes: Readonly<Record<Conclusion, number>> = {
  success: 0,
  paused: 3,
  skipped: 6,
  failure: 1,
  cancelled: 1,
};

interface Ran {
  readonly summary: Summary;
  readonly output: string;
  readonly cwd: string;
  /** Where the run is stored during the job. */
  readonly runs: string;
  /** The error because of which the run neither paused nor ended. */
  readonly fault?: unknown;
  readonly stateRef?: string | undefined;
  readonly file?: string | undefined;
  /** The repository, for links to diffs. */
  readonly site?: Parameters<typeof diffUrl>[0] | undefined;
  /** Additional notices. */
  readonly more?: readonly Annotation[];
  /** How agents and checks were isolated from the rest of the machine. */
  readonly walls?: readonly Wall[];
}

/** The result of a step that drove a run to its end, a pause, or an error. */
export function runEnding(ran: Ran): StepResult {
  const { output, cwd, fault, stateRef, file, site, more = [], walls = [] } = ran;
  const summary = fault === undefined ? ran.summary : broken(ran.summary, fault);
  const conclusion = summary.state === "paused" ? "paused" : (summary.conclusion ?? "failure");
  const stopReason = summary.stopReason ?? "internal";
  // The host cannot compare commits it does not have.
  const links =
    site === undefined || stateRef === undefined || file !== undefined ? {} : { diffUrl: diffUrl(site) };
  const banner = bannerOf(conclusion, stopReason, ran);
  return {
    conclusion,
    stopReason,
    page: [...banner, runMarkdown(summary, links), isolationSection(walls)].join("\n\n"),
    annotations: [...annotationsOf(conclusion, summary), ...more],
    summary,
    output,
    cwd,
    ...defined({ stateRef }),
  };
}

function broken(summary: Summary, fault: unknown): Summary {
  const cause = fault instanceof Error ? fault.cause : undefined;
  const stopReason = [fault, cause].some((it) => it instanceof AgentError) ? "agent-error" : "internal";
  return { ...summary, state: "ended", conclusion: "failure", stopReason, because: messageOf(fault) };
}

/** A green job must not hide that the work is unfinished. */
function bannerOf(conclusion: Conclusion, stopReason: StopReason, ran: Ran): readonly string[] {
  if (conclusion === "skipped") {
    if (stopReason === "nothing-to-do" && ran.summary.iterations > 0)
      return [
        "> [!NOTE]\n> **Nothing was changed.** The job is green because no iteration was better than the start.",
      ];
    const why =
      stopReason === "nothing-to-do" ? "the check was already green" : "no node of the workflow was selected";
    return [`> [!NOTE]\n> **Skipped: no agent was called.** The job is green because ${why}.`];
  }
  if (conclusion !== "paused") return [];
  const waits = pauseWords[stopReason] ?? "the time ran out before the work was done";
  return [
    [
      "> [!WARNING]",
      `> **Paused: ${waits}.** The job is green because nothing failed, but the work is not done.`,
      ...keptWhere(ran),
    ].join("\n"),
  ];
}

const pauseWords: Partial<Record<StopReason, string>> = {
  gate: "waiting for a person",
  requested: "a person asked for it",
  "rate-limit": "the model provider accepts no requests for now",
  outage: "the model provider is unavailable",
};

function keptWhere({ summary: { run }, runs, stateRef, file }: Ran): readonly string[] {
  if (file !== undefined)
    return [
      `> The run is stored in the file ${inlineCode(file)}. Pass it to another job as an artifact; there,`,
      `> ${inlineCode("command: resume")} with ${inlineCode(`run-id: ${run}`)} and ${inlineCode(`store: bundle:${file}`)} resumes it.`,
    ];
  if (stateRef === undefined)
    return [
      `> The run is kept on this runner only. In a later step of this job you can use the commands below with`,
      `> ${inlineCode(`--store dir:${runs}`)}. When the job ends, run ${inlineCode(run)} is lost.`,
    ];
  return [
    `> The run is stored in ${inlineCode(stateRef)}. To resume it, use the commands below in a clone, with`,
    `> ${inlineCode("--store git")}, or a job with ${inlineCode("command: resume")} and ${inlineCode(`run-id: ${run}`)}.`,
  ];
}

/** The content of the job's summary page. */
export function annotationsOf(conclusion: Conclusion, summary: Summary): readonly Annotation[] {
  const level = needsReview(summary) ? "warning" : levels[conclusion];
  if (level === undefined) return [];
  const reason = summary.because === undefined ? "" : `\n${truncate(summary.because, 1_000)}`;
  return [annotation(level, headline(summary) + reason, conclusion)];
}

const levels: Readonly<Record<Conclusion, Annotation["level"] | undefined>> = {
  success: undefined,
  skipped: "notice",
  paused: "warning",
  failure: "error",
  cancelled: "error",
};

/** The result of a job that had nothing to do. */
export const passedOver = (reason: string): StepResult => ({
  conclusion: "skipped",
  stopReason: "not-selected",
  page: `### ⏭️ ${reason[0]?.toUpperCase()}${reason.slice(1)}`,
  annotations: [annotation("notice", reason)],
});
