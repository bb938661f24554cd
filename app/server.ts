import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RepositoryContext } from "../src/api/github.ts";
import { belongsHere } from "../src/api/github.ts";
import { isRunId, parseRunStatus, type RunStatus } from "../src/api/runs.ts";
import { isSigned, livePart, type Repository, runPage } from "./live-page.ts";
import { type LookUps, openLookUps, TooManyLookUps } from "./look-ups.ts";

/** The data for the pages of the app. */
export interface PageSource {
  /** The repository, if the app is installed in it. */
  open(owner: string, repo: string): Promise<OpenedRepository | undefined>;
  metrics(): string;
  /** The bearer token for the metrics; without it, they are disabled. */
  readonly metricsToken?: string | undefined;
  /** Signs links to the pages of private repositories. */
  readonly secret: string;
  /** Milliseconds between two updates of a page with viewers. */
  readonly everyMs?: number;
}

export interface OpenedRepository {
  readonly site: RepositoryContext;
  readonly isPrivate: boolean;
}

/** The app's own pages. */
export interface Pages {
  /** `false` if the request is for none of them. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Closes the connections of viewers; browsers reconnect by themselves. */
  close(): void;
}

/** Opens the pages. All viewers of a run share its requests to GitHub. */
export function openPages(source: PageSource): Pages {
  const viewers = new Set<ServerResponse>();
  const everyMs = source.everyMs ?? 5_000;
  // Whether a repository is private must not be out of date, so known ones are always asked about again.
  const opened = openLookUps<OpenedRepository>({ forMs: reopenMs, mostUnknown, mostKnown: Infinity });
  const looked = openLookUps<RunStatus>({ forMs: everyMs / 2, mostUnknown, mostKnown });
  const pages: PageContext = { source, viewers, everyMs, opened, looked };
  return {
    async answer(request, response) {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
      // Monitors may send HEAD; Node drops the body.
      const isHead = request.method === "HEAD";
      if (request.method !== "GET" && !isHead) return false;
      if (pathname === "/healthz") return send(response, { type: "text/plain", body: "ok\n" });
      if (pathname === "/metrics" && mayWatch(source, request))
        return send(response, { type: "text/plain; version=0.0.4", body: source.metrics() });
      const page = readPath(pathname);
      if (page === undefined || (page.isLive && isHead)) return false;
      return await showRun(pages, response, { ...page, key: searchParams.get("key") ?? "" });
    },
    close() {
      for (const viewer of viewers) viewer.destroy();
    },
  };
}

function mayWatch({ metricsToken }: PageSource, { headers }: IncomingMessage): boolean {
  if (metricsToken === undefined) return false;
  return hashOf(headers.authorization ?? "") === hashOf(`Bearer ${metricsToken}`);
}

/** Compares hashes of equal length, so that timing reveals nothing about a guess. */
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** How long to cache whether a repository is installed and private, in milliseconds. */
const reopenMs = 60_000;

/** Look-ups per minute: together less than the 5,000 requests an hour that GitHub grants an installation. */
const mostUnknown = 20;
const mostKnown = 40;

/** Shared by all requests. */
interface PageContext {
  readonly source: PageSource;
  readonly viewers: Set<ServerResponse>;
  readonly everyMs: number;
  readonly opened: LookUps<OpenedRepository>;
  readonly looked: LookUps<RunStatus>;
}

async function showRun(pages: PageContext, response: ServerResponse, request: PageRequest) {
  const { owner, repo, run, isLive, key } = request;
  const seen = await look(pages, request);
  if (seen === tooMany)
    return send(response, { status: 429, type: "text/plain", body: tooMany, retryIn: 60 });
  if (seen === undefined) return send(response, { status: 404, type: "text/plain", body: notHere });
  if (isLive) return await watch(pages, response, { ...request, ...seen });
  const nonce = randomBytes(16).toString("base64url");
  const path = `/runs/${owner}/${repo}/${run}/events`;
  const events = key === "" ? path : `${path}?key=${encodeURIComponent(key)}`;
  return send(response, {
    type: "text/html; charset=utf-8",
    body: runPage(seen.status, { repository: seen.repository, nonce, events }),
  });
}

