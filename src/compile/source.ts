import { EVENT_ID, type Event, parseEvents, YAMLException } from "js-yaml";
import { linesOf, nowhere, type Place, type Places, placesIn } from "./places.ts";
import { buildTree, type TreeOptions } from "./tree.ts";
import type { SourceFault } from "./walk.ts";
import { yamlHint } from "./yaml-hint.ts";

/** What the text of a file says: its value with the places of everything in it, or why it cannot be read. */
export interface Source {
  /** `undefined` when nothing could be read. */
  readonly value: unknown;
  readonly faults: readonly (SourceFault & Place)[];
  readonly places: Places;
}

const maxBytes = 1_048_576;
const maxDepth = 100;
/** Line ends, brackets, commas and dashes, counted before parsing: what makes a small file slow to read. */
const maxMarks = 100_000;

const none: ReadonlySet<string> = new Set();

/**
 * Reads YAML 1.2 (core schema) in time linear in a text of at most 1 MiB; never throws. A repeatable key that stands at
 * the top again is kept, in its place, as `key (2)` and so on; any other is a fault.
 */
export function readSource(text: string, repeatable: ReadonlySet<string> = none): Source {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (isTooLarge(source))
    return refuse({ code: "TOO_LARGE", message: "The file is larger than 1 MiB.", offset: 0 });
  if (isTooBusy(source)) {
    return refuse({
      code: "LIMIT",
      message: `The file has more than ${maxMarks} lines, brackets and commas.`,
      offset: 0,
    });
  }
  try {
    return readEvents(source, { events: parseEvents(source, { maxDepth }), repeatable });
  } catch (error) {
    return refuse(...yamlFault(error, source));
  }
}

function readEvents(source: string, read: Pick<TreeOptions, "events" | "repeatable">): Source {
  const { events } = read;
  const lines = linesOf(source);
  const fault = documentFault(events);
  if (fault) return refuse(fault, lines.place(fault.offset));
  const tree = buildTree(source, { ...read, track: false });
  const faults = tree.faults.map((it) => ({ ...it, ...lines.place(it.offset) }));
  if (tree.broken) return { value: undefined, faults, places: nowhere };
  const track = () => buildTree(source, { ...read, track: true });
  return { value: tree.root?.value, faults, places: placesIn({ source, lines, track }) };
}

const refuse = (fault: SourceFault, place: Place = { line: 1, column: 1 }): Source => ({
  value: undefined,
  faults: [{ ...fault, ...place }],
  places: nowhere,
});

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

/** A file holds exactly one document, and says something. */
function documentFault(events: readonly Event[]): SourceFault | undefined {
  const [first] = events;
  if (first === undefined) return { code: "BAD_YAML", message: "The file is empty.", offset: 0 };
  if (first.type === EVENT_ID.DOCUMENT && first.directives.some((directive) => directive.kind === "tag")) {
    return { code: "BAD_YAML", message: "A %TAG directive is not allowed.", offset: 0 };
  }
  const second = events.findIndex((event, index) => index > 0 && event.type === EVENT_ID.DOCUMENT);
  if (second < 0) return undefined;
  const message = "The file holds several YAML documents; one workflow is one document.";
  return { code: "BAD_YAML", message, offset: nextOffset(events, second) };
}

function nextOffset(events: readonly Event[], index: number): number {
  const next = events[index + 1];
  if (next === undefined || next.type === EVENT_ID.DOCUMENT || next.type === EVENT_ID.POP) return 0;
  if (next.type === EVENT_ID.ALIAS) return next.anchorStart;
  return Math.max(0, next.type === EVENT_ID.SCALAR ? next.valueStart : next.start);
}

function yamlFault(error: unknown, source: string): [SourceFault, Place | undefined] {
  if (!(error instanceof YAMLException)) {
    return [{ code: "BAD_YAML", message: "The file is not YAML.", offset: 0 }, undefined];
  }
  const { reason, mark } = error;
  const place = mark && { line: mark.line + 1, column: mark.column + 1 };
  if (reason.includes("maxDepth")) {
    return [{ code: "LIMIT", message: `Values are nested more than ${maxDepth} deep.`, offset: 0 }, place];
  }
  const hint = mark && yamlHint({ reason, source, offset: mark.position });
  const fault = { code: "BAD_YAML", message: `The file is not YAML: ${reason}.`, offset: 0 } as const;
  return [{ ...fault, ...(hint && { hint }) }, place];
}
