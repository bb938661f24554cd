import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isRunId, readStanding, type Standing } from "../src/index.ts";
import { belongsHere } from "./find-run.ts";
import { type Memory, openMemory } from "./memory.ts";
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

/** The app's own pages. */
export interface Pages {
  /** `false` for what is none of them. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Lets all go who look on; a browser asks again by itself. */
  close(): void;
}

/** Opens the pages. Whoever looks at a run shares what it costs to ask for it with all others who do. */
export function openPages(source: PageSource): Pages {
  const viewers = new Set<ServerResponse>();
  const everyMs = source.everyMs ?? 5_000;
  const opened = openMemory<OpenedRepository | undefined>(reopenMs);
  const looked = openMemory<Standing | undefined>(everyMs / 2);
  const desk: Desk = { source, viewers, everyMs, opened, looked };
  return {
    async answer(request, response) {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
      // Some who watch a server ask for the head of its answer only; Node leaves the rest away.
      const isHead = request.method === "HEAD";
      if (request.method !== "GET" && !isHead) return false;
      if (pathname === "/healthz") return send(response, { type: "text/plain", body: "ok\n" });
      if (pathname === "/metrics")
        return send(response, { type: "text/plain; version=0.0.4", body: source.metrics() });
      const asked = readPath(pathname);
      if (asked === undefined || (asked.isLive && isHead)) return false;
      return await showRun(desk, response, { asked, key: searchParams.get("key") ?? "" });
    },
    close() {
      for (const viewer of viewers) viewer.destroy();
    },
  };
}

/** How long a repository counts as installed, and as private or not, in milliseconds. */
const reopenMs = 60_000;

/** What all requests share. */
interface Desk {
  readonly source: PageSource;
  readonly viewers: Set<ServerResponse>;
  readonly everyMs: number;
  readonly opened: Memory<OpenedRepository | undefined>;
  readonly looked: Memory<Standing | undefined>;
}

interface Wanted {
  readonly asked: Asked;
  readonly key: string;
}

async function showRun(desk: Desk, response: ServerResponse, wanted: Wanted) {
  const { asked, key } = wanted;
  const seen = await look(desk, wanted);
  if (seen === undefined) return send(response, { status: 404, type: "text/plain", body: notHere });
  if (asked.isLive) return await watch(desk, response, { ...wanted, ...seen });
  const nonce = randomBytes(16).toString("base64url");
  const path = `/runs/${asked.owner}/${asked.repo}/${asked.run}/events`;
  const events = key === "" ? path : `${path}?key=${encodeURIComponent(key)}`;
  return send(response, {
    type: "text/html; charset=utf-8",
    body: livePage(seen.standing, { repository: seen.repository, nonce, events }),
  });
}

interface Seen {
  readonly standing: Standing;
  readonly repository: Repository;
}

async function watch(desk: Desk, response: ServerResponse, watched: Wanted & Seen): Promise<true> {
  const { viewers, everyMs } = desk;
  const { standing, repository } = watched;
  if (viewers.size >= mostWatching)
    return send(response, { status: 503, type: "text/plain", body: "too many look on; try again later\n" });
  viewers.add(response);
  response.on("close", () => viewers.delete(response));
  const again = async () => (await look(desk, watched))?.standing;
  await follow(response, { standing, repository, look: again, everyMs });
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
async function look({ source, opened, looked }: Desk, { asked, key }: Wanted): Promise<Seen | undefined> {
  const { owner, repo, run } = asked;
  const place = `${owner}/${repo}`.toLowerCase();
  const name = `${place}/${run}`;
  const here = await opened(place, () => source.open(owner, repo)).catch(() => undefined);
  if (here === undefined) return undefined;
  if (here.isPrivate && !isSigned(source.secret, name, { key, now: Date.now() })) return undefined;
  const standing = await looked(name, async () =>
    readStanding((await here.site.look(run)).tip?.state["standing"]),
  ).catch(() => undefined);
  if (standing === undefined || !belongsHere(here.site, standing)) return undefined;
  return { standing, repository: here.site };
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
