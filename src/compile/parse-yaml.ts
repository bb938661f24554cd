import { LineCounter } from "yaml";
import { checkNodes, type SourceFault } from "./check-nodes.ts";
import { noPositions, placesIn, type SourcePosition, type SourcePositions } from "./source-positions.ts";
import { parseYaml } from "./yaml-document.ts";

export type { SourceFault } from "./check-nodes.ts";

/** The content of a file: its value and the position of each part, or why it cannot be read. */
export interface Source {
  /** `undefined` if nothing could be read. */
  readonly value: unknown;
  readonly faults: readonly (SourceFault & SourcePosition)[];
  readonly places: SourcePositions;
}

const maxBytes = 1_048_576;
/**
 * Maximum number of line ends, brackets, commas and dashes, counted before parsing: they make even a small file slow
 * to parse.
 */
const maxMarks = 100_000;
/** Characters that the YAML specification forbids. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds them
const unprintableCharacter = /[\x00-\x08\x0B\x0C\x0E-\x1F\x7F\x80-\x84\x86-\x9F\uFFFE\uFFFF]/;

const none: ReadonlySet<string> = new Set();

/**
 * Reads YAML 1.2 (core schema, with merge keys) in time linear in a text of at most 1 MiB. Never throws. A repeatable
 * key that occurs again at the top is kept in place as `key (2)` and so on; any other repeated key is a fault.
 */
export function readSource(text: string, repeatable: ReadonlySet<string> = none): Source {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const lines = new LineCounter();
  const place = (offset: number): SourcePosition => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const refuse = (fault: SourceFault): Source => ({
    value: undefined,
    faults: [{ ...fault, ...place(fault.offset) }],
    places: noPositions,
  });
  const excess = boundFault(source);
  if (excess) return refuse(excess);
  lines.addNewLine(0);
  for (const { index, 0: end } of source.matchAll(/\r\n?|\n/g)) lines.addNewLine(index + end.length);
  const unprintable = source.search(unprintableCharacter);
  if (unprintable >= 0) return refuse(forbidden(source, unprintable));
  const parsed = parseYaml(source);
  if (!parsed.ok) return refuse(parsed.fault);
  const { document } = parsed;
  const checked = checkNodes(document, repeatable);
  const faults = checked.faults.map((it) => ({
    ...it,
    ...place(it.offset),
    ...(it.first === undefined ? {} : { hint: `Keep one: the first is on line ${place(it.first).line}.` }),
  }));
  if (checked.broken) return { value: undefined, faults, places: noPositions };
  const value: unknown = document.toJS({ maxAliasCount: -1 });
  return { value, faults, places: placesIn({ source, document, anchors: checked.anchors, place }) };
}

function forbidden(source: string, offset: number): SourceFault {
  const nul = source.indexOf("\0");
  if (nul >= 0) {
    const message = "This is not a text file: it contains a NUL character.";
    return { code: "BAD_YAML", message, offset: nul, hint: "A workflow is YAML, saved as UTF-8." };
  }
  const code = source.charCodeAt(offset).toString(16).padStart(4, "0");
  const message = `The file contains a character that YAML forbids: U+${code.toUpperCase()}.`;
  return { code: "BAD_YAML", message, offset, hint: `Remove it, or write "\\u${code}" in double quotes.` };
}

/** Why a text is not parsed: it is too large, or parsing would take too long. */
function boundFault(source: string): SourceFault | undefined {
  if (isTooLarge(source)) {
    const hint = "Move long prompts to .github/loops/commands/NAME.md, and write `command: NAME`.";
    return { code: "TOO_LARGE", message: "The file is larger than 1 MiB.", offset: 0, hint };
  }
  if (isTooBusy(source)) {
    const message = `The file has more than ${maxMarks} lines, brackets and commas.`;
    return { code: "LIMIT", message, offset: 0 };
  }
  return undefined;
}

function isTooLarge(source: string): boolean {
  if (source.length > maxBytes) return true;
  return source.length * 3 > maxBytes && new TextEncoder().encode(source).length > maxBytes;
}

function isTooBusy(source: string): boolean {
  let marks = 0;
  for (let index = 0; index < source.length; index++) if (isMark(source.charCodeAt(index))) marks++;
  return marks > maxMarks && source.replaceAll(/[^\n\r[{,-]|-(?! )/g, "").length > maxMarks;
}

const isMark = (code: number): boolean =>
  code === 10 || code === 13 || code === 91 || code === 123 || code === 44 || code === 45;
