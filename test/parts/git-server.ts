import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen } from "./listen.ts";

/**
 * Faults of one request. `drop` executes it without a response; `refuse` responds 500 immediately, `forbid` 403,
 * `limit` 429, `deny` 401. `halve` ends in the middle of the response as if it were complete, `cut` closes the
 * connection there, and `garble` changes its bytes.
 */
export type Fault =
  | "drop"
  | "refuse"
  | "forbid"
  | "limit"
  | "deny"
  | "hang"
  | "halve"
  | "cut"
  | "garble"
  | { readonly slowMs: number };

/** The type of a request. */
export interface GitRequest {
  /** `push` sends, `pull` fetches, `refs` asks for either. */
  readonly kind: "refs" | "push" | "pull";
  /** Counted from 1, per kind. */
  readonly number: number;
}

/** A git host on loopback, with one bare repository behind a token. */
export interface GitServer {
  /** Without the token in it. */
  readonly url: string;
  readonly origin: string;
  readonly token: string;
  /** The bare repository, to inspect or damage. */
  readonly path: string;
  /** Chooses the fault of a request; faults are counted in `fired`. */
  fault: ((request: GitRequest) => Fault | undefined) | undefined;
  readonly fired: GitRequest[];
  readonly seen: GitRequest[];
  /** Runs git in the bare repository. */
  git(...args: readonly string[]): string;
  /** A hook for every push: bash, which refuses by its exit code. */
  preReceive(script: string): void;
  close(): Promise<void>;
}

/** Time limit of any request. */
const longestMs = 30_000;

export async function openGitServer(): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), "git-server-"));
  const path = join(root, "project.git");
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", path, ...args], {
      encoding: "utf8",
      timeout: longestMs,
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  mkdirSync(path);
  git("init", "--quiet", "--bare", "--initial-branch=main");
  for (const setting of ["http.receivepack", "uploadpack.allowAnySHA1InWant"]) git("config", setting, "true");
  const token = "loopback-token";
  const children = new Set<ChildProcess>();
  const counts = { refs: 0, push: 0, pull: 0 };
  const server = createServer((request, response) => {
    if (!isAllowed(request, token)) return void denied(response);
    const kind = kindOf(request.url ?? "");
    const seen = { kind, number: ++counts[kind] };
    open.seen.push(seen);
    const fault = open.fault?.(seen);
    if (fault !== undefined) open.fired.push(seen);
    if (fault === "hang") return;
    if (fault === "deny") return void denied(response);
    const refusal = refusals[String(fault)];
    if (refusal !== undefined) return void response.writeHead(...refusal).end("broken on purpose");
    const wait = typeof fault === "object" ? fault.slowMs : 0;
    setTimeout(() => children.add(answer({ request, response, root, fault })), wait);
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket.setTimeout(longestMs, () => socket.destroy()));
    socket.on("close", () => sockets.delete(socket));
  });
  const { url: origin } = await listen(server);
  const open: GitServer = {
    url: `${origin}/project.git`,
    origin,
    token,
    path,
    fault: undefined,
    fired: [],
    seen: [],
    git,
    preReceive: (script) =>
      writeFileSync(join(path, "hooks", "pre-receive"), `#!/bin/bash\n${script}\n`, { mode: 0o755 }),
    async close() {
      for (const socket of sockets) socket.destroy();
      for (const child of children) child.kill("SIGKILL");
      await new Promise((closed) => server.close(closed));
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return open;
}

const refusals: Readonly<Record<string, readonly [number, Record<string, string>]>> = {
  refuse: [500, {}],
  forbid: [403, {}],
  limit: [429, { "retry-after": "1" }],
};

const isAllowed = ({ headers }: IncomingMessage, token: string) =>
  headers.authorization?.toLowerCase().startsWith("basic ") === true &&
  Buffer.from(headers.authorization.slice(6), "base64").toString().endsWith(`:${token}`);

const userIn = ({ headers }: IncomingMessage) =>
  Buffer.from((headers.authorization ?? "").slice(6), "base64")
    .toString()
    .split(":", 1)[0];

const denied = (response: ServerResponse) =>
  response.writeHead(401, { "www-authenticate": "Basic realm=git" }).end("a token is needed");

function kindOf(url: string): GitRequest["kind"] {
  if (url.includes("/info/refs")) return "refs";
  return url.endsWith("/git-receive-pack") ? "push" : "pull";
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly root: string;
  readonly fault: Fault | undefined;
}

/** Forwards a request to `git http-backend` by CGI. */
function answer({ request, response, root, fault }: Exchange): ChildProcess {
  const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
  const header = (name: string) => String(request.headers[name] ?? "");
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      REMOTE_USER: userIn(request),
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: header("content-type"),
      HTTP_CONTENT_ENCODING: header("content-encoding"),
      GIT_PROTOCOL: header("git-protocol"),
    },
    stdio: ["pipe", "pipe", "ignore"],
    timeout: longestMs,
    killSignal: "SIGKILL",
  });
  const parts: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => parts.push(part));
  child.on("close", () =>
    fault === "drop" ? request.socket.destroy() : send(response, Buffer.concat(parts), fault),
  );
  child.stdin.on("error", () => undefined);
  request.pipe(child.stdin);
  return child;
}

function send(response: ServerResponse, cgi: Buffer, fault: Fault | undefined): void {
  const end = cgi.indexOf("\r\n\r\n");
  const fields = cgi
    .subarray(0, Math.max(end, 0))
    .toString("latin1")
    .split("\r\n")
    .map((line): [string, string] => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
  const status = fields.find(([name]) => name.toLowerCase() === "status")?.[1] ?? (end < 0 ? "500" : "200");
  response.writeHead(
    Number.parseInt(status, 10),
    fields.flatMap(([name, value]) => (/^(status|)$/i.test(name) ? [] : [name, value])),
  );
  const body = Buffer.from(cgi.subarray(end + 4));
  const half = Math.floor(body.length / 2);
  if (fault === "garble") for (let at = half; at < half + 8; at += 1) body[at] = (body[at] ?? 0) ^ 0xff;
  if (fault === "cut") response.write(body.subarray(0, half), () => response.destroy());
  else response.end(fault === "halve" ? body.subarray(0, half) : body);
}

/** The private parts of a machine that uses this host: a home, and a temporary folder. */
export const machineOf = (
  { origin, token }: Pick<GitServer, "origin" | "token">,
  { home, temporary = home }: { readonly home: string; readonly temporary?: string },
) => ({
  PATH: process.env["PATH"],
  HOME: home,
  RUNNER_TEMP: temporary,
  GITHUB_SERVER_URL: origin,
  GITHUB_TOKEN: token,
});
