import { createTruncatingJson } from "./truncate-json.ts";

/** A reader of streamed lines of JSON. */
export interface JsonLines {
  push(text: string): void;
  /** Reads the last line, which may have no line break. */
  end(): void;
}

/**
 * Reads lines of JSON in bounded memory. Long strings are reduced to head and tail; lines that are no object, or too
 * large for other reasons, are ignored.
 */
export function jsonLines(read: (event: JsonObject) => void, limit = 256 * 1024): JsonLines {
  let line = collector(limit);
  const finish = () => {
    const event = parsed(line.text());
    line = collector(limit);
    if (event !== undefined) read(event);
  };
  return {
    push(text) {
      let from = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
        line.push(text.slice(from, end));
        from = end + 1;
        finish();
      }
      if (from < text.length) line.push(text.slice(from));
    },
    end: finish,
  };
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Collects one line; shortens it only beyond the maximum length of a string. */
function collector(limit: number) {
  const held: string[] = [];
  let length = 0;
  let short: ReturnType<typeof createTruncatingJson> | undefined;
  return {
    push(text: string) {
      length += text.length;
      if (short === undefined && length > limit) {
        short = createTruncatingJson(limit);
        for (const piece of held.splice(0)) short.push(piece);
      }
      if (short === undefined) held.push(text);
      else short.push(text);
    },
    text: () => (short === undefined ? held.join("") : short.text()),
  };
}

function parsed(line: string | undefined): JsonObject | undefined {
  if (line === undefined || !line.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as JsonObject;
  } catch {
    return undefined;
  }
}
