import type { Conclusion, Notice } from "../engine/told.ts";
import { itemOf } from "../ports/item.ts";
import { oneLine, plain } from "./escape.ts";
import { headline } from "./headline.ts";
import { listed } from "./kept.ts";
import { page } from "./page.ts";
import type { Standing } from "./standing.ts";
import { diffUrl, type Site } from "./sticky.ts";
import type { Summary } from "./summary.ts";
import { cut, shortened } from "./words.ts";

/** A run as a check on a commit shows it. */
export interface CheckPage {
  readonly status: "in_progress" | "completed";
  /** Only of a completed one. A run that waits is completed too: an open check goes stale. */
  readonly conclusion?: "success" | "failure" | "neutral" | "cancelled" | "skipped" | "action_required";
  readonly title: string;
  /** Markdown, at most 65,535 characters. */
  readonly summary: string;
  /** The buttons; at most 3. */
  readonly actions: readonly Button[];
  /** Lines of files that the run said something of; at most 50. */
  readonly annotations: readonly Annotation[];
}

interface Button {
  readonly label: string;
  readonly description: string;
  /** At most 20 characters: what to do, and the nonce of the gate it was shown for. */
  readonly identifier: string;
}

interface Annotation {
  readonly path: string;
  readonly line: number;
  readonly level: "notice" | "warning" | "failure";
  readonly title: string;
  readonly message: string;
}

/** What a button asks for, as its identifier says. */
export interface Pressed {
  readonly verb: "approve" | "reject" | "stop";
  /** Of the gate it was shown for; `undefined` for a run that was at work. */
  readonly nonce: string | undefined;
}

/** The name of a run's check: its workflow's, shortened, and of an item its number. */
export function checkName({ workflow, run }: Summary): string {
  const item = itemOf(run);
  const which = item === undefined ? "" : ` (item ${item.number})`;
  return shortened(`until-green: ${oneLine(workflow) || "a run"}`, 100 - which.length) + which;
}

/** A run as a check shows it, cut to what GitHub takes. */
export function checkPage(standing: Standing, site: Site): CheckPage {
  const { summary } = standing;
  const conclusion = conclusionOf(summary);
  return {
    status: conclusion === undefined ? "in_progress" : "completed",
    ...(conclusion === undefined ? {} : { conclusion }),
    title: shortened(oneLine(headline(summary)), 200),
    summary: page(summary, { answerBy: "comment", diffUrl: diffUrl(site), most: mostSummary }),
    actions: buttonsOf(standing),
    annotations: annotationsOf(summary),
  };
}

/** Reads the identifier of a button that somebody pressed; `undefined` for none of ours. */
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

/** One that is to be continued by itself waits for nobody. */
function conclusionOf({ state, conclusion, stopReason }: Summary): CheckPage["conclusion"] {
  if (state === "running") return undefined;
  if (state === "paused") return stopReason === "time-limit" ? "neutral" : conclusions.paused;
  return conclusions[conclusion ?? "failure"];
}

function buttonsOf({ summary, gates }: Standing): readonly Button[] {
  const [gate] = gates;
  if (summary.state === "ended") return [];
  const stop = { label: "Stop", description: "Cancel the run" };
  if (gate === undefined) return [{ ...stop, identifier: "stop" }];
  return [
    { label: "Approve", description: "Go on, without further words", identifier: `approve:${gate.nonce}` },
    { label: "Reject", description: "End the run as rejected", identifier: `reject:${gate.nonce}` },
    { ...stop, identifier: `stop:${gate.nonce}` },
  ];
}

function annotationsOf({ notices }: Summary): readonly Annotation[] {
  return listed(notices)
    .flatMap((notice) => annotationOf(notice))
    .slice(0, mostAnnotations);
}

function annotationOf({ file, line, code, message, hint }: Notice): readonly Annotation[] {
  if (file === undefined || line === undefined || line < 1) return [];
  const said = plain(hint === undefined ? message : `${message}\n${hint}`);
  return [
    { path: file, line, level: "warning", title: shortened(oneLine(code), 200), message: cut(said, 4_000) },
  ];
}
