import {
  type AliasEvent,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from "js-yaml";
import { merge } from "./merge.ts";
import type { Spot, Table } from "./places.ts";
import { isSurelyText, scalarValue, tagProblem } from "./scalar.ts";
import {
  addKey,
  addValue,
  beginWalk,
  countNode,
  expectsKey,
  maxNodes,
  note,
  remember,
  type SourceFault,
  stop,
  tooMany,
  type Walk,
  waitingKey,
} from "./walk.ts";
import { signHint } from "./yaml-hint.ts";

/** The value of a document, with the spot of each value in it. */
export interface Tree {
  readonly root: { readonly value: unknown; readonly spot: Spot } | undefined;
  readonly tables: ReadonlyMap<object, Table>;
  readonly faults: readonly SourceFault[];
  /** The value must not be used. */
  readonly broken: boolean;
}

export interface TreeOptions {
  readonly events: readonly Event[];
  /** Whether to note the spots; without it the tables stay empty. */
  readonly track: boolean;
  readonly repeatable: ReadonlySet<string>;
}

const maxAliases = 100;
const maxExpanded = 100_000;
const maxDepth = 100;

/** Builds plain values from the events of one document; aliases share the value they name. */
export function buildTree(source: string, { events, ...options }: TreeOptions): Tree {
  const walk = beginWalk(source, options);
  if (events.length > 2 * maxNodes) stop(walk, { code: "LIMIT", message: tooMany, offset: 0 });
  for (const event of walk.broken ? [] : events) {
    take(walk, event);
    if (walk.broken) break;
  }
  return walk;
}

function take(walk: Walk, event: Event): void {
  switch (event.type) {
    case EVENT_ID.DOCUMENT:
      break;
    case EVENT_ID.POP:
      close(walk);
      break;
    case EVENT_ID.ALIAS:
      follow(walk, event);
      break;
    case EVENT_ID.SCALAR:
      scalar(walk, event);
      break;
    default:
      open(walk, event);
  }
}

function open(walk: Walk, event: SequenceEvent | MappingEvent): void {
  countNode(walk, event.start);
  const isList = event.type === EVENT_ID.SEQUENCE;
  const problem = event.tagStart < 0 ? undefined : tagProblem(tagOf(walk, event), isList ? "!!seq" : "!!map");
  if (problem) stop(walk, { code: "BAD_YAML", message: problem, offset: event.tagStart });
  const spot = { offset: event.start, key: waitingKey(walk) ?? event.start };
  if (expectsKey(walk)) {
    const message = "A key must be text, not a list or mapping.";
    const hint = isList ? {} : { hint: signHint("{") };
    stop(walk, { code: "BAD_YAML", message, offset: event.start, ...hint });
  }
  const container = isList ? [] : {};
  const table = walk.track ? new Map<string | number, Spot>() : undefined;
  if (table) walk.tables.set(container, table);
  const anchor = remember(walk, event, container);
  if (anchor) anchor.open = true;
  walk.frames.push({ container, table, spot, anchor, key: undefined, merged: undefined, size: 1, height: 0 });
}

function close(walk: Walk): void {
  const frame = walk.frames.pop();
  if (frame === undefined) return;
  if (frame.merged) merge(walk, frame, frame.merged);
  const { container, anchor, spot, size } = frame;
  const height = frame.height + 1;
  if (anchor) Object.assign(anchor, { open: false, size, height });
  addValue(walk, { value: container, spot, size, height });
}

function follow(walk: Walk, event: AliasEvent): void {
  const offset = event.anchorStart - 1;
  const anchor = walk.anchors.get(walk.source.slice(event.anchorStart, event.anchorEnd));
  countNode(walk, offset);
  walk.expanded += anchor?.size ?? 0;
  walk.aliases++;
  const fault = aliasFault(walk, event);
  if (fault) stop(walk, { ...fault, offset });
  else if (anchor === undefined) return;
  else if (expectsKey(walk)) addKey(walk, { written: String(anchor.value), offset, plain: false });
  else {
    const spot = { offset, key: waitingKey(walk) ?? offset };
    addValue(walk, { value: anchor.value, spot, size: anchor.size, height: anchor.height });
  }
}

function aliasFault(
  walk: Walk,
  { anchorStart, anchorEnd }: AliasEvent,
): Omit<SourceFault, "offset"> | undefined {
  const name = walk.source.slice(anchorStart, anchorEnd);
  const anchor = walk.anchors.get(name);
  if (anchor === undefined)
    return { code: "BAD_YAML", message: `There is no anchor &${name}.`, hint: signHint("*") };
  if (anchor.open) return { code: "BAD_YAML", message: `&${name} contains itself.` };
  if (walk.aliases > maxAliases || walk.expanded > maxExpanded) {
    return { code: "LIMIT", message: "Aliases make the file too large." };
  }
  if (walk.frames.length + anchor.height > maxDepth) {
    return { code: "LIMIT", message: `Values are nested more than ${maxDepth} deep.` };
  }
  if (expectsKey(walk) && anchor.height > 0) {
    return { code: "BAD_YAML", message: "A key must be text, not a list or mapping." };
  }
  return undefined;
}

const nowhere: Spot = { offset: 0, key: 0 };

function scalar(walk: Walk, event: ScalarEvent): void {
  const offset = scalarOffset(walk, event);
  countNode(walk, offset);
  const text = getScalarValue(walk.source, event);
  if (expectsKey(walk)) {
    remember(walk, event, text);
    addKey(walk, { written: text, offset, plain: event.style === SCALAR_STYLE.PLAIN });
    return;
  }
  const value = meaning(walk, event, text);
  remember(walk, event, value);
  const spot = walk.track ? { offset, key: waitingKey(walk) ?? offset, scalar: event } : nowhere;
  addValue(walk, { value, spot, size: 1, height: 0 });
}

function meaning(walk: Walk, event: ScalarEvent, text: string): unknown {
  const plain = event.style === SCALAR_STYLE.PLAIN;
  if (event.tagStart < 0 && (!plain || isSurelyText(text))) return text;
  const read = scalarValue(text, { tag: tagOf(walk, event), plain });
  if (read.ok) return read.value;
  const fault = { code: read.code, message: read.message, offset: scalarOffset(walk, event) };
  if (read.code === "BAD_YAML") stop(walk, fault);
  else note(walk, fault);
  return text;
}

const tagOf = (walk: Walk, { tagStart, tagEnd }: ScalarEvent | SequenceEvent | MappingEvent): string =>
  tagStart < 0 ? "" : walk.source.slice(tagStart, tagEnd);

/** Where a scalar begins for people: at its quote or block mark. */
function scalarOffset(walk: Walk, event: ScalarEvent): number {
  const { valueStart, style } = event;
  if (valueStart < 0) return waitingKey(walk) ?? walk.frames.at(-1)?.spot.offset ?? 0;
  if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED) return valueStart - 1;
  if (style === SCALAR_STYLE.PLAIN) return valueStart;
  const mark = style === SCALAR_STYLE.LITERAL_BLOCK ? "|" : ">";
  return Math.max(0, walk.source.lastIndexOf(mark, valueStart - 1));
}
