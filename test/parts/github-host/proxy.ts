import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { GitServer } from "../git-server.ts";
import { listen } from "../listen.ts";
import { type Ask, fault as faultReply, parseBody, type Reply, type Route, readBody } from "./ask.ts";
import type { Fault, Faults } from "./faults.ts";
import { locationOf, withName, withOwner } from "./renaming.ts";
import type { Standing } from "./standing.ts";

/** A request to the API and its result. */
export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of all kinds
  readonly body: any;
  readonly by: string | undefined;
  readonly at: number;
  /** 0 for one that was dropped. */
  readonly status: number;
}

interface Setting {
  readonly git: GitServer;
  readonly faults: Faults;
  readonly standing: Standing;
  /** The user of a token. */
  readonly tokens: Map<string, string>;
  readonly routes: readonly Route[];
  readonly repository: string;
  /** Serve only `/api/v3` and `/api/graphql`, like GitHub Enterprise Server. */
  readonly isEnterprise: boolean;
  correct(value: unknown): unknown;
  /** Called before git accepts a push. */
  beforePush(): void;
  /** Receives the emulator's responses. */
  note(ask: Ask, body: unknown): void;
  onWebhook(event: string, payload: unknown): Promise<void>;
  emulator(): string;
}

export interface Proxy {
  readonly origin: string;
  readonly journal: readonly Recorded[];
  close(): Promise<void>;
}

/** One server for the API, for git and for the emulator's own webhooks. */
export async function openProxy(setting: Setting): Promise<Proxy> {
  const journal: Recorded[] = [];
  // On a busy machine, a connection may be closed as idle while the next request on it is on its way.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const done = serve(setting, { request, response, journal });
    done.catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  const { url: origin, close } = await listen(server);
  return { origin, journal, close };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly journal: Recorded[];
}

async function serve(setting: Setting, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const url = new URL(request.url ?? "/", `http://${request.headers.host ?? "localhost"}`);
  const location = locationOf(url, setting.repository, setting.faults.renamed());
  if (location !== undefined) {
    await readBody(request);
    const isRead = request.method === "GET" || request.method === "HEAD";
    return void response.writeHead(isRead ? 301 : 307, { location }).end();
  }
  const folder = `/${setting.repository}.git`;
  if (url.pathname.startsWith(`${folder}/`))
    return forwardGit(setting, exchange, url.pathname.slice(folder.length) + url.search);
  if (url.pathname === "/_webhooks") {
    const payload = parseBody(await readBody(request));
    response.writeHead(204).end();
    return await setting.onWebhook(String(request.headers["x-github-event"]), payload);
  }
  const ask = await askOf(setting, request, url);
  await answer(setting, exchange, ask);
}

async function askOf({ tokens, isEnterprise }: Setting, request: IncomingMessage, url: URL): Promise<Ask> {
  const raw = await readBody(request);
  const token = tokenIn(request);
  return {
    method: request.method ?? "GET",
    path: pathOf(url.pathname, isEnterprise),
    query: url.searchParams,
    headers: request.headers,
    raw,
    body: parseBody(raw),
    login: token === undefined ? undefined : tokens.get(token),
  };
}

/**
 * GraphQL is never below the REST prefix. GitHub Enterprise Server has only these two; elsewhere tests may omit the
 * prefix, as on github.com.
 */
function pathOf(pathname: string, isEnterprise: boolean): string {
  if (pathname === "/api/graphql") return "/graphql";
  const rest = /^\/api\/v3(\/.*)?$/.exec(pathname);
  if (rest === null) return isEnterprise ? "/not-of-this-server" : pathname;
  return rest[1] === "/graphql" ? "/not-of-this-server" : (rest[1] ?? "/");
}

const tokenIn = ({ headers }: IncomingMessage) =>
  /^(?:bearer|token) (\S+)$/i.exec(headers.authorization ?? "")?.[1];

async function answer(setting: Setting, { request, response, journal }: Exchange, ask: Ask): Promise<void> {
  const what = setting.faults.faultOf(`${ask.method} ${ask.path}`);
  const note = (status: number) =>
    void journal.push({
      method: ask.method,
      path: ask.path,
      query: ask.query.toString(),
      body: ask.body,
      by: ask.login,
      at: performance.now(),
      status,
    });
  if (what?.delayMs !== undefined) await wait(what.delayMs);
  if (what?.refuse === true) {
    note(0);
    return void request.socket.destroy();
  }
  const reply = what?.status === undefined ? await replyTo(setting, ask, tokenIn(request)) : broken(what);
  if (what?.drop === true || what?.halve === true) {
    note(0);
    return what.drop === true ? void request.socket.destroy() : sendHalf(response, reply);
  }
  note(reply.status);
  const { faults, repository } = setting;
  send(response, { ...reply, body: withName(reply.body, repository, faults.renamed()) });
}

