import { readFileSync } from "node:fs";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { expect, test } from "vitest";
import { type OtlpReceiver, openOtlpReceiver, type ReceivedSpan } from "../parts/otlp-receiver.ts";
import { type Folder, folderAt, loopFile, openFolder } from "../parts/terminal.ts";

const key = "hcaik_0123456789abcdef";
const replies = `replies:
  - { contains: "first words", say: "done it, with ${key}", write: { n: "1" }, usage: { input_tokens: 30, output_tokens: 7, cost_usd: 0.5 } }
`;
const loop = loopFile('prompt: "first words"\nuntil_bash: test -f n\nmax_iterations: 3');

/** A folder whose processes see these variables besides. */
function tracedFolder(variables: Readonly<Record<string, string>>): Folder {
  const { path } = openFolder();
  const folder = folderAt(path, { ...process.env, ...variables });
  folder.write({ "w.yml": loop, "replies.yml": replies });
  return folder;
}

const toReceiver = ({ url }: OtlpReceiver) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_HEADERS: `x-honeycomb-team=${key}`,
  // On a busy machine even loopback may take its time.
  OTEL_EXPORTER_OTLP_TIMEOUT: "25000",
});
const run = ["run", "w.yml", "--agent", "scripted:replies.yml", "--run-id", "traced-run"];

const parentIn = (spans: readonly ReceivedSpan[], { parentSpanId }: ReceivedSpan) =>
  spans.find(({ spanId }) => spanId === parentSpanId);
const named = (spans: readonly ReceivedSpan[], name: string) => {
  const found = spans.filter((span) => span.name === name);
  expect(found, spans.map((span) => span.name).join(", ")).toHaveLength(1);
  return found[0] as ReceivedSpan;
};

/** Attributes that the conventions define; all others are ours, and say so. */
const defined: ReadonlySet<unknown> = new Set(
  Object.entries(conventions).flatMap(([name, value]) => (name.startsWith("ATTR_") ? [value] : [])),
);

