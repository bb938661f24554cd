import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { env } from "node:process";
import { SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from "@opentelemetry/sdk-trace";
import type { RunEvent } from "../engine/run-events.ts";
import type { Environment } from "../processes/environment.ts";
import type { RunTrace, TraceOptions } from "./run-trace.ts";
import { createSpanProjection } from "./span-projection.ts";
import type { EndedSpan } from "./span-tree.ts";

/**
 * Sends the spans of a run with the official exporter. Ids are derived from the run, so that all processes that drive
 * it write one trace. Throws for invalid settings.
 */
export async function openTrace(endpoint: string, options: TraceOptions): Promise<RunTrace> {
  const { environment } = options;
  const target = URL.parse(endpoint);
  if (target === null || !/^https?:$/.test(target.protocol))
    throw new Error("the OTLP endpoint is not a URL: use one such as http://localhost:4318");
  const Exporter = await exporterFor(environment);
  const { exporter, resource } = withVariables(environment, () => ({
    exporter: new Exporter({
      ...(hasTimeout(environment) ? {} : { timeoutMillis: usualTimeoutMs }),
      ...throughProxy(environment),
    }),
    resource: resourceFromAttributes({ "service.name": "until-green", ...jobAttributes(environment) }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
  }));
  const sent = countFaults(exporter);
  const processor = new BatchSpanProcessor({ exporter: sent.exporter, maxQueueSize: 20_000 });
  const projection = createSpanProjection({ content: wantsContent(environment) });
  const scope = { name: "until-green" };
  let ids = idsOf("", "");

  const emit = (span: EndedSpan) => {
    processor.onEnd(readable(span, { ids, resource, scope, clean: options.clean }));
  };
  const follow = (event: RunEvent) => {
    if (event.type === "run.started") ids = idsOf(event.run, event.at);
    return projection.follow(event);
  };
  return {
    recall(events) {
      // Decisions during the pause ended spans that no process has sent yet.
      const paused = events.findLastIndex(({ type }) => type === "run.paused");
      const resumed = events.findLastIndex(({ type }) => type === "run.resumed");
      const unsent = paused > resumed ? paused : events.length;
      for (const [at, event] of events.entries()) {
        const spans = follow(event);
        if (at > unsent) spans.forEach(emit);
      }
    },
    emit: (event) => follow(event).forEach(emit),
    async end() {
      const giveUp = new Promise((resolve) => setTimeout(resolve, mostMs).unref());
      await Promise.race([processor.shutdown().catch(() => undefined), giveUp]);
      const { lost, why } = sent;
      if (lost > 0)
        options.notice(
          `${lost} spans of the trace could not be sent to ${target.origin}: ${options.clean(why)}`,
        );
    },
  };
}

/** Default time limit of one batch, and of the wait at the end of a run. */
const usualTimeoutMs = 5_000;
const mostMs = 30_000;

async function exporterFor(environment: Environment) {
  const protocol =
    environment["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] || environment["OTEL_EXPORTER_OTLP_PROTOCOL"];
  if (protocol === "http/json")
    return (await import("@opentelemetry/exporter-trace-otlp-http")).OTLPTraceExporter;
  if (!protocol || protocol === "http/protobuf")
    return (await import("@opentelemetry/exporter-trace-otlp-proto")).OTLPTraceExporter;
  throw new Error(
    `OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}: say http/protobuf or http/json, usually with port 4318`,
  );
}

const hasTimeout = (environment: Environment) =>
  Boolean(environment["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"] || environment["OTEL_EXPORTER_OTLP_TIMEOUT"]);

/**
 * The exporter does not support proxies. Options passed to it replace those it reads from variables: its
 * certificates.
 */
function throughProxy(environment: Environment) {
  const of = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const [http, https, exempt] = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].map(of);
  if (http === undefined && https === undefined) return {};
  const file = (name: string) => {
    const path =
      environment[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || environment[`OTEL_EXPORTER_OTLP_${name}`];
    return path ? readFileSync(path) : undefined;
  };
  // A collector on this machine is reached without a proxy.
  const direct = ["localhost", "127.0.0.1", "::1", exempt].filter(Boolean).join(",");
  const proxyEnv = { http_proxy: http, https_proxy: https, no_proxy: direct };
  const certificates = { ca: file("CERTIFICATE"), cert: file("CLIENT_CERTIFICATE"), key: file("CLIENT_KEY") };
  const known = Object.entries(certificates).filter(([, content]) => content !== undefined);
  return { httpAgentOptions: { keepAlive: true, proxyEnv, ...Object.fromEntries(known) } };
}

/** The variable name of OpenTelemetry's own instrumentations. */
const wantsContent = (environment: Environment) =>
  /^(true|span_only|span_and_event)$/i.test(
    environment["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] ?? "",
  );

/** The packages read `process.env`, from which keys were removed: they are set only during this call. */
function withVariables<T>(environment: Environment, work: () => T): T {
  const named = Object.entries(environment).filter(([name]) => name.startsWith("OTEL_"));
  const before = named.map(([name]) => [name, env[name]] as const);
  setVariables(named);
  try {
    return work();
  } finally {
    setVariables(before);
  }
}

function setVariables(variables: readonly (readonly [name: string, value: string | undefined])[]): void {
  for (const [name, value] of variables)
    if (value === undefined) delete env[name];
    else env[name] = value;
}

/** Attributes of a GitHub Actions job, by the conventions' names. */
function jobAttributes(environment: Environment): Readonly<Record<string, string>> {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id } = environment;
  if (!server || !repository || !id) return {};
  return {
    "cicd.pipeline.name": environment["GITHUB_WORKFLOW"] ?? "",
    "cicd.pipeline.run.id": id,
    "cicd.pipeline.run.url.full": `${server}/${repository}/actions/runs/${id}`,
    "vcs.repository.url.full": `${server}/${repository}`,
    "vcs.ref.head.name": environment["GITHUB_HEAD_REF"] || (environment["GITHUB_REF_NAME"] ?? ""),
    "vcs.ref.head.revision": environment["GITHUB_SHA"] ?? "",
  };
}

/**
 * Counts spans that could not be sent. It reports success to the processor, because its error handler would print the
 * error.
 */
function countFaults(exporter: SpanExporter) {
  const counted = {
    lost: 0,
    why: "",
    exporter: {
      export(spans: ReadableSpan[], done: Parameters<SpanExporter["export"]>[1]) {
        exporter.export(spans, ({ error }) => {
          if (error !== undefined) {
            counted.lost += spans.length;
            counted.why = error.message.replace(/\s+/g, " ").slice(0, 200);
          }
          done({ code: 0 });
        });
      },
      shutdown: () => exporter.shutdown(),
    },
  };
  return counted;
}

type Ids = ReturnType<typeof idsOf>;

/** The ids of a run's trace and spans, equal in every process. */
function idsOf(run: string, startedAt: string) {
  const hashOf = (text: string) => createHash("sha256").update(`${run}\0${startedAt}\0${text}`).digest("hex");
  const traceId = hashOf("trace").slice(0, 32);
  return (key: string) => ({
    traceId,
    spanId: hashOf(`span ${key}`).slice(0, 16),
    traceFlags: TraceFlags.SAMPLED,
  });
}

interface Sending extends Pick<ReadableSpan, "resource"> {
  readonly ids: Ids;
  readonly scope: ReadableSpan["instrumentationScope"];
  clean(text: string): string;
}

function readable(span: EndedSpan, { ids, resource, scope, clean }: Sending): ReadableSpan {
  const [start, end] = [Date.parse(span.start), Date.parse(span.end)];
  const cleaned = Object.entries(span.attributes).map(([name, value]) => [
    name,
    typeof value === "string" ? clean(value) : value,
  ]);
  return {
    name: clean(span.name),
    kind: span.kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => ids(span.key),
    ...(span.parent === undefined ? {} : { parentSpanContext: ids(span.parent) }),
    startTime: hrTime(start),
    endTime: hrTime(Math.max(start, end)),
    duration: hrTime(Math.max(0, end - start)),
    ended: true,
    status: { code: span.error === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR },
    attributes: Object.fromEntries(cleaned),
    links: [],
    events: [],
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds and nanoseconds of a time in milliseconds. */
const hrTime = (ms: number): [number, number] => [Math.trunc(ms / 1_000), (ms % 1_000) * 1_000_000];
