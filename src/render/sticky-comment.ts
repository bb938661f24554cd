import type { RunStatus } from "../status/run-status.ts";
import { inlineCode } from "./escape.ts";
import { maxCharacters, runMarkdown } from "./run-markdown.ts";

/** The links of a page. */
export interface PageLinks {
  /** Like `https://github.com`. */
  readonly server: string;
  /** `owner/name`. */
  readonly repository: string;
  /** The URL of the run's live page. */
  readonly page?: string | undefined;
  /** The last known commit of the run's signed record. */
  readonly mark?: string | undefined;
}

/** The first line of a run's comment, by which it is found again. */
export const stickyMarker = (run: string) => `<!-- until-green:run=${run} -->`;

/** A line with the commit of a signed record, by which a rollback of the record is detected; empty without one. */
export const markLine = (mark: string | undefined): string =>
  mark === undefined ? "" : `<!-- until-green:record=${mark} -->\n`;

/** The commit in such a line. */
export const markIn = (body = ""): string | undefined =>
  /^<!-- until-green:record=([0-9a-f]{40,64}) -->$/m.exec(body)?.[1];

interface CommentParts {
  /** The current comment: every writer keeps its mark and its link to the run's page. */
  readonly before?: string | undefined;
  /** What people should read first, in Markdown. */
  readonly note?: string | undefined;
}

/** The body of a run's comment on a pull request: the marker, then the page; at most 65,536 characters. */
export function stickyComment(
  status: RunStatus,
  site: PageLinks,
  { before, note }: CommentParts = {},
): string {
  const warning = note === undefined ? "" : `> [!WARNING]\n> ${note}\n\n`;
  const mark = markLine(site.mark ?? markIn(before));
  const head = `${stickyMarker(status.summary.run)}\n${mark}${warning}`;
  const foot = footOf(status, { ...site, page: site.page ?? pageIn(before) });
  const most = maxCharacters - head.length - foot.length - 2;
  return `${head}${runMarkdown(status.summary, { answerBy: "comment", diffUrl: diffUrl(site), most })}${foot}`;
}

const live = "follow it live";

/** The link to the run's page in the last line of our comment. */
const pageIn = (body = "") => /\n<sub>.*\[follow it live\]\(([^()\s<>]+)\).*<\/sub>\s*$/.exec(body)?.[1];

/** The address of the diff between two commits. */
export const diffUrl =
  ({ server, repository }: PageLinks) =>
  (from: string, to: string): string =>
    `${server}/${repository}/compare/${from}...${to}`;

function footOf({ origin, job }: RunStatus, { server, repository, page }: PageLinks): string {
  const link = (text: string, to: string | undefined) =>
    to === undefined ? [] : [`[${text}](${to.replace(/[\s()<>]/g, encodeURIComponent)})`];
  const log = job === undefined ? undefined : `${server}/${repository}/actions/runs/${job.run}`;
  const links = [...link(live, page), ...link("job log", log)];
  const head = origin?.head === undefined ? [] : [`started at ${inlineCode(origin.head.slice(0, 12))}`];
  const parts = [...head, ...links];
  return parts.length === 0 ? "" : `\n<sub>${parts.join(" · ")}</sub>\n`;
}
