import type { MappingEvent, ScalarEvent, SequenceEvent } from "js-yaml";
import type { DiagnosticCode } from "../plan/diagnostic.ts";
import type { Spot } from "./places.ts";

/** A fault found while reading the text, at an offset into it. */
export interface SourceFault {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly offset: number;
  readonly hint?: string;
}

/** Everything known while the events of a document are walked. */
export interface Walk {
  readonly source: string;
  readonly track: boolean;
  /** Keys that may stand at the top more than once. */
  readonly repeatable: ReadonlySet<string>;
  readonly frames: Frame[];
  readonly anchors: Map<string, Anchor>;
  readonly tables: Map<object, Map<string | number, Spot>>;
  readonly faults: SourceFault[];
  root: { readonly value: unknown; readonly spot: Spot } | undefined;
  nodes: number;
  aliases: number;
  /** Values that aliases stand for. */
  expanded: number;
  /** The value must not be used. */
  broken: boolean;
}

/** A list or mapping that is being filled. */
export interface Frame {
  readonly container: unknown[] | Record<string, unknown>;
  readonly table: Map<string | number, Spot> | undefined;
  readonly spot: Spot;
  readonly anchor: Anchor | undefined;
  /** The key that waits for its value, and whether the pair is to be dropped. */
  key: WaitingKey | undefined;
  /** What the merge key `<<` brings into a mapping, once its own keys are known. */
  merged: Merged | undefined;
  /** Values inside, aliases counted in full, and how deep they go. */
  size: number;
  height: number;
}

interface WaitingKey {
  readonly name: string;
  readonly offset: number;
  readonly drop: boolean;
  /** Whether it is the merge key. */
  readonly merges: boolean;
}

export interface Merged {
  readonly value: unknown;
  /** Where the merge key stands. */
  readonly offset: number;
}

export interface Anchor {
  open: boolean;
  readonly value: unknown;
  size: number;
  height: number;
}

export interface Added {
  readonly value: unknown;
  readonly spot: Spot;
  readonly size: number;
  readonly height: number;
}

export const maxNodes = 200_000;
export const tooMany = "The file holds too many values.";
const maxFaults = 1000;
const maxRepeats = 100;
const mergeKey = "<<";
const forbidden = new Set(["__proto__", "constructor", "prototype"]);

export const beginWalk = (
  source: string,
  { track, repeatable }: Pick<Walk, "track" | "repeatable">,
): Walk => ({
  source,
  track,
  repeatable,
  frames: [],
  anchors: new Map(),
  tables: new Map(),
  faults: [],
  root: undefined,
  nodes: 0,
  aliases: 0,
  expanded: 0,
  broken: false,
});

/** Puts a value where the walk stands. */
export function addValue(walk: Walk, { value, spot, size, height }: Added): void {
  const frame = walk.frames.at(-1);
  if (frame === undefined) {
    walk.root ??= { value, spot };
    return;
  }
  frame.size += size;
  frame.height = Math.max(frame.height, height);
  if (Array.isArray(frame.container)) {
    frame.table?.set(frame.container.length, spot);
    frame.container.push(value);
    return;
  }
  const waiting = frame.key;
  frame.key = undefined;
  if (waiting === undefined || waiting.drop) return;
  if (waiting.merges) {
    frame.merged = { value, offset: waiting.offset };
    return;
  }
  frame.table?.set(waiting.name, spot);
  frame.container[waiting.name] = value;
}

interface Key {
  readonly written: string;
  readonly offset: number;
  /** A quoted `<<` is a key like any other. */
  readonly plain: boolean;
}

/** Takes a key; a second one of a name, and names of an object's own machinery, are dropped with their value. */
export function addKey(walk: Walk, { written, offset, plain }: Key): void {
  const frame = walk.frames.at(-1);
  if (frame === undefined) return;
  const name = walk.frames.length === 1 && walk.repeatable.has(written) ? freeName(frame, written) : written;
  const merges = plain && name === mergeKey;
  const isTwice = merges ? frame.merged !== undefined : Object.hasOwn(frame.container, name);
  const isForbidden = forbidden.has(name);
  if (isTwice)
    note(walk, { code: "DUPLICATE_KEY", message: `\`${name}\` stands here a second time.`, offset });
  if (isForbidden) note(walk, { code: "UNKNOWN_FIELD", message: `\`${name}\` cannot be a key.`, offset });
  frame.key = { name, offset, drop: isTwice || isForbidden, merges };
}

/** A key that may repeat is kept under a name of its own: `steps`, `steps (2)`, `steps (3)`. */
function freeName({ container }: Frame, written: string): string {
  let name = written;
  for (let count = 2; count <= maxRepeats && Object.hasOwn(container, name); count++)
    name = `${written} (${count})`;
  return name;
}

/** Notes the value of an anchor, where the event has one. */
export function remember(
  walk: Walk,
  { anchorStart, anchorEnd }: ScalarEvent | SequenceEvent | MappingEvent,
  value: unknown,
): Anchor | undefined {
  if (anchorStart < 0) return undefined;
  const anchor: Anchor = { open: false, value, size: 1, height: 0 };
  walk.anchors.set(walk.source.slice(anchorStart, anchorEnd), anchor);
  return anchor;
}

export function expectsKey(walk: Walk): boolean {
  const frame = walk.frames.at(-1);
  return frame !== undefined && !Array.isArray(frame.container) && frame.key === undefined;
}

/** Where the key stands whose value comes next. */
export const waitingKey = (walk: Walk): number | undefined => walk.frames.at(-1)?.key?.offset;

export function countNode(walk: Walk, offset: number): void {
  if (++walk.nodes > maxNodes) stop(walk, { code: "LIMIT", message: tooMany, offset });
}

export function note(walk: Walk, fault: SourceFault): void {
  if (walk.faults.length < maxFaults) walk.faults.push(fault);
}

export function stop(walk: Walk, fault: SourceFault): void {
  walk.faults.push(fault);
  walk.broken = true;
}
