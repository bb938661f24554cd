import { signRun } from "./live-page.ts";

/** The public URL of the app's pages. */
export interface Pages {
  /** Like `https://loops.example.com`. */
  readonly origin: string;
  /** Signs links to the pages of private repositories. */
  readonly secret: string;
}

/** A run, identified completely. */
export interface RunPlace {
  readonly owner: string;
  readonly repo: string;
  readonly run: string;
  readonly isPrivate: boolean;
}

/**
 * The URL of a run's page; in a private repository with a key that is valid for one to two weeks. All links of one
 * week are equal, so that comments are not edited for them.
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

/** Parses the public URL of the pages; throws if it is invalid. */
export function readOrigin(url: string | undefined): string | undefined {
  if (!url) return undefined;
  const read = URL.canParse(url) ? new URL(url) : undefined;
  if (read === undefined || !/^https?:$/.test(read.protocol))
    throw new Error(`PUBLIC_URL is ${JSON.stringify(url)}: give an address like https://loops.example.com`);
  return read.href.replace(/[?#].*$/, "").replace(/\/+$/, "");
}
