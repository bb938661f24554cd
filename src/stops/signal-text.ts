import { quotations } from "./quotations.ts";

/**
 * True if a final message gives a signal: in a `<promise>` tag at the end of a line or, with the form "any", as its
 * last word, or alone on a line. Quoted, fenced, commented-out or negated signals do not count.
 */
export function signalled(raw: string, text: string, form: "any" | "tag"): boolean {
  let isQuoted: ((offset: number) => boolean) | undefined;
  let tail: number | undefined;
  for (const start of occurrences(raw, text)) {
    const tag = enclosingTag(raw, start, start + text.length);
    const isPresent =
      tag === undefined
        ? form === "any" && isPlainAt(start)
        : closesLine(raw, tag) && !withheld.test(raw.slice(Math.max(0, tag.start - 40), tag.start));
    if (!isPresent) continue;
    isQuoted ??= quotations(raw);
    if (!isQuoted(tag?.start ?? start)) return true;
  }
  return false;

  function isPlainAt(start: number): boolean {
    const end = start + text.length;
    if (!raw.startsWith(text, start) || isInWord(raw, start, end)) return false;
    if (isAlone(raw, start, end)) return true;
    tail ??= tailStart(raw);
    return end >= tail && !negation.test(raw.slice(Math.max(0, start - 40), start));
  }
}

/** A final message without the tags of the declared signals. */
export function stripSignals(raw: string, texts: readonly string[]): string {
  return texts.reduce(stripSignal, raw).trim();
}

function stripSignal(raw: string, text: string): string {
  const kept: string[] = [];
  let copied = 0;
  for (const start of occurrences(raw, text)) {
    const tag = enclosingTag(raw, start, start + text.length);
    if (tag === undefined || tag.start < copied) continue;
    kept.push(raw.slice(copied, tag.start));
    copied = tag.end;
  }
  return copied === 0 ? raw : kept.join("") + raw.slice(copied);
}

/**
 * Offsets of a text, ignoring case. Most messages contain no candidate: then this is the only scan of the message.
 */
function* occurrences(raw: string, text: string): Generator<number> {
  const pattern = new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), "gi");
  for (let match = pattern.exec(raw); match !== null; match = pattern.exec(raw)) {
    yield match.index;
    pattern.lastIndex = match.index + 1;
  }
}

interface Tag {
  readonly start: number;
  readonly end: number;
}

const closingTag = /\s*<\s*\/\s*promise\s*>/iy;
const openingTag = /<\s*promise\s*>$/i;

function enclosingTag(raw: string, start: number, end: number): Tag | undefined {
  const inner = skipBlanksBack(raw, start);
  if (raw[inner - 1] !== ">") return undefined;
  const opening = openingTag.exec(raw.slice(Math.max(0, inner - 32), inner))?.[0];
  if (opening === undefined) return undefined;
  closingTag.lastIndex = end;
  const closing = closingTag.exec(raw)?.[0];
  return closing === undefined ? undefined : { start: inner - opening.length, end: end + closing.length };
}

function skipBlanksBack(raw: string, from: number): number {
  let at = from;
  while (at > 0 && isBlank(raw, at - 1)) at--;
  return at;
}

function isBlank(raw: string, at: number): boolean {
  const code = raw.charCodeAt(at);
  return code <= 32 || (code > 126 && /\s/.test(raw[at] ?? ""));
}

const restOfLine = /(?:[^\S\n]|[\p{P}~`|]|<\/[a-z][\w-]*[^\S\n]*>)*(?=\n|$)/iuy;

function closesLine(raw: string, tag: Tag): boolean {
  restOfLine.lastIndex = tag.end;
  return restOfLine.test(raw);
}

function isInWord(raw: string, start: number, end: number): boolean {
  if (isPlainGap(raw.charCodeAt(start - 1)) && isPlainGap(raw.charCodeAt(end))) return false;
  const isBefore = /[\p{L}\p{N}_-]$/u.test(raw.slice(Math.max(0, start - 2), start));
  return isBefore || /^[\p{L}\p{N}_-]/u.test(raw.slice(end, end + 2));
}

/** True for spaces and full stops, which surround most words; only other characters are examined further. */
function isPlainGap(code: number): boolean {
  return Number.isNaN(code) || code <= 32 || code === 46;
}

function isAlone(raw: string, start: number, end: number): boolean {
  let before = start;
  while (before > 0 && raw[before - 1] !== "\n" && isBlank(raw, before - 1)) before--;
  let after = end;
  while (after < raw.length && raw[after] !== "\n" && isBlank(raw, after)) after++;
  return (before === 0 || raw[before - 1] === "\n") && (after === raw.length || raw[after] === "\n");
}

/** Where the trailing spaces and punctuation of a message start. */
function tailStart(raw: string): number {
  let at = raw.length;
  while (at > 0 && (isBlank(raw, at - 1) || /[\p{P}`~]/u.test(raw[at - 1] ?? ""))) at--;
  return at;
}

const negation =
  /(?:(?<![\p{L}\p{N}_-])(?:not|never|cannot)|n['’]t)(?:\s+(?:yet|fully|quite))?[\s*_"'“”‘’]*$/iu;

/** Words before a tag on its line by which the agent says that it does not give the signal. */
const withheld =
  /(?:(?<![\p{L}\p{N}_-])(?:not|never|cannot|no|without)|n['’]t)(?:[^\S\n]+(?:yet|print|say|output|write|emit|claim|answer|give|send)(?:ing)?)*(?:[^\S\n]|[*_"'“”‘’`])*$/iu;
