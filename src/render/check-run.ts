import type { Notice } from "../engine/event-parts.ts";
import type { Conclusion } from "../engine/run-events.ts";
import { itemOf } from "../ports/item.ts";
import { toArray } from "../status/bounded-list.ts";
import { shortened, truncate } from "../status/format.ts";
import { headline, isToReview } from "../status/headline.ts";
import type { RunStatus } from "../status/run-status.ts";
import type { Summary } from "../status/run-summary.ts";
import { oneLine, stripControlCharacters } from "./escape.ts";
import { runMarkdown } from "./run-markdown.ts";
import { diffUrl, markLine, type PageLinks } from "./sticky-comment.ts";

/** A run as a check run on a commit. */
export interface CheckPage {
  readonly status: "in_progress" | "completed";
  /**
   * Set only for a completed check. A run that waits for a person counts as completed: an open check would go stale.
   */
  readonly conclusion?: "success" | "failure" | "neutral" | "cancelled" | "skipped" | "action_required";
  readonly title: string;
  /** Markdown, at most 65,535 characters. */
  readonly summary: string;
  /** The buttons; at most 3. */
  readonly actions: readonly Button[];
  /** Annotations on lines of files; at most 50. */
  readonly annotations: readonly Annotation[];
}

interface Button {
  readonly label: string;
  readonly description: string;
  /** At most 20 characters: the action, and the nonce of the gate that the button was shown for. */
  readonly identifier: string;
}

interface Annotation {
  readonly path: string;
  readonly line: number;
  readonly level: "notice" | "warning" | "failure";
  readonly title: string;
  readonly message: string;
}

/** A pressed button, parsed from its identifier. */
export interface Pressed {
  readonly verb: "approve" | "reject" | "stop";
  /** The nonce of the gate that the button was shown for; `undefined` if it was shown while the run was running. */
  readonly nonce: string | undefined;
}

/** The name of a run's check: its workflow's name, shortened, with the item number if it has one. */
export function checkName({ workflow, run }: Pick<Summary, "workflow" | "run">): string {
  const item = itemOf(run);
  const which = item === undefined ? "" : ` (item ${item.number})`;
  return shortened(`until-green: ${oneLine(workflow) || "a run"}`, 100 - which.length) + which;
}

/** A run as a check run, within GitHub's limits. */
export function checkPage(status: RunStatus, site: PageLinks): CheckPage {
  const { summary } = status;
  const conclusion = conclusionOf(summary);
  const mark = markLine(site.mark);
  const most = mostSummary - mark.length;
  return {
    status: conclusion === undefined ? "in_progress" : "completed",
    ...(conclusion === undefined ? {} : { conclusion }),
    title: shortened(oneLine(headline(summary)), 200),
    summary: `${mark}${runMarkdown(summary, { answerBy: "comment", heading: false, diffUrl: diffUrl(site), most })}`,
    actions: buttonsOf(status),
    annotations: annotationsOf(summary),
  };
}

/** Parses the identifier of a pressed button; `undefined` if it is not ours. */
export function readButton(identifier: string): Pressed | undefined {
  const [, verb, nonce] = /^(approve|reject|stop)(?::([0-9a-z]{10}))?$/.exec(identifier) ?? [];
  return verb === undefined ? undefined : { verb: verb as Pressed["verb"], nonce };
}

const mostSummary = 65_535;
const mostAnnotations = 50;

const conclusions: Readonly<Record<Conclusion, NonNullable<CheckPage["conclusion"]>>> = {
  success: "success",
  failure: "failure",
  paused: "action_required",
  skipped: "skipped",
  cancelled: "cancelled",
};

/** A run that resumes by itself needs no person. */
function conclusionOf(summary: Summary): CheckPage["conclusion"] {
  const { state, conclusion, stopReason } = summary;
  if (isToReview(summary)) return "neutral";
  if (state === "running") return undefined;
  if (state === "paused")
    return stopReason === "gate" || stopReason === "requested" ? conclusions.paused : "neutral";
  return conclusions[conclusion ?? "failure"];
}

function buttonsOf({ summary, gates }: RunStatus): readonly Button[] {
  const [gate] = gates;
  if (summary.state === "ended") return [];
  const stop = { label: "Stop", description: "Cancel the run" };
  if (gate === undefined) return [{ ...stop, identifier: "stop" }];
  return [
    { label: "Approve", description: "Continue without feedback", identifier: `approve:${gate.nonce}` },
    { label: "Reject", description: "End the run as rejected", identifier: `reject:${gate.nonce}` },
    { ...stop, identifier: `stop:${gate.nonce}` },
  ];
}

function annotationsOf({ notices }: Summary): readonly Annotation[] {
  return toArray(notices)
    .flatMap((notice) => annotationOf(notice))
    .slice(0, mostAnnotations);
}

function annotationOf({ file, line, code, message, hint }: Notice): readonly Annotation[] {
  if (file === undefined || line === undefined || line < 1) return [];
  const text = stripControlCharacters(hint === undefined ? message : `${message}\n${hint}`);
  return [
    {
      path: file,
      line,
      level: "warning",
      title: shortened(oneLine(code), 200),
      message: truncate(text, 4_000),
    },
  ];
}
