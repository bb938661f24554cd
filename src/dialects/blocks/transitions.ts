import { findCycle } from "../../plan/check.ts";
import type { Transition, TransitionTarget } from "../../plan/sequence.ts";
import type { ParsedFields } from "../parse-fields.ts";
import { isMapping, parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault, requireKeys } from "../report-fault.ts";
import { didYouMean, namesHere } from "../value-remedy.ts";
import type { Exits } from "./exits.ts";
import type { RawBlock, ReaderContext } from "./reader-context.ts";
import { transitionFields, type workflowFields } from "./schema.ts";

/** Collects the transitions of one block. */
interface Transitions {
  to?: TransitionTarget;
  byExit?: Record<string, TransitionTarget>;
  otherwise?: TransitionTarget;
  onFailure?: string;
}

type Edges = Map<string, Transitions>;

interface Read {
  readonly fields: ParsedFields<typeof workflowFields>;
  readonly exits: ReadonlyMap<string, Exits>;
}

/** Reads which block follows which, from `transitions` and from the blocks themselves. */
export function readTransitions(
  reader: ReaderContext,
  { fields, exits }: Read,
): ReadonlyMap<string, Transition> {
  const edges: Edges = new Map([...reader.blocks.keys()].map((id) => [id, {}]));
  for (const [index, value] of (fields.transitions ?? []).entries()) {
    readTransition(reader, edges, { value, at: ["workflow", "transitions", index] });
  }
  for (const [index, value] of (fields.conditional_transitions ?? []).entries()) {
    readConditional(reader, edges, { value, exits, at: ["workflow", "conditional_transitions", index] });
  }
  for (const rawBlock of reader.blocks.values())
    readOwn(reader, edges, { rawBlock, exits: exits.get(rawBlock.id) });
  for (const rawBlock of reader.blocks.values()) readDepends(reader, edges, rawBlock);
  checkCycles(reader, edges);
  return edges;
}

/** An existing block, or a fault. */
function isBlock(reader: ReaderContext, id: string, at: SourcePath): boolean {
  if (reader.ids.has(id)) return true;
  const hint = namesHere(id, [...reader.ids], "blocks");
  reportFault(reader, "UNKNOWN_REFERENCE", {
    message: `There is no block \`${id.slice(0, 100)}\`.`,
    at,
    hint,
  });
  return false;
}

/** A new entry for a block's transitions; a fault if it already has some. */
function freeTransitions(
  reader: ReaderContext,
  edges: Edges,
  { id, at }: { readonly id: string; readonly at: SourcePath },
): Transitions | undefined {
  const transitions = edges.get(id);
  if (transitions?.to === undefined && transitions?.byExit === undefined) return transitions;
  const message = `\`${id}\` already has a transition; a block has one.`;
  return reportFault(reader, "BAD_VALUE", { message, at, hint: "Remove one of them." });
}

interface Entry {
  readonly value: unknown;
  readonly at: SourcePath;
}

function readTransition(reader: ReaderContext, edges: Edges, { value, at }: Entry): void {
  const { from, to } = parseFields(value, { fields: transitionFields, at, faults: reader.faults });
  if (!isMapping(value)) return;
  requireKeys(reader, { keys: ["from", "to"], object: value, at, what: "A transition" });
  const isFrom = from !== undefined && isBlock(reader, from, [...at, "from"]);
  const isTo = typeof to !== "string" || isBlock(reader, to, [...at, "to"]);
  const transitions = isFrom ? freeTransitions(reader, edges, { id: from, at: [...at, "from"] }) : undefined;
  if (transitions !== undefined && isTo) transitions.to = targetOf(to);
}

const targetOf = (to: string | null | undefined): TransitionTarget =>
  typeof to === "string" ? { node: to } : {};

function readConditional(
  reader: ReaderContext,
  edges: Edges,
  { value, at, exits }: Entry & Pick<Read, "exits">,
): void {
  if (!isMapping(value)) {
    reportFault(reader, "BAD_VALUE", { message: "A conditional transition must be a mapping.", at });
    return;
  }
  const { from } = value;
  if (typeof from !== "string") {
    reportFault(reader, "BAD_VALUE", { message: "A conditional transition needs `from`.", at });
    return;
  }
  if (!isBlock(reader, from, [...at, "from"])) return;
  const transitions = freeTransitions(reader, edges, { id: from, at: [...at, "from"] });
  const byExit: Record<string, TransitionTarget> = {};
  for (const [exit, to] of Object.entries(value).filter(([key]) => key !== "from")) {
    const place = [...at, exit];
    checkExit(reader, exit, { from, names: exits.get(from)?.names, at: place });
    if (to !== null && typeof to !== "string") {
      reportFault(reader, "BAD_VALUE", {
        message: `\`${exit}\` must lead to a block, or be null for the end.`,
        at: place,
      });
    } else if (to === null || isBlock(reader, to, place)) byExit[exit] = targetOf(to);
  }
  if (transitions === undefined) return;
  const { default: otherwise, ...named } = byExit;
  transitions.byExit = named;
  if (otherwise !== undefined) transitions.otherwise = otherwise;
}

