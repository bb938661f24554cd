import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import { freePort } from "../free-port.ts";
import { readBody } from "../github-host/ask.ts";
import { listen } from "../listen.ts";
import { openGraphSchema, pathFinder, readDescription, tools } from "./description.ts";

/** A forwarded request, and its violations of GitHub's description. */
export interface Passed {
  readonly method: string;
  /** The path in the description; the requested path if there is none. */
  readonly path: string;
  readonly status: number;
  readonly wrong: readonly Violation[];
}

export interface Violation {
  readonly location: readonly string[];
  readonly severity: string;
  readonly code?: string;
  readonly message: string;
}

/** A proxy to a host that validates every request and response against GitHub's description. */
export interface Door {
  readonly url: string;
  readonly passed: readonly Passed[];
  close(): Promise<void>;
}

export async function openDoor(host: string): Promise<Door> {
  const description = readDescription();
  const prism = await startPrism(description, host);
  const setting: Setting = {
    host,
    prism: prism.url,
    find: pathFinder(description),
    doubt: openGraphSchema(),
    passed: [],
  };
  const server = createServer((request, response) => {
    pass(setting, request).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      () => response.destroy(),
    );
  });
  const { url, close } = await listen(server);
  return {
    url,
    passed: setting.passed,
    async close() {
      prism.stop();
      await close();
    },
  };
}

interface Setting {
  readonly host: string;
  readonly prism: string;
  readonly find: (path: string) => string | undefined;
  readonly doubt: (query: string) => readonly string[];
  readonly passed: Passed[];
}

async function pass({ host, prism, find, doubt, passed }: Setting, incoming: IncomingMessage) {
  const { method = "GET", url = "/" } = incoming;
  const [path = "/", query] = url.split("?", 2);
  const body = await readBody(incoming);
  const isGraph = path === "/graphql";
  const whole = asOnePart(path);
  const answer = await send(
    `${isGraph ? host : prism}${whole}${query === undefined ? "" : `?${query}`}`,
    incoming,
    body,
  );
  const { "sl-violations": violations, ...headers } = answer.headers;
  const wrong: readonly Violation[] = isGraph
    ? doubt(JSON.parse(body.toString()).query).map((message) => ({
        location: ["request", "body"],
        severity: "Error",
        message,
      }))
    : readViolations(typeof violations === "string" ? violations : "[]");
  passed.push({ method, path: isGraph ? path : (find(whole) ?? path), status: answer.status, wrong });
  return { ...answer, headers };
}

/**
 * For a response with too many missing fields, Prism reports only that; a shorter one of that route shows more.
 */
const readViolations = (header: string): readonly Violation[] =>
  header.startsWith("[")
    ? JSON.parse(header)
    : [{ location: ["response"], severity: "Error", code: "required", message: header }];

/** A name with slashes is one path segment; Octokit and Prism encode that differently. */
const asOnePart = (path: string) =>
  path.replace(
    /^(\/repos\/[^/]+\/[^/]+\/(?:git\/(?:ref|refs|matching-refs)|contents|compare)\/)(.+)$/,
    (_, before: string, name: string) => before + encodeURIComponent(decodeURIComponent(name)),
  );

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

const send = (url: string, { method, headers }: IncomingMessage, body: Buffer) =>
  new Promise<Answer>((done, failed) => {
    const { "transfer-encoding": _, ...rest } = headers;
    const length = body.length > 0 ? { "content-length": body.length } : {};
    const sent = httpRequest(
      url,
      { method: method ?? "GET", headers: { ...rest, ...length }, maxHeaderSize: longestHeaders },
      (answer) => {
        readBody(answer).then((body) => {
          const { "transfer-encoding": _, "content-length": __, ...kept } = answer.headers;
          done({ status: answer.statusCode ?? 502, headers: kept, body });
        }, failed);
      },
    );
    sent.on("error", failed).end(body);
  });

/** All errors of a response are in one header. */
const longestHeaders = 4 * 1024 * 1024;

async function startPrism(description: unknown, host: string) {
  const folder = mkdtempSync(join(tmpdir(), "described-"));
  const file = join(folder, "api.json");
  writeFileSync(file, JSON.stringify(description));
  const port = await freePort();
  const program = join(tools, "node_modules/@stoplight/prism-cli/dist/index.js");
  const child = spawn(execPath, [program, "proxy", file, host, "-p", `${port}`, "-h", "127.0.0.1"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  await new Promise<void>((ready, failed) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (part: Buffer) => {
        output = (output + part).slice(-10_000);
        if (output.includes("Prism is listening")) ready();
      });
    child.on("close", () => failed(new Error(`Prism does not start: ${output}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
