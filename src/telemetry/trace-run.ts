import type { RunTrace, TraceOptions } from "./run-trace.ts";

/**
 * Traces a run if the environment configures an endpoint (`OTEL_EXPORTER_OTLP_ENDPOINT`). The exporter is loaded only
 * then, before any foreign code runs. Failures are notices.
 */
export async function traceRun(options: TraceOptions): Promise<RunTrace> {
  const env = options.environment;
  const endpoint = env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] || env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  const isOff = /^true$/i.test(env["OTEL_SDK_DISABLED"] ?? "") || env["OTEL_TRACES_EXPORTER"] === "none";
  if (!endpoint || isOff) return silent;
  try {
    const { openTrace } = await import("./open-trace.ts");
    return await openTrace(endpoint, options);
  } catch (error) {
    options.notice(`the run is not traced: ${error instanceof Error ? error.message : error}`);
    return silent;
  }
}

const silent: RunTrace = { recall: () => undefined, emit: () => undefined, end: async () => undefined };