test.each(["http/protobuf", "http/json"])("a run is one trace, sent as %s", async (protocol) => {
  const receiver = await openOtlpReceiver();
  const folder = tracedFolder({ ...toReceiver(receiver), OTEL_EXPORTER_OTLP_PROTOCOL: protocol });
  const { code, stderr } = await folder.run(...run);
  expect(code, stderr).toBe(0);
  const { spans, requests } = receiver;
  expect(new Set(requests.map(({ path }) => path))).toEqual(new Set(["/v1/traces"]));
  expect(requests[0]?.headers).toMatchObject({ "x-honeycomb-team": key });
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const whole = named(spans, "invoke_workflow t");
  const call = named(spans, "invoke_agent scripted");
  const iteration = named(spans, "iteration 1");
  expect(parentIn(spans, call)).toBe(iteration);
  expect(parentIn(spans, named(spans, "check"))).toBe(iteration);
  expect(parentIn(spans, iteration)?.name).toBe("node fix");
  expect(parentIn(spans, named(spans, "node fix"))).toBe(whole);
  expect(whole.parentSpanId).toBe("");
  expect([whole.kind, call.kind]).toEqual([1, 3]);
  expect(call.attributes).toMatchObject({
    [conventions.ATTR_GEN_AI_OPERATION_NAME]: conventions.GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
    [conventions.ATTR_GEN_AI_AGENT_NAME]: "scripted",
    [conventions.ATTR_GEN_AI_PROVIDER_NAME]: "scripted",
    [conventions.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 30,
    [conventions.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: 7,
    "until_green.cost_usd": 0.5,
  });
  expect(whole.attributes).toMatchObject({
    [conventions.ATTR_GEN_AI_OPERATION_NAME]: conventions.GEN_AI_OPERATION_NAME_VALUE_INVOKE_WORKFLOW,
    [conventions.ATTR_GEN_AI_WORKFLOW_NAME]: "t",
    "until_green.run.id": "traced-run",
    "until_green.stop_reason": "until-bash",
  });
  expect(whole.resource).toMatchObject({ [conventions.ATTR_SERVICE_NAME]: "until-green" });
  for (const span of spans) {
    expect(span.end).toBeGreaterThanOrEqual(span.start);
    const parent = parentIn(spans, span);
    if (parent !== undefined) expect(span.start).toBeGreaterThanOrEqual(parent.start);
    const others = Object.keys({ ...span.attributes, ...span.resource }).filter((name) => !defined.has(name));
    expect(others.filter((name) => !name.startsWith("until_green."))).toEqual([]);
  }
});

test("prompts and answers are sent only when they are asked for, and secrets never", async () => {
  const [usual, asked] = [await openOtlpReceiver(), await openOtlpReceiver()];
  await tracedFolder(toReceiver(usual)).run(...run);
  const bodies = usual.requests.map(({ body }) => body.toString("latin1")).join("");
  expect(bodies).toContain("invoke_agent scripted");
  expect(bodies).not.toMatch(/first words|done it|hcaik/);
  await tracedFolder({
    ...toReceiver(asked),
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
  }).run(...run);
  const { attributes } = named(asked.spans, "invoke_agent scripted");
  expect(JSON.parse(String(attributes[conventions.ATTR_GEN_AI_INPUT_MESSAGES]))).toEqual([
    { role: "user", parts: [{ type: "text", content: "first words" }] },
  ]);
  expect(JSON.parse(String(attributes[conventions.ATTR_GEN_AI_OUTPUT_MESSAGES]))).toEqual([
    { role: "assistant", parts: [{ type: "text", content: "done it, with ***" }], finish_reason: "stop" },
  ]);
});

test("the receiver is reached through the machine's proxy, unless `no_proxy` names it", async () => {
  const proxy = await openOtlpReceiver();
  const behind = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.example:4318", HTTP_PROXY: proxy.url };
  const variables = { ...toReceiver(proxy), ...behind, no_proxy: "" };
  const { code, stderr } = await tracedFolder(variables).run(...run);
  expect(code, stderr).toBe(0);
  expect(stderr).not.toContain("could not be sent");
  expect(new Set(proxy.requests.map(({ path }) => path))).toEqual(
    new Set(["http://collector.example:4318/v1/traces"]),
  );
  const before = proxy.requests.length;
  const exempt = await tracedFolder({
    ...variables,
    no_proxy: ".example",
    OTEL_EXPORTER_OTLP_TIMEOUT: "300",
  }).run(...run);
  expect(exempt.stderr).toContain("could not be sent to http://collector.example:4318");
  expect(proxy.requests).toHaveLength(before);
  const local = await openOtlpReceiver();
  await tracedFolder({ ...toReceiver(local), http_proxy: "http://127.0.0.1:9", no_proxy: "" }).run(...run);
  expect(named(local.spans, "invoke_workflow t").traceId).not.toBe("");
});

test("the keys of the receiver reach neither agents nor checks", async () => {
  const receiver = await openOtlpReceiver();
  const folder = tracedFolder(toReceiver(receiver));
  folder.write({
    "w.yml": loopFile("prompt: go\nuntil_bash: env > check.txt; test -f agent.txt\nmax_iterations: 2"),
  });
  const { code, stderr } = await folder.run("run", "w.yml", "--agent", "command:env > agent.txt; echo ok");
  expect(code, stderr).toBe(0);
  expect(receiver.spans.length).toBeGreaterThan(3);
  const { stdout } = await folder.run("logs", "--json");
  expect(stdout).not.toContain(key);
  for (const file of ["agent.txt", "check.txt"]) {
    const seen = readFileSync(`${folder.path}/${file}`, "utf8");
    expect(seen).toContain("PATH=");
    expect(seen).not.toContain(key);
  }
});

test("a run that pauses, is approved and continues in other processes is one trace, each span sent once", async () => {
  const receiver = await openOtlpReceiver();
  const folder = tracedFolder(toReceiver(receiver));
  folder.write({
    "w.yml":
      "name: t\ninteractive: true\nnodes:\n  - { id: first, bash: echo hi }\n  - { id: ask, approval: { message: ok }, depends_on: [first] }\n  - { id: last, bash: echo there, depends_on: [ask] }\n",
  });
  expect((await folder.run("run", "w.yml", "--run-id", "traced-run")).code).toBe(3);
  expect(receiver.spans.map(({ name }) => name)).toEqual(["node first"]);
  const { code, stderr } = await folder.run("approve", "traced-run");
  expect(code, stderr).toBe(0);
  const { spans } = receiver;
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    "gate ask",
    "invoke_workflow t",
    "node ask",
    "node first",
    "node last",
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  expect(parentIn(spans, named(spans, "gate ask"))?.name).toBe("node ask");
  expect(parentIn(spans, named(spans, "node first"))?.name).toBe("invoke_workflow t");
});

test.each([
  { fault: "nobody listens", manner: undefined, says: /spans of the trace could not be sent to http:/ },
  {
    fault: "it is refused",
    manner: 401,
    says: /spans of the trace could not be sent to http:.*Unauthorized/,
  },
  { fault: "no answer comes", manner: "hang", says: /spans of the trace could not be sent to http:/ },
] as const)("a run is as green as ever when $fault", async ({ manner, says }) => {
  const url = manner === undefined ? "http://127.0.0.1:9" : (await openOtlpReceiver(manner)).url;
  const folder = tracedFolder({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${key}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: "300",
  });
  const { code, stderr } = await folder.run(...run);
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(says);
  expect(stderr).not.toContain(key);
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: `collector?key=${key}` }, /not traced: the OTLP endpoint is not a URL/],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    /not traced: OTEL_EXPORTER_OTLP_PROTOCOL is grpc: say http\/protobuf/,
  ],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_SDK_DISABLED: "true" }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_TRACES_EXPORTER: "none" }, undefined],
])("settings that send nothing: %o", async (variables, says) => {
  const headers = { OTEL_EXPORTER_OTLP_HEADERS: `x-honeycomb-team=${key}` };
  const { code, stderr } = await tracedFolder({ ...headers, ...variables }).run(...run);
  expect(code, stderr).toBe(0);
  expect(stderr).not.toContain(key);
  if (says === undefined) expect(stderr).not.toMatch(/the trace|not traced/);
  else expect(stderr).toMatch(says);
});
