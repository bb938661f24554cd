import { inlineCode } from "./escape.ts";
import { mostCharacters, page } from "./page.ts";
import type { Standing } from "./standing.ts";

/** Where the page's links lead. */
export interface Site {
  /** Like `https://github.com`. */
  readonly server: string;
  /** `owner/name`. */
  readonly repository: string;
  /** The job's log; none where nothing works on the run. */
  readonly job?: string | undefined;
  /** A page that follows the run as it goes on. */
  readonly page?: string | undefined;
}

/** The first line of the one comment of a run, by which it is found again. */
export const stickyMarker = (run: string) => `<!-- until-green:run=${run} -->`;

/** A run as the body of its comment on a pull request: the marker, then the page; at most 65,536 characters. */
export function stickyComment(standing: Standing, site: Site): string {
  const marker = stickyMarker(standing.summary.run);
  const foot = footOf(standing, site);
  const most = mostCharacters - marker.length - foot.length - 2;
  return `${marker}\n${page(standing.summary, { answerBy: "comment", diffUrl: diffUrl(site), most })}${foot}`;
}

/** The address of what changed between two commits, for the links of a page. */
export const diffUrl =
  ({ server, repository }: Site) =>
  (from: string, to: string): string =>
    `${server}/${repository}/compare/${from}...${to}`;

function footOf({ summary, origin }: Standing, { job, page }: Site): string {
  const link = (text: string, to: string | undefined) =>
    to === undefined ? [] : [`[${text}](${to.replace(/[\s()<>]/g, encodeURIComponent)})`];
  const log = [...link("follow it live", page), ...link("job log", job)];
  const head = origin?.head === undefined ? [] : [`began at ${inlineCode(origin.head.slice(0, 12))}`];
  const answer = summary.gates.length === 0 ? [] : ["to answer, post one of the commands as a new comment"];
  const parts = [...answer, ...head, ...log];
  return parts.length === 0 ? "" : `\n<sub>${parts.join(" · ")}</sub>\n`;
}
