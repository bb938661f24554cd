import {
  Agent as HttpAgent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { Login } from "./credentials.ts";

interface Posting {
  readonly headers: OutgoingHttpHeaders;
  /** The part of the body that has already been read. */
  readonly head: Buffer;
  readonly body: IncomingMessage;
}

/** Sends a request to the login's host, with its credentials, until the signal aborts it. */
export function openConnection(login: Login, signal: AbortSignal) {
  const agent = agentFor(login);
  let base = login.url;
  const open = (target: URL, method: "GET" | "POST", headers: OutgoingHttpHeaders) =>
    (target.protocol === "https:" ? requestHttps : requestHttp)(target, {
      method,
      headers: { ...headers, ...login.headers },
      agent,
      signal,
    });
  return {
    /** Lists refs. Follows the redirect of a renamed repository, but only within the same host. */
    async discover(path: string, headers: OutgoingHttpHeaders): Promise<IncomingMessage> {
      for (let hops = 0; ; hops += 1) {
        const asking = open(below(base, path), "GET", headers);
        const answered = answerTo(asking, login);
        asking.end();
        const answer = await answered;
        const elsewhere = hops < 3 ? movedTo(answer, { base, path }) : undefined;
        if (elsewhere === undefined) return answer;
        answer.resume();
        base = elsewhere;
      }
    },
    async post(path: string, { headers, head, body }: Posting): Promise<IncomingMessage> {
      const asking = open(below(base, path), "POST", headers);
      const answered = answerTo(asking, login);
      // A host may answer before it has read the whole body; git reads that answer only after it has sent the rest.
      asking.once("close", () => body.resume());
      body.once("aborted", () => asking.destroy());
      if (head.length > 0) asking.write(head);
      body.pipe(asking);
      return await answered;
    },
    close: () => agent.destroy(),
  };
}

const below = (base: URL, path: string) => new URL(`${base.href.replace(/\/+$/, "")}/${path}`);

function answerTo(asking: ReturnType<typeof requestHttp>, { url }: Login): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asking.once("response", resolve);
    asking.on("error", ({ message, code }: NodeJS.ErrnoException) =>
      reject(new Error(`${url.host} cannot be reached: ${message || code}`)),
    );
  });
}

function movedTo(
  { statusCode = 0, headers: { location = "" } }: IncomingMessage,
  { base, path }: { readonly base: URL; readonly path: string },
): URL | undefined {
  if (![301, 302, 307, 308].includes(statusCode) || !URL.canParse(location, base.href)) return undefined;
  const to = new URL(location, base).href;
  const moved = to.endsWith(`/${path}`) ? new URL(to.slice(0, -path.length - 1)) : undefined;
  return moved?.origin === base.origin ? moved : undefined;
}

function agentFor({ url, proxies, secureContext, trusts }: Login): HttpAgent {
  const shared = { keepAlive: true, ...(proxies === undefined ? {} : { proxyEnv: { ...proxies } }) };
  if (url.protocol === "http:") return new HttpAgent(shared);
  return new HttpsAgent({
    ...shared,
    rejectUnauthorized: !trusts,
    ...(secureContext === undefined ? {} : { secureContext }),
  });
}
