import type { IncomingMessage } from "node:http";

/** One parsed request to the API. */
export interface Ask {
  readonly method: string;
  /** Without `/api/v3`, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly raw: Buffer;
  /** The parsed body; an empty object without one. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The caller; `undefined` if anonymous or an app's key. */
  readonly login: string | undefined;
}

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Handles known requests; returns `undefined` for others. */
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

/** Parses a JSON body; an empty object if it is none. */
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

/** A text field; empty if missing. */
export const textOf = (value: unknown) => (typeof value === "string" ? value : "");
