/** A JSON document, taken in piece by piece, whose long strings keep head and tail only. */
export interface ShortJson {
  push(text: string): void;
  /** Still JSON; `undefined` where it outgrew all bounds by other things than long strings. */
  readonly text: () => string | undefined;
}

/** Takes in a document in bounded memory: of each string at most `limit` bytes stay, with a line that says what is left out. */
export function shortJson(limit: number): ShortJson {
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
        if (next === undefined) break; // an escape that goes on in the next piece
        take(source.slice(at, next.end));
        at = next.end;
      }
      rest = source.slice(at);
    },
    text: () => (done.length < mostOutside ? done + (open?.text() ?? "") + rest : undefined),
  };
}

/** Many strings that are each short enough; in characters. */
const mostOutside = 16 * 1024 * 1024;

/** To the next quote outside of a string; inside, a run of plain characters, one escape, or the quote that ends it. */
function nextUnit(
  source: string,
  { from, inside }: { readonly from: number; readonly inside: boolean },
): { readonly end: number } | undefined {
  if (!inside) {
    const quote = source.indexOf('"', from);
    return { end: quote < 0 ? source.length : quote + 1 };
  }
  special.lastIndex = from;
  const found = special.exec(source);
  if (found === null) return { end: source.length };
  if (found.index > from) return { end: found.index };
  if (found[0] === '"') return { end: from + 1 };
  const end = from + (source[from + 1] === "u" ? 6 : 2);
  return end > source.length ? undefined : { end };
}

const special = /["\\]/g;

interface LongString {
  push(unit: string): void;
  readonly text: () => string;
}

/** The units of one string: the first `part` bytes, the last `part`, and the count of those between. */
function longString(part: number): LongString {
  let head = "";
  let headBytes = 0;
  let tail: string[] = [];
  let tailBytes = 0;
  let leftOut = 0;
  const trim = () => {
    let first = 0;
    for (; first < tail.length; first += 1) {
      const size = bytesOf(tail[first] ?? "");
      if (tailBytes - size < part) break;
      tailBytes -= size;
      leftOut += size;
    }
    tail = tail.slice(first);
    const [unit] = tail;
    if (tailBytes <= part || unit === undefined || unit.startsWith("\\")) return;
    const kept = Buffer.from(unit).subarray(tailBytes - part);
    const shorter = kept.toString().replace(/^\uFFFD+/, "");
    const size = bytesOf(unit) - bytesOf(shorter);
    tail[0] = shorter;
    tailBytes -= size;
    leftOut += size;
  };
  const keepTail = (unit: string) => {
    tail.push(unit);
    tailBytes += bytesOf(unit);
    // Rarely: each time costs the whole tail.
    if (tailBytes > part * 3) trim();
  };
  return {
    push(unit) {
      const size = bytesOf(unit);
      if (tail.length > 0) return keepTail(unit);
      if (headBytes + size <= part) {
        head += unit;
        headBytes += size;
        return;
      }
      const taken = unit.startsWith("\\") ? "" : firstBytes(unit, part - headBytes);
      head += taken;
      headBytes += bytesOf(taken);
      keepTail(unit.slice(taken.length));
    },
    text() {
      trim();
      const marker = leftOut === 0 ? "" : `\\n[… ${leftOut} bytes left out …]\\n`;
      return `${head}${marker}${tail.join("")}`;
    },
  };
}

/** In the text that the JSON stands for, about: an escape is one character, at most three bytes. */
const bytesOf = (unit: string) =>
  unit.startsWith("\\") ? (unit.length > 2 ? 3 : 1) : Buffer.byteLength(unit);

/** The characters of a text that fit into `bytes`. */
const firstBytes = (text: string, bytes: number) =>
  Buffer.from(text.slice(0, bytes))
    .subarray(0, Math.max(0, bytes))
    .toString()
    .replace(/\uFFFD+$/, "");
