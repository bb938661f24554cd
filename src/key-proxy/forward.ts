import {
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { env } from "node:process";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { admit, type Charge } from "./admission.ts";
import { brokenOff, prove, refusedBy, troubleIn, unreachable, whyNoModel } from "./answer-trouble.ts";
import { headersBack, headersOut } from "./headers.ts";
import { type LeaseState, note } from "./lease-state.ts";
import type { ProviderError } from "./provider-errors.ts";
import { redactBody, redactHeaders, secretPart } from "./redact-key.ts";
import { isLoopback, targetOf } from "./upstream.ts";
import { type Meter, openMeter } from "./usage-meter.ts";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly account: LeaseState;
}

/** Forwards one request to the lease's endpoint and streams its answer back. */
export async function forwardRequest({ request, response, account }: Exchange): Promise<void> {
  const target = targetOf({ method: request.method ?? "", url: request.url ?? "" }, account);
  if (target === undefined || request.headers.upgrade !== undefined) {
    request.resume();
    return fail(response, { status: 404, message: "until-green forwards only requests to a model API" });
  }
  const gone = new AbortController();
  const stop = AbortSignal.any([account.stop.signal, gone.signal]);
  response.once("close", () => gone.abort());
  const charge = await admit(request, account, stop).catch(() => undefined);
  if (charge === undefined) return void response.destroy();
  if (charge.refused !== undefined) {
    request.resume();
    fail(response, { status: 402, message: charge.refused });
    return note(account, { fault: "timeout", message: charge.refused });
  }
  // The endpoint bills what it was sent, whether or not the agent waits for the answer.
  stop.addEventListener("abort", charge.pay, { once: true });
  account.open.add(request);
  try {
    const answer = await send({ request, target, account, stop, charge });
    await sendBack({ answer, response, account, method: request.method ?? "", stop, charge });
  } catch (error) {
    // A client that has disconnected needs no error.
    if (!stop.aborted) {
      return failBy(unreachable(error, account), response, account);
    }
    response.destroy();
  } finally {
    account.open.delete(request);
    charge.waive();
  }
}

function fail(
  response: ServerResponse,
  { status, message }: { readonly status: number; readonly message: string },
) {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "error", error: { type: "api_error", message } }));
}

/** Programs retry after a 502, which does not help if a setting is wrong. */
function failBy(error: ProviderError, response: ServerResponse, account: LeaseState): void {
  fail(response, { status: error.isSetting ? 400 : 502, message: error.message });
  note(account, error);
}

interface Sending {
  readonly request: IncomingMessage;
  readonly target: URL;
  readonly account: LeaseState;
  readonly stop: AbortSignal;
  readonly charge: Charge;
}

async function send({ request, target, account, stop, charge }: Sending): Promise<IncomingMessage> {
  const isPlain = target.protocol === "http:";
  const outgoing = (isPlain ? requestHttp : requestHttps)(target, {
    method: request.method,
    headers: { ...headersOut(request.headers, account.key), ...framing(request.headers), host: target.host },
    agent: isPlain ? plainAgent : isLoopback(target) ? directAgent : proxiedAgent,
    signal: stop,
  });
  const { silenceMs = usualSilenceMs } = account;
  outgoing.setTimeout(silenceMs, () =>
    outgoing.destroy(new Error(`it sent nothing for ${silenceMs / 1000} s`)),
  );
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve);
    outgoing.on("error", reject);
    outgoing.once("close", () => reject(new Error("it closed without an answer")));
  });
  // An endpoint may answer before it has read the whole body; the agent reads that answer only after it has sent the
  // rest.
  outgoing.once("close", () => request.resume());
  const passed = passing((chunk) => {
    ring(account.listeners);
    charge.sent(chunk.length);
  });
  request.pipe(passed).pipe(outgoing);
  return await answered;
}

/** Models think for minutes, but send keep-alives. */
const usualSilenceMs = 5 * 60_000;

/** The framing of the body. Node would send some methods unframed, and the body would look like a second request. */
const framing = ({ "content-length": length, "transfer-encoding": coding }: IncomingHttpHeaders) => {
  if (length !== undefined) return { "content-length": length };
  return coding === undefined ? {} : { "transfer-encoding": "chunked" };
};

