import { inlineCode } from "./escape.ts";
import { mostCharacters, page } from "./page.ts";
import type { Standing } from "./standing.ts";

/** Where the page's links lead. */
export interface Site {
  /** Like `https://github.com`. */
  readonly server: string;
  /** `owner/name`. */
  readonly repository: string;
  /** A page that follows the run as it goes on. */
  readonly page?: string | undefined;
}

/** The first line of the one comment of a run, by which it is found again. */
export const stickyMarker = (run: string) => `<!-- until-green:run=${run} -->`;

interface Around {
  /** The comment as it is now: a link to the run's page stays in it, whoever writes it anew. */
  readonly before?: string | undefined;
  /** What people should know before all else, in Markdown. */
  readonly note?: string | undefined;
}

/** A run as the body of its comment on a pull request: the marker, then the page; at most 65,536 characters. */
export function stickyComment(standing: Standing, site: Site, { before, note }: Around = {}): string {
  const warning = note === undefined ? "" : `> [!WARNING]\n> ${note}\n\n`;
  const head = `${stickyMarker(standing.summary.run)}\n${warning}`;
  const foot = footOf(standing, { ...site, page: site.page ?? pageIn(before) });
  const most = mostCharacters - head.length - foot.length - 2;
  return `${head}${page(standing.summary, { answerBy: "comment", diffUrl: diffUrl(site), most })}${foot}`;
}

const live = "follow it live";

/** What the last line of a comment of ours links as the run's page. */
const pageIn = (body = "") => /\n<sub>.*\[follow it live\]\(([^()\s<>]+)\).*<\/sub>\s*$/.exec(body)?.[1];

/** The address of what changed between two commits, for the links of a page. */
export const diffUrl =
  ({ server, repository }: Site) =>
  (from: string, to: string): string =>
    `${server}/${repository}/compare/${from}...${to}`;

function footOf({ summary, origin, job }: Standing, { server, repository, page }: Site): string {
  const link = (text: string, to: string | undefined) =>
    to === undefined ? [] : [`[${text}](${to.replace(/[\s()<>]/g, encodeURIComponent)})`];
  const log = job === undefined ? undefined : `${server}/${repository}/actions/runs/${job.run}`;
  const links = [...link(live, page), ...link("job log", log)];
  const head = origin?.head === undefined ? [] : [`began at ${inlineCode(origin.head.slice(0, 12))}`];
  const answer = summary.gates.length === 0 ? [] : ["to answer, post one of the commands as a new comment"];
  const parts = [...answer, ...head, ...links];
  return parts.length === 0 ? "" : `\n<sub>${parts.join(" · ")}</sub>\n`;
}
