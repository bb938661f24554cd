import { firstPart } from "../ports/shorten.ts";

/** A check of the pull request's head, from any app. */
export interface SeenCheck {
  readonly name: string;
  readonly state: "passed" | "failed" | "pending";
  /** The end of its log, if it failed and the host provides it. */
  readonly log?: string | undefined;
  /** What its app says about it, if it failed. */
  readonly report?: SeenReport | undefined;
}

/** What an app reports about a failed check. */
export interface SeenReport {
  readonly title: string;
  /** Its summary and details. */
  readonly text: string;
  /** The first of its annotations. */
  readonly annotations: readonly SeenAnnotation[];
  /** How many more annotations there are. */
  readonly unread: number;
}

interface SeenAnnotation {
  readonly path: string;
  readonly line: number;
  readonly endLine: number;
  readonly level: string;
  readonly title: string;
  readonly message: string;
}

/** An unresolved review thread. */
export interface SeenThread {
  readonly id: string;
  readonly path: string;
  readonly line: number | undefined;
  readonly by: string;
  readonly text: string;
}

/** The last review of somebody who requested changes. */
export interface SeenReview {
  readonly id: string;
  readonly by: string;
  /** True for an app, which cannot be asked to review again. */
  readonly isApp: boolean;
  /** Empty if every comment is in a thread. */
  readonly text: string;
}

export interface SeenReadiness {
  /** The commit that was checked. */
  readonly head: string;
  readonly checks: readonly SeenCheck[];
  /** Whether workflow runs wait until someone approves them. */
  readonly needsApproval: boolean;
  readonly threads: readonly SeenThread[];
  /** Reviews whose request for changes is still in force. */
  readonly requests: readonly SeenReview[];
  readonly isApproved: boolean;
}

/** A goal's requirements for its pull request, besides its own check. */
export interface Demands {
  /** Names of checks; `true` for all of them. */
  readonly untilChecks?: true | readonly string[] | undefined;
  readonly untilReviews?: boolean | undefined;
  /** Whether its branch must be up to date if the base requires that. */
  readonly untilMergeable?: boolean | undefined;
}

export type Readiness =
  | { readonly is: "ready" }
  | { readonly is: "waiting"; readonly because: string }
  | {
      readonly is: "open";
      /** One key for each open item, so that no item is worked on twice. */
      readonly keys: readonly string[];
      /** For the agent. */
      readonly feedback: string;
      /** Threads to answer and resolve with the work. */
      readonly threads: readonly string[];
      /** The people who requested changes; they are asked to review again. */
      readonly reviewers: readonly string[];
    };

/** Whether a pull request that is green here is done, waits for others, or needs another attempt. */
export function readinessOf(seen: SeenReadiness, { untilChecks, untilReviews }: Demands): Readiness {
  const checks = checksOf(seen, untilChecks);
  const failed = checks.filter(({ state }) => state === "failed");
  const { threads, requests } = untilReviews === true ? seen : { threads: [], requests: [] };
  if (failed.length + threads.length + requests.length > 0) {
    const feedback = [...requests.map(reviewText), ...threads.map(threadText), ...failed.map(checkText)];
    return {
      is: "open",
      keys: [
        ...failed.map(({ name }) => `${seen.head} ${name}`),
        ...[...threads, ...requests].map(({ id }) => id),
      ],
      feedback: firstPart(feedback.join("\n\n"), 48_000),
      threads: threads.map(({ id }) => id),
      reviewers: requests.flatMap(({ by, isApp }) => (isApp ? [] : [by])),
    };
  }
  const because = waitsFor(seen, checks, { untilChecks, untilReviews });
  return because === undefined ? { is: "ready" } : { is: "waiting", because };
}

/** What the failed ones of these checks report, for an agent; `undefined` if none has failed. */
export function failedChecksText(checks: readonly SeenCheck[]): string | undefined {
  const failed = checks.filter(({ state }) => state === "failed");
  return failed.length === 0 ? undefined : firstPart(failed.map(checkText).join("\n\n"), 48_000);
}

/** What reviewers ask for, for an agent; `undefined` if nothing is open. */
export function reviewsText({ requests, threads }: Pick<SeenReadiness, "requests" | "threads">) {
  const texts = [...requests.map(reviewText), ...threads.map(threadText)];
  return texts.length === 0 ? undefined : firstPart(texts.join("\n\n"), 48_000);
}

/** The checks the goal requires; one that has not reported is pending. */
function checksOf({ checks }: SeenReadiness, wanted: Demands["untilChecks"]): readonly SeenCheck[] {
  if (wanted === undefined) return [];
  if (wanted === true) return checks;
  return wanted.map((name) => checks.find((check) => check.name === name) ?? { name, state: "pending" });
}

function waitsFor(
  { needsApproval, isApproved }: SeenReadiness,
  checks: readonly SeenCheck[],
  { untilChecks, untilReviews }: Demands,
): string | undefined {
  if (untilChecks !== undefined && needsApproval)
    return "its workflows wait for approval: click **Approve workflows to run** on the pull request, or pass a `push-token`";
  if (untilChecks !== undefined && checks.length === 0) return "no check has run on it yet";
  const pending = checks.filter(({ state }) => state === "pending").map(({ name }) => name);
  if (pending.length > 0) return `its checks have not finished: ${pending.slice(0, 5).join(", ")}`;
  return untilReviews === true && !isApproved ? "it waits for an approving review" : undefined;
}

function checkText({ name, log = "", report }: SeenCheck): string {
  const title = report?.title ?? "";
  const failed = title === "" ? `The check ${name} failed.` : `The check ${name} failed: ${title}`;
  return [firstPart(failed, 1_000), reportText(report), log].filter((text) => text !== "").join("\n");
}

/** At most 12,000 characters with the title. The annotations come first: they name the places to change. */
function reportText(report: SeenReport | undefined): string {
  if (report === undefined) return "";
  const { annotations, unread, text } = report;
  const more = annotations.length === 0 ? "" : " more";
  const note = unread === 0 ? "" : `[… ${unread}${more} annotation${unread === 1 ? "" : "s"} left out …]`;
  const places = firstPart(annotations.map(annotationText).join("\n"), 7_000);
  return [places, note, firstPart(text, 3_500)].filter((text) => text !== "").join("\n");
}

function annotationText({ path, line, endLine, level, title, message }: SeenAnnotation): string {
  const lines = endLine > line ? `${line}-${endLine}` : `${line}`;
  const what = title === "" ? message : `${title}: ${message}`;
  return `${path}:${lines} (${level}) ${firstPart(what, 1_000)}`;
}

const reviewText = ({ by, text }: SeenReview) => `${by} requests changes${text === "" ? "." : `:\n${text}`}`;

const threadText = ({ path, line, by, text }: SeenThread) =>
  `${by} asks at ${path}${line === undefined ? "" : `:${line}`}:\n${text}`;