interface Exit {
  readonly from: string;
  readonly names: ReadonlySet<string> | undefined;
  readonly at: SourcePath;
}

function checkExit(reader: ReaderContext, exit: string, { from, names = new Set(), at }: Exit): void {
  if (exit === "default" || names.has(exit)) return;
  const hint = didYouMean(exit, [...names]) ?? `Declare it: exits: [{ id: ${exit}, label: … }].`;
  const message = `\`${from}\` has no exit \`${exit}\`.`;
  reportFault(reader, "UNKNOWN_REFERENCE", { message, at, onKey: true, hint });
}

interface Own {
  readonly rawBlock: RawBlock;
  readonly exits: Exits | undefined;
}

/** The transitions declared in the block itself: a gate's two, routes, and the one after a failure. */
function readOwn(reader: ReaderContext, edges: Edges, { rawBlock, exits }: Own): void {
  const { id, at, fields } = rawBlock;
  const { pass, fail, error_route: onFailure } = fields;
  const isGate = pass !== undefined || fail !== undefined;
  if (isGate && (pass === undefined || fail === undefined)) {
    const [present, missing] = pass === undefined ? ["fail", "pass"] : ["pass", "fail"];
    const message = `\`${present}\` requires \`${missing}\`: a gate has both or neither.`;
    reportFault(reader, "BAD_VALUE", { message, at: [...at, present], onKey: true });
  }
  if (pass !== undefined && fail !== undefined) {
    const known = [isBlock(reader, pass, [...at, "pass"]), isBlock(reader, fail, [...at, "fail"])];
    const transitions = freeTransitions(reader, edges, { id, at: [...at, "pass"] });
    if (transitions !== undefined && known.every(Boolean)) {
      transitions.byExit = { pass: { node: pass }, fail: { node: fail } };
      transitions.otherwise = { node: fail };
    }
  }
  if (exits !== undefined && exits.routes.length > 0)
    readRouteTransitions(reader, edges, { rawBlock, exits });
  const transitions = edges.get(id);
  if (onFailure !== undefined && isBlock(reader, onFailure, [...at, "error_route"]) && transitions)
    transitions.onFailure = onFailure;
}

function readRouteTransitions(
  reader: ReaderContext,
  edges: Edges,
  { rawBlock, exits }: { readonly rawBlock: RawBlock; readonly exits: Exits },
): void {
  const transitions = freeTransitions(reader, edges, { id: rawBlock.id, at: [...rawBlock.at, "routes"] });
  const byExit: Record<string, TransitionTarget> = {};
  for (const { exit, to, isDefault, at } of exits.routes) {
    if (typeof to === "string" && !isBlock(reader, to, [...at, "goto"])) continue;
    byExit[exit] = targetOf(to);
    if (isDefault && transitions !== undefined) transitions.otherwise = targetOf(to);
  }
  if (transitions !== undefined) transitions.byExit = byExit;
}

function readDepends(reader: ReaderContext, edges: Edges, { id, at, fields: { depends } }: RawBlock): void {
  if (depends === undefined) return;
  const isList = Array.isArray(depends);
  for (const [index, source] of (isList ? depends : [depends]).entries()) {
    const place = [...at, "depends", ...(isList ? [index] : [])];
    if (typeof source !== "string" || source.trim() === "") {
      reportFault(reader, "BAD_VALUE", {
        message: "`depends` must name a block, or several in a list.",
        at: place,
        hint: "For example `depends: [first, second]`.",
      });
    } else if (!reader.ids.has(source)) {
      const hint = didYouMean(source, [...reader.ids]);
      const message = `\`${id}\` depends on \`${source}\`, which is not a block of this file.`;
      reportFault(reader, "UNKNOWN_DEPENDENCY", { message, at: place, hint });
    } else {
      const transitions = freeTransitions(reader, edges, { id: source, at: place });
      if (transitions !== undefined) transitions.to = { node: id };
    }
  }
}

/** The blocks that may follow a block, except after failures. */
export const targetsOf = ({ to, byExit = {}, otherwise }: Transition): readonly string[] =>
  [to, ...Object.values(byExit), otherwise].flatMap((target) => target?.node ?? []);

function checkCycles(reader: ReaderContext, edges: Edges): void {
  const settled = new Set<string>();
  for (const start of edges.keys()) {
    if (settled.has(start)) continue;
    const cycle = findCycle(start, (id) => targetsOf(edges.get(id) ?? {}), settled);
    if (cycle === undefined) continue;
    reportFault(reader, "CYCLE", {
      message: `These blocks lead back to each other: ${[...cycle.slice(0, 10), cycle[0]].join(" → ")}.`,
      at: ["blocks", cycle[0] ?? ""],
      onKey: true,
      hint: "To repeat blocks, put them into a block of type loop.",
    });
  }
}
