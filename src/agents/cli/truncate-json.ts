/** A JSON document read in chunks; of long strings only head and tail are kept. */
export interface TruncatingJson {
  push(text: string): void;
  /** Valid JSON; `undefined` if it exceeded the limit even without its long strings. */
  readonly text: () => string | undefined;
}

/**
 * Reads a document in bounded memory: keeps at most `limit` bytes of each string, with a line that says how much is
 * omitted.
 */
export function createTruncatingJson(limit: number): TruncatingJson {
  const part = Math.floor(limit / 2) - 64; // 64: room for half of the marker
  let done = "";
  let open: LongString | undefined;
  let rest = "";
  const take = (unit: string) => {
    if (open !== undefined && unit !== '"') return open.push(unit);
    if (done.length < mostOutside) done += `${open?.text() ?? ""}${unit}`;
    open = open === undefined && unit.endsWith('"') ? longString(part) : undefined;
  };
  return {
    push(text) {
      const source = rest + text;
      let at = 0;
      while (at < source.length) {
        const next = nextUnit(source, { from: at, inside: open !== undefined });
        if (next === undefined) break; // an escape that continues in the next chunk
        take(source.slice(at, next.end));
        at = next.end;
      }
      rest = source.slice(at);
    },
    text: () => (done.length < mostOutside ? done + (open?.text() ?? "") + rest : undefined),
  };
}

/** In characters: the limit for many strings that are each short enough. */
const mostOutside = 16 * 1024 * 1024;

/** The next unit: outside a string, up to the next quote; inside, up to the closing quote, or that quote itself. */
function nextUnit(
  source: string,
  { from, inside }: { readonly from: number; readonly inside: boolean },
): { readonly end: number } | undefined {
  if (!inside) {
    const quote = source.indexOf('"', from);
    return { end: quote < 0 ? source.length : quote + 1 };
  }
  if (source[from] === '"') return { end: from + 1 };
  let quote = source.indexOf('"', from);
  while (quote >= 0 && isEscaped(source, { from, at: quote })) quote = source.indexOf('"', quote + 1);
  const end = quote >= 0 ? quote : wholeEnd(source, from);
  return end > from ? { end } : undefined;
}

/** True if an odd number of backslashes precedes a position; escapes are complete from `from` on. */
function isEscaped(source: string, { from, at }: { readonly from: number; readonly at: number }): boolean {
  let before = at;
  while (before > from && source[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}

/** The end of the source, or the start of an incomplete escape at its end. */
function wholeEnd(source: string, from: number): number {
  for (let at = Math.max(from, source.length - 5); at < source.length; at += 1) {
    const opens = source[at] === "\\" && !isEscaped(source, { from, at });
    if (opens && at + escapeLength(source, at) > source.length) return at;
  }
  return source.length;
}

const escapeLength = (source: string, at: number) => (source[at + 1] === "u" ? 6 : 2);

/** One plain character or one escape. */
function unitAt(run: string, at: number): string {
  const next = run.indexOf("\\", at);
  if (next === at) return run.slice(at, at + escapeLength(run, at));
  return run.slice(at, next < 0 ? run.length : next);
}

function unitsOf(run: string): readonly string[] {
  const units: string[] = [];
  for (let at = 0; at < run.length; at += units.at(-1)?.length ?? 1) units.push(unitAt(run, at));
  return units;
}

interface LongString {
  push(unit: string): void;
  readonly text: () => string;
}

/** The first and the last `part` bytes of a string, and the number of bytes between them. */
function longString(part: number): LongString {
  let head = "";
  let headBytes = 0;
  let tail: string[] = [];
  let tailBytes = 0;
  let leftOut = 0;
  const dropFirst = () => {
    let first = 0;
    for (; first < tail.length; first += 1) {
      const size = bytesIn(tail[first] ?? "");
      if (tailBytes - size < part) break;
      tailBytes -= size;
      leftOut += size;
    }
    tail = tail.slice(first);
  };
  /** Up to the last character that fits. */
  const trim = () => {
    dropFirst();
    const [run = "", ...later] = tail;
    tail = [...unitsOf(run), ...later];
    dropFirst();
    const [unit] = tail;
    if (tailBytes <= part || unit === undefined || unit.startsWith("\\")) return;
    tail[0] = lastBytes(unit, bytesIn(unit) - (tailBytes - part));
    const size = bytesIn(unit) - bytesIn(tail[0]);
    tailBytes -= size;
    leftOut += size;
  };
  const keepTail = (run: string) => {
    tail.push(run);
    tailBytes += bytesIn(run);
    // Only rarely, because each time costs a copy of the whole tail.
    if (tailBytes > part * 3) dropFirst();
  };
  return {
    push(run) {
      let at = 0;
      while (tail.length === 0 && at < run.length) {
        const unit = unitAt(run, at);
        const size = bytesIn(unit);
        at += unit.length;
        if (headBytes + size <= part) {
          head += unit;
          headBytes += size;
          continue;
        }
        const taken = unit.startsWith("\\") ? "" : firstBytes(unit, part - headBytes);
        head += taken;
        headBytes += bytesIn(taken);
        keepTail(unit.slice(taken.length));
      }
      if (at < run.length) keepTail(run.slice(at));
    },
    text() {
      trim();
      const marker = leftOut === 0 ? "" : `\\n[… ${leftOut} bytes left out …]\\n`;
      return `${head}${marker}${tail.join("")}`;
    },
  };
}

/** Approximate length of the text that the JSON encodes, counting an escape as one character of three bytes. */
function bytesIn(run: string): number {
  let bytes = Buffer.byteLength(run);
  for (let at = run.indexOf("\\"); at >= 0; ) {
    const length = escapeLength(run, at);
    bytes -= length === 6 ? 3 : 1;
    at = run.indexOf("\\", at + length);
  }
  return bytes;
}

/** The leading characters of a text that fit into `bytes`. */
const firstBytes = (text: string, bytes: number) =>
  Buffer.from(text.slice(0, bytes))
    .subarray(0, Math.max(0, bytes))
    .toString()
    .replace(/\uFFFD+$/, "");

const lastBytes = (text: string, bytes: number) =>
  Buffer.from(text)
    .subarray(-bytes)
    .toString()
    .replace(/^\uFFFD+/, "");
