import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isRunId, readStanding, type Standing } from "../src/index.ts";
import { belongsHere } from "./find-run.ts";
import { isSigned, livePage, livePart, type Repository } from "./page.ts";
import type { Site } from "./site.ts";

/** What the pages of the app are made from. */
export interface PageSource {
  /** The repository, where the app is installed in it. */
  open(owner: string, repo: string): Promise<OpenedRepository | undefined>;
  metrics(): string;
  /** Signs links to the pages of private repositories. */
  readonly secret: string;
  /** How often a page that somebody looks at is looked after, in milliseconds. */
  readonly everyMs?: number;
}

export interface OpenedRepository {
  readonly site: Site;
  readonly isPrivate: boolean;
}

/** Answers the app's own pages; `false` for what is none of them. */
export function openPages(
  source: PageSource,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  const viewers = { now: 0 };
  return async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (request.method !== "GET") return false;
    if (pathname === "/healthz") return send(response, { type: "text/plain", body: "ok\n" });
    if (pathname === "/metrics")
      return send(response, { type: "text/plain; version=0.0.4", body: source.metrics() });
    const asked = readPath(pathname);
    if (asked === undefined) return false;
    return await showRun(response, viewers, { source, asked, key: searchParams.get("key") ?? "" });
  };
}

async function showRun(
  response: ServerResponse,
  viewers: { now: number },
  wanted: Omit<Watched, "standing" | "repository">,
) {
  const { source, asked, key } = wanted;
  const seen = await look(source, asked, key);
  if (seen === undefined) return send(response, { status: 404, type: "text/plain", body: notHere });
  if (asked.isLive) return await watch(response, viewers, { ...wanted, ...seen });
  const nonce = randomBytes(16).toString("base64url");
  const path = `/runs/${asked.owner}/${asked.repo}/${asked.run}/events`;
  const events = key === "" ? path : `${path}?key=${encodeURIComponent(key)}`;
  return send(response, {
    type: "text/html; charset=utf-8",
    body: livePage(seen.standing, { repository: seen.repository, nonce, events }),
  });
}

interface Watched {
  readonly source: PageSource;
  readonly asked: Asked;
  readonly key: string;
  readonly standing: Standing;
  readonly repository: Repository;
}

async function watch(response: ServerResponse, viewers: { now: number }, watched: Watched): Promise<true> {
  const { source, asked, key, standing, repository } = watched;
  if (viewers.now >= mostWatching)
    return send(response, { status: 503, type: "text/plain", body: "too many look on; try again later\n" });
  viewers.now += 1;
  response.on("close", () => {
    viewers.now -= 1;
  });
  const again = async () => (await look(source, asked, key))?.standing;
  await follow(response, { standing, repository, look: again, everyMs: source.everyMs ?? 5_000 });
  return true;
}

const mostWatching = 200;
const notHere = "There is no such run here, or it takes the link from the run's comment to see it.\n";

interface Asked {
  readonly owner: string;
  readonly repo: string;
  readonly run: string;
  readonly isLive: boolean;
}

function readPath(path: string): Asked | undefined {
  const [, owner = "", repo = "", run = "", live] =
    /^\/runs\/([A-Za-z0-9][\w-]{0,99})\/([\w.-]{1,100})\/([a-z0-9-]+)(\/events)?$/.exec(path) ?? [];
  return owner === "" || !isRunId(run) || /^\.+$/.test(repo)
    ? undefined
    : { owner, repo, run, isLive: live !== undefined };
}

/** The run, for whoever may see it; a private one without its key is as one that is not there. */
async function look(
  source: PageSource,
  { owner, repo, run }: Asked,
  key: string,
): Promise<{ readonly standing: Standing; readonly repository: Repository } | undefined> {
  const opened = await source.open(owner, repo).catch(() => undefined);
  if (opened === undefined) return undefined;
  const name = `${owner}/${repo}/${run}`.toLowerCase();
  if (opened.isPrivate && !isSigned(source.secret, name, { key, now: Date.now() })) return undefined;
  const { tip } = await opened.site.look(run).catch(() => ({ tip: undefined }));
  const standing = readStanding(tip?.state["standing"]);
  if (standing === undefined || !belongsHere(opened.site, standing)) return undefined;
  return { standing, repository: opened.site };
}

interface Reply {
  readonly status?: number;
  readonly type: string;
  readonly body: string;
}

function send(response: ServerResponse, { status = 200, type, body }: Reply): true {
  response.writeHead(status, {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  response.end(body);
  return true;
}

interface Following {
  readonly standing: Standing;
  readonly repository: Repository;
  look(): Promise<Standing | undefined>;
  readonly everyMs: number;
}

/** Sends the page's changes as they come, until the run has ended or nobody looks any more. */
async function follow(
  response: ServerResponse,
  { standing, repository, look: lookAgain, everyMs }: Following,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  let shown = "";
  let now: Standing | undefined = standing;
  const end = performance.now() + longestMs;
  while (now !== undefined && !response.closed && performance.now() < end) {
    const part = livePart(now, repository);
    response.write(part === shown ? ": still here\n\n" : `data: ${JSON.stringify(part)}\n\n`);
    shown = part;
    if (now.summary.state === "ended") break;
    await rest(response, everyMs);
    if (!response.closed) now = await lookAgain().catch(() => now);
  }
  // A page whose time is up asks again by itself; one of a run that has ended does not.
  response.end(now?.summary.state === "ended" ? "event: end\ndata: over\n\n" : undefined);
}

/** A browser asks again by itself when this is over. */
const longestMs = 15 * 60_000;

/** Waits, but no longer than somebody looks. */
const rest = (response: ServerResponse, ms: number) =>
  new Promise<void>((done) => {
    const timer = setTimeout(finish, ms);
    function finish() {
      clearTimeout(timer);
      response.off("close", finish);
      done();
    }
    response.on("close", finish);
  });
