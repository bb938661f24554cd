import { StringDecoder } from "node:string_decoder";

/** The bytes of a stream, in bounded memory. */
export interface BoundedOutput {
  push(chunk: Uint8Array): void;
  /** Number of bytes seen. */
  readonly total: () => number;
  readonly text: () => string;
}

/**
 * Keeps at most `limit` bytes of a stream: its head (by default half of them), its tail, and a line between them that
 * says how much was cut.
 */
export function headAndTail(limit: number, headBytes = Math.floor(limit / 2)): BoundedOutput {
  const head = Math.max(0, headBytes - 64); // 64: room for half of the marker
  const part = Math.max(0, limit - headBytes - 64);
  const most = head + part + Math.max(part, limit - head - part);
  let bytes: Buffer = Buffer.alloc(0);
  let used = 0;
  let total = 0;
  return {
    push(chunk) {
      total += chunk.length;
      for (let rest = chunk; rest.length > 0; ) {
        if (used === most) {
          bytes.copyWithin(head, used - part, used);
          used = head + part;
        }
        const taken = Math.min(rest.length, most - used);
        bytes = grown(bytes, { used, wanted: used + taken, most });
        bytes.set(rest.subarray(0, taken), used);
        used += taken;
        rest = rest.subarray(taken);
      }
    },
    total: () => total,
    text: () =>
      total <= limit
        ? bytes.toString("utf8", 0, used)
        : joined(bytes.subarray(0, head), bytes.subarray(used - part, used), total),
  };
}

/** The head and the tail of a text: at most this many bytes. */
export function headAndTailOf(text: string, limit: number): string {
  const kept = headAndTail(limit);
  kept.push(Buffer.from(text));
  return kept.text();
}

/** The head and the tail of a final answer: at most 256 KiB. */
export const boundedAnswer = (text: string): string => headAndTailOf(text, 256 * 1024);

/** Keeps the last `limit` bytes of a text. */
export function tailBuffer(limit: number): { push(text: string): void; readonly text: () => string } {
  let kept = "";
  return {
    push(text) {
      kept += text;
      // Trimmed rarely, because each trim copies.
      if (kept.length > limit * 4) kept = Buffer.from(kept.slice(-limit)).toString();
    },
    text() {
      const bytes = Buffer.from(kept);
      return bytes.length <= limit ? kept : fromCharacter(bytes.subarray(bytes.length - limit)).toString();
    },
  };
}

function grown(
  bytes: Buffer,
  { used, wanted, most }: { used: number; wanted: number; most: number },
): Buffer {
  if (wanted <= bytes.length) return bytes;
  const larger = Buffer.alloc(Math.min(most, Math.max(wanted, bytes.length * 2, 4096)));
  bytes.copy(larger, 0, 0, used);
  return larger;
}

function joined(head: Buffer, tail: Buffer, total: number): string {
  const first = new StringDecoder("utf8").write(head); // ends at a character
  const last = fromCharacter(tail);
  const leftOut = total - Buffer.byteLength(first) - last.length;
  return `${first}\n[… ${leftOut} bytes left out …]\n${last.toString()}`;
}

/** The bytes from the first start of a character on. */
function fromCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
