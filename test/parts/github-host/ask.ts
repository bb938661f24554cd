import type { IncomingMessage } from "node:http";

/** One request to the API, as the host understands it. */
export interface Ask {
  readonly method: string;
  /** Without `/api/v3`, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly raw: Buffer;
  /** What the body says; an empty object where there is none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Who asks: `undefined` for nobody, or for a key of an app. */
  readonly login: string | undefined;
}

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers the requests it knows; `undefined` leaves one to the next. */
export type Route = (ask: Ask) => Reply | undefined | Promise<Reply | undefined>;

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const created = (body: unknown): Reply => ({ status: 201, body });
export const fault = (status: number, message: string, errors?: readonly unknown[]): Reply => ({
  status,
  body: {
    message,
    ...(errors === undefined ? {} : { errors }),
    documentation_url: "https://docs.github.com/rest",
  },
});
export const notFound = fault(404, "Not Found");

/** Reads a whole request body. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** What a body of JSON says; an empty object where it is no object of JSON. */
export function parseBody(raw: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(raw.toString() || "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : {};
  } catch {
    return {};
  }
}

/** A field that is a text; empty where it is none. */
export const textOf = (value: unknown) => (typeof value === "string" ? value : "");