/** Requests to this machine, and plain HTTP, bypass the proxy named in the environment. */
const plainAgent = new HttpAgent({ keepAlive: true });
const directAgent = new HttpsAgent({ keepAlive: true });
const proxiedAgent = new HttpsAgent({ keepAlive: true, proxyEnv: env });

const ring = (listeners: readonly (() => void)[]) => {
  for (const listener of listeners) listener();
};

const passing = (look: (chunk: Buffer) => void, atEnd = () => {}) =>
  new Transform({
    flush(done) {
      atEnd();
      done();
    },
    transform(chunk: Buffer, _, done) {
      look(chunk);
      done(null, chunk);
    },
  });

interface Bringing {
  readonly answer: IncomingMessage;
  readonly response: ServerResponse;
  readonly account: LeaseState;
  readonly method: string;
  readonly stop: AbortSignal;
  readonly charge: Charge;
}

/** How much of an error's body is read to classify it. */
const mostOfError = 16 * 1024;

async function sendBack({ answer, response, account, method, stop, charge }: Bringing): Promise<void> {
  const status = answer.statusCode ?? 502;
  const host = account.upstream.host;
  const noModel = whyNoModel(answer, { method, account });
  if (noModel !== undefined) {
    answer.destroy();
    return failBy(noModel, response, account);
  }
  let isBroken = false;
  answer.once("error", (error) => {
    if (stop.aborted) return;
    isBroken = true;
    note(account, brokenOff(host, error));
  });
  const { body, unpacked } = unpack(answer);
  const meter = openMeter(String(answer.headers["content-type"] ?? ""));
  if (status < 400) charge.answered(meter);
  else charge.waive();
  let refusal = "";
  let isSettled = false;
  const settle = () => {
    if (isSettled) return;
    isSettled = true;
    charge.pay();
    // A request that only probes whether the endpoint exists: not a model's answer.
    if (isBroken || method !== "POST") return;
    const { headers } = answer;
    if (status >= 400) return note(account, refusedBy(account, { status, headers, body: refusal }));
    account.isCutShort = meter.isCutShort();
    const fault = troubleIn(meter, { host, stop });
    if (fault === undefined || fault.isRefusal) prove(account);
    isBroken = fault !== undefined && !meter.isWhole() && meter.error() === undefined;
    note(account, fault);
  };
  const meterChunk = (chunk: Buffer) => {
    ring(account.listeners);
    if (status < 400) meter.push(chunk);
    else if (refusal.length < mostOfError) refusal += chunk.toString("utf8");
  };
  const secret = secretPart(account.key.value);
  response.writeHead(status, redactHeaders(headersBack(answer.headers, unpacked), secret));
  response.flushHeaders();
  // Settle before the end is passed on: the client may ask for the result as soon as it has read the end.
  const look = passing(meterChunk, settle);
  const passed = pipeline(body, look, redactBody(secret), response, { signal: stop, end: false });
  const endWatch = endStalled(answer, meter, account.silenceMs ?? usualSilenceMs);
  await passed.catch(() => response.destroy());
  endWatch();
  settle();
  // If the answer broke off, cut the connection: an orderly end would tell the client that it is complete.
  if (isBroken) response.socket?.destroySoon();
  else response.end();
}

/** How many times the longest silence an answer may last without progress: only keep-alives, or partial events. */
const mostSilences = 6;

/** Cuts off an answer that makes no progress; returns a function that ends the watch. */
function endStalled(answer: IncomingMessage, meter: Meter, silenceMs: number): () => void {
  let [before, still] = [0, 0];
  const timer = setInterval(() => {
    const now = meter.progress();
    still = now === before ? still + 1 : 0;
    before = now;
    if (still < mostSilences) return;
    answer.destroy(new Error(`for ${(still * silenceMs) / 1000} s it sent nothing but signs of life`));
  }, silenceMs).unref();
  return () => clearInterval(timer);
}

function unpack(answer: IncomingMessage): { readonly body: Readable; readonly unpacked: boolean } {
  const make = unpackers[answer.headers["content-encoding"]?.toLowerCase() ?? ""];
  if (make === undefined) return { body: answer, unpacked: false };
  const unpacker = make();
  answer.on("error", (error) => unpacker.destroy(error));
  return { body: answer.pipe(unpacker), unpacked: true };
}

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
