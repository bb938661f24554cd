import { signRun } from "./live-page.ts";

/** Where people reach the app's pages. */
export interface Pages {
  /** Like `https://loops.example.com`. */
  readonly origin: string;
  /** Signs links to the pages of private repositories. */
  readonly secret: string;
}

/** A run, by all that names it. */
export interface RunPlace {
  readonly owner: string;
  readonly repo: string;
  readonly run: string;
  readonly isPrivate: boolean;
}

/**
 * The address of a run's page; of a private repository with a key that holds for one to two weeks. All links of a week
 * are alike, so that a comment is not edited for them.
 */
export function linkTo({ origin, secret }: Pages, place: RunPlace, now: number): string {
  const { owner, repo, run, isPrivate } = place;
  const path = `${owner}/${repo}/${run}`;
  const link = `${origin}/runs/${path}`;
  if (!isPrivate) return link;
  const until = (Math.floor(now / weekMs) + 2) * weekMs;
  return `${link}?key=${encodeURIComponent(signRun(secret, path.toLowerCase(), until))}`;
}

const weekMs = 7 * 24 * 60 * 60_000;

/** Reads the public address of the pages; throws if it is not a URL. */
export function readOrigin(url: string | undefined): string | undefined {
  if (!url) return undefined;
  const read = URL.canParse(url) ? new URL(url) : undefined;
  if (read === undefined || !/^https?:$/.test(read.protocol))
    throw new Error(`PUBLIC_URL is ${JSON.stringify(url)}: give an address like https://loops.example.com`);
  return read.href.replace(/[?#].*$/, "").replace(/\/+$/, "");
}