function sendHalf(response: ServerResponse, { status, body }: Reply): void {
  const bytes = Buffer.from(JSON.stringify(body ?? {}));
  response.writeHead(status, { "content-type": "application/json", "content-length": bytes.length });
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
}

const broken = ({ status = 500, message = "Broken on purpose", headers }: Fault): Reply => ({
  ...faultReply(status, message),
  ...(headers === undefined ? {} : { headers }),
});

async function replyTo(setting: Setting, ask: Ask, token: string | undefined): Promise<Reply> {
  const isApp = token?.startsWith("eyJ") === true;
  if (token !== undefined && !isApp && !setting.tokens.has(token)) return faultReply(401, "Bad credentials");
  if (ask.path === "/user" && ask.login?.endsWith("[bot]"))
    return faultReply(403, "Resource not accessible by integration");
  for (const route of setting.routes) {
    const reply = await route(ask);
    if (reply !== undefined) return reply;
  }
  return pass(setting, ask);
}

/** Forwards a request to the emulator, in its own format. */
async function pass(setting: Setting, ask: Ask): Promise<Reply> {
  const { emulator, correct, note, tokens, faults, repository } = setting;
  const asked = withOwner(ask, repository, faults.renamed());
  const query = asked.size === 0 ? "" : `?${asked}`;
  const hasBody = ask.method !== "GET" && ask.method !== "HEAD" && ask.method !== "DELETE";
  const headers = Object.entries({
    authorization: ask.headers.authorization,
    accept: ask.headers.accept,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const reply = await fetch(`${emulator()}${ask.path}${query}`, {
    method: ask.method,
    headers: [...headers, ["content-type", "application/json"]],
    ...(hasBody ? { body: JSON.stringify(forEmulator(ask)) } : {}),
  });
  if (reply.status === 404 && ask.method === "GET" && /\/issues\/\d+$/.test(ask.path))
    return pullAsIssue(setting, ask);
  const ours = (text: string) => text.replaceAll(emulator(), `http://${ask.headers.host}/api/v3`);
  const text = ours(await reply.text());
  if (reply.status === 204 || text === "") return { status: reply.status };
  const body = correct(JSON.parse(text));
  note(ask, body);
  if (ask.path.endsWith("/access_tokens")) noteToken(tokens, body);
  const link = reply.headers.get("link");
  return { status: reply.status, body, ...(link === null ? {} : { headers: { link: ours(link) } }) };
}

/** The emulator does not list pull requests as issues. */
async function pullAsIssue(setting: Setting, ask: Ask): Promise<Reply> {
  const { status, body } = await pass(setting, { ...ask, path: ask.path.replace("/issues/", "/pulls/") });
  return {
    status,
    body: status === 200 ? { ...(body as object), pull_request: { url: "", html_url: "" } } : body,
  };
}

/** The emulator expects buttons of a check under `id`. */
function forEmulator({ path, body }: Ask): unknown {
  const actions = body["actions"];
  if (!path.includes("/check-runs") || !Array.isArray(actions)) return body;
  return { ...body, actions: actions.map((action) => ({ ...action, id: action.identifier })) };
}

function noteToken(tokens: Map<string, string>, body: unknown): void {
  const token = (body as { readonly token?: unknown }).token;
  if (typeof token === "string") tokens.set(token, "until-green-app[bot]");
}

function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  if (body === undefined) return void response.writeHead(status, headers).end();
  const isBytes = Buffer.isBuffer(body);
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(isBytes ? body : JSON.stringify(body));
}

/** Git's own requests go to the server of the bare repository, with its token instead of ours. */
function forwardGit(
  { git, tokens, standing, beforePush }: Setting,
  { request, response }: Exchange,
  rest: string,
): void {
  const credentials = Buffer.from(
    (request.headers.authorization ?? "").replace(/^basic /i, ""),
    "base64",
  ).toString();
  const login = tokens.get(credentials.slice(credentials.indexOf(":") + 1));
  const authorization =
    login === undefined ? "" : `Basic ${Buffer.from(`${login}:${git.token}`).toString("base64")}`;
  if (standing.isArchived() && rest.includes("git-receive-pack"))
    return void response
      .writeHead(403, { "content-type": "text/plain; charset=utf-8" })
      .end("This repository was archived so it is read-only.\n");
  if (rest === "/git-receive-pack") beforePush();
  const upstream = httpRequest(
    `${git.url}${rest}`,
    { method: request.method ?? "GET", headers: { ...request.headers, authorization } },
    (answered) => {
      response.writeHead(answered.statusCode ?? 500, answered.headers);
      answered.pipe(response);
    },
  );
  upstream.on("error", () => response.destroy());
  request.pipe(upstream);
}
