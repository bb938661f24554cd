import type { IncomingMessage } from "node:http";

/** Our own refusal, which no permission or other token changes. */
export const refusedByUs =
  "until-green did not pass on this push, because git sent other updates than it was asked for; please report it";

/** One ref update, as git sends it to a host. */
export interface RefUpdateCommand {
  readonly ref: string;
  /** `undefined` for a ref that does not exist yet. */
  readonly expected: string | undefined;
  /** Empty if the ref is to be deleted. */
  readonly to: string;
}

/**
 * Parses the ref updates at the start of a push and returns the bytes it read; the rest of the body stays unread.
 * `undefined` if the push contains an update that is not allowed.
 */
export async function readCommands(
  request: IncomingMessage,
  allowed: readonly RefUpdateCommand[],
): Promise<Buffer | undefined> {
  if (request.headers["content-encoding"] !== undefined) return undefined;
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    const head = Buffer.concat(parts);
    const lines = linesOf(head);
    if (lines === "broken") return undefined;
    if (lines !== "cut off")
      return isAllowed(lines, allowed, request.headers["content-length"]) ? head : undefined;
    if (bytes > mostBytes) return undefined;
  }
  return undefined;
}

/** Hundreds of refs may be deleted at once, each in a line of about two hundred bytes. */
const mostBytes = 256 * 1024;

/** The lines up to the flush packet; each starts with its length in four hexadecimal digits. */
function linesOf(head: Buffer): readonly string[] | "cut off" | "broken" {
  const lines: string[] = [];
  for (let at = 0; ; ) {
    if (head.length < at + 4) return "cut off";
    const digits = head.toString("latin1", at, at + 4);
    if (digits === "0000") return lines;
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : 0;
    if (length <= 4) return "broken";
    if (head.length < at + length) return "cut off";
    lines.push(head.toString("utf8", at + 4, at + length).replace(/\n$/, ""));
    at += length;
  }
}

function isAllowed(
  lines: readonly string[],
  allowed: readonly RefUpdateCommand[],
  length: string | undefined,
) {
  // Before a large push, git sends an empty one to ask whether it may push.
  if (lines.length === 0) return length === "4";
  return lines.every((line) => {
    const [refUpdate = "", capabilities = ""] = line.split("\0");
    if (/(^| )push-(options|cert)/.test(capabilities)) return false;
    if (/^shallow [0-9a-f]+$/.test(refUpdate)) return true;
    return allowed.some((command) => isSame(refUpdate, command));
  });
}

function isSame(refUpdate: string, { ref, expected, to }: RefUpdateCommand): boolean {
  const [, old = "", fresh = "", name] = /^([0-9a-f]+) ([0-9a-f]+) (.+)$/.exec(refUpdate) ?? [];
  return name === ref && isId(old, expected ?? "") && isId(fresh, to);
}

/** An id of zeros means no object. */
const isId = (id: string, wanted: string) => (wanted === "" ? /^0{40,64}$/.test(id) : id === wanted);