interface ShownRun {
  readonly status: RunStatus;
  readonly repository: Repository;
}

async function watch(
  pages: PageContext,
  response: ServerResponse,
  watched: PageRequest & ShownRun,
): Promise<true> {
  const { viewers } = pages;
  if (viewers.size >= mostWatching)
    return send(response, { status: 503, type: "text/plain", body: "too many viewers; try again later\n" });
  viewers.add(response);
  response.on("close", () => viewers.delete(response));
  await follow(pages, response, watched);
  return true;
}

const mostWatching = 200;
const tooMany = "too many runs were looked up; try again in a minute\n";
const notHere = "There is no such run, or you need the link in the run's comment to see it.\n";

interface PageRequest {
  readonly owner: string;
  readonly repo: string;
  readonly run: string;
  /** True for the updates of the page. */
  readonly isLive: boolean;
  readonly key: string;
}

function readPath(path: string): Omit<PageRequest, "key"> | undefined {
  const [, owner = "", repo = "", run = "", live] =
    /^\/runs\/([A-Za-z0-9][\w-]{0,99})\/([\w.-]{1,100})\/([a-z0-9-]+)(\/events)?$/.exec(path) ?? [];
  return owner === "" || !isRunId(run) || /^\.+$/.test(repo)
    ? undefined
    : { owner, repo, run, isLive: live !== undefined };
}

/** The run, if the request may see it; `undefined` for a private run without its key. */
async function look(
  pages: PageContext,
  request: PageRequest,
): Promise<ShownRun | typeof tooMany | undefined> {
  try {
    return await find(pages, request);
  } catch (error) {
    return error instanceof TooManyLookUps ? tooMany : undefined;
  }
}

async function find(
  { source, opened, looked }: PageContext,
  { owner, repo, run, key }: PageRequest,
): Promise<ShownRun | undefined> {
  const place = `${owner}/${repo}`.toLowerCase();
  const name = `${place}/${run}`;
  const here = await opened(place, "", () => source.open(owner, repo));
  if (here === undefined) return undefined;
  if (here.isPrivate && !isSigned(source.secret, name, { key, now: Date.now() })) return undefined;
  // An owner's repositories share the requests that GitHub grants.
  const status = await looked(name, owner.toLowerCase(), async () =>
    parseRunStatus((await here.site.look(run)).tip?.state["status"]),
  );
  if (status === undefined || !(await belongsHere(here.site, status))) return undefined;
  return { status, repository: here.site };
}

interface Reply {
  readonly status?: number;
  readonly type: string;
  readonly body: string;
  /** In seconds. */
  readonly retryIn?: number;
}

function send(response: ServerResponse, { status = 200, type, body, retryIn }: Reply): true {
  if (retryIn !== undefined) response.setHeader("retry-after", retryIn);
  response.writeHead(status, {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  response.end(body);
  return true;
}

/** Sends the page's changes until the run ends or the viewer leaves. */
async function follow(
  pages: PageContext,
  response: ServerResponse,
  { status, repository, ...request }: PageRequest & ShownRun,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  let shown = "";
  let now: RunStatus | undefined = status;
  const end = performance.now() + longestMs;
  while (now !== undefined && !response.closed && performance.now() < end) {
    const part = livePart(now, repository);
    response.write(part === shown ? ": still here\n\n" : `data: ${JSON.stringify(part)}\n\n`);
    shown = part;
    if (now.summary.state === "ended") break;
    // Waits, but at most until the viewer leaves.
    await once(response, "close", { signal: AbortSignal.timeout(pages.everyMs) }).catch(() => undefined);
    if (response.closed) break;
    const seen = await look(pages, request);
    now = seen === tooMany ? now : seen?.status;
  }
  // A page reconnects when its time is up; the page of an ended run does not.
  response.end(now?.summary.state === "ended" ? "event: end\ndata: over\n\n" : undefined);
}

/** A browser reconnects by itself when this response ends. */
const longestMs = 15 * 60_000;
