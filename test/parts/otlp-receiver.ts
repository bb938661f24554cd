import { createServer, type IncomingHttpHeaders } from "node:http";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { listen } from "./listen.ts";

/** A span as decoded by the receiver. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root span. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 3 client. */
  readonly kind: number;
  /** In nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 0 unset, 2 error. */
  readonly status: number;
  readonly resource: Readonly<Record<string, unknown>>;
}

interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface OtlpReceiver {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  readonly spans: readonly ReceivedSpan[];
}

/** The behaviour for a request: accept it, refuse it with a status, or never respond. */
type Manner = "take" | "hang" | number;

/**
 * A receiver of OTLP over HTTP on loopback: binary protobuf or JSON, as OpenTelemetry's `trace.proto` defines them.
 */
export async function openOtlpReceiver(manner: Manner = "take"): Promise<OtlpReceiver> {
  const requests: ReceivedRequest[] = [];
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const received = Buffer.concat(chunks);
    const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(received) : received;
    requests.push({ path: request.url ?? "", headers: request.headers, body });
    if (manner === "hang") return;
    if (manner !== "take") return void response.writeHead(manner).end("no");
    const type = request.headers["content-type"] ?? "";
    spans.push(...(type === "application/json" ? spansOfJson(JSON.parse(body.toString())) : spansOf(body)));
    response.writeHead(200, { "content-type": type }).end(type === "application/json" ? "{}" : "");
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  return { url, requests, spans };
}

/** The fields of a protobuf message: numbers for varints and fixed64, bytes for the rest. */
type Field = readonly [number: number, value: bigint | Buffer];

function fieldsOf(bytes: Buffer): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("the message is cut off");
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number) => {
    if (at + length > bytes.length) throw new Error("the message is cut off");
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const wire = key & 7;
    if (wire === 0) fields.push([key >> 3, varint()]);
    else if (wire === 1) fields.push([key >> 3, take(8).readBigUInt64LE()]);
    else if (wire === 2) fields.push([key >> 3, take(Number(varint()))]);
    else if (wire === 5) fields.push([key >> 3, BigInt(take(4).readUInt32LE())]);
    else throw new Error(`no wire type ${wire} in OTLP`);
  }
  return fields;
}

const messages = (fields: readonly Field[], number: number): readonly Buffer[] =>
  fields.flatMap(([at, value]) => (at === number && Buffer.isBuffer(value) ? [value] : []));
const bytesOf = (fields: readonly Field[], number: number) => messages(fields, number)[0] ?? Buffer.alloc(0);
const numberOf = (fields: readonly Field[], number: number) =>
  (fields.find(([at]) => at === number)?.[1] ?? 0n) as bigint;

function attributeOf(bytes: Buffer): unknown {
  const [field] = fieldsOf(bytes);
  if (field === undefined) return undefined;
  const [number, value] = field;
  if (number === 1) return (value as Buffer).toString();
  if (number === 2) return value === 1n;
  if (number === 3) return Number(BigInt.asIntN(64, value as bigint));
  if (number === 4) {
    const double = Buffer.alloc(8);
    double.writeBigUInt64LE(value as bigint);
    return double.readDoubleLE();
  }
  throw new Error(`an attribute of kind ${number}`);
}

const attributesOf = (fields: readonly Field[], number: number) =>
  Object.fromEntries(
    messages(fields, number).map((bytes) => {
      const pair = fieldsOf(bytes);
      return [bytesOf(pair, 1).toString(), attributeOf(bytesOf(pair, 2))];
    }),
  );

const spansOf = (body: Buffer): readonly ReceivedSpan[] =>
  messages(fieldsOf(body), 1).flatMap((bytes) => {
    const group = fieldsOf(bytes);
    const resource = attributesOf(fieldsOf(bytesOf(group, 1)), 1);
    const scopes = messages(group, 2).flatMap((scope) => messages(fieldsOf(scope), 2));
    return scopes.map((each) => spanOf(fieldsOf(each), resource));
  });

const spanOf = (span: readonly Field[], resource: ReceivedSpan["resource"]): ReceivedSpan => ({
  traceId: bytesOf(span, 1).toString("hex"),
  spanId: bytesOf(span, 2).toString("hex"),
  parentSpanId: bytesOf(span, 4).toString("hex"),
  name: bytesOf(span, 5).toString(),
  kind: Number(numberOf(span, 6)),
  start: numberOf(span, 7),
  end: numberOf(span, 8),
  attributes: attributesOf(span, 9),
  status: Number(numberOf(fieldsOf(bytesOf(span, 15)), 3)),
  resource,
});

interface JsonAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface JsonSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly JsonAttribute[];
  readonly status: { readonly code?: number };
}
interface JsonBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly JsonAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly JsonSpan[] }[];
  }[];
}

const plain = (attributes: readonly JsonAttribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const spansOfJson = ({ resourceSpans }: JsonBody): readonly ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? "",
        name: span.name,
        kind: span.kind,
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        attributes: plain(span.attributes),
        status: span.status.code ?? 0,
        resource: plain(resource.attributes),
      })),
  );
