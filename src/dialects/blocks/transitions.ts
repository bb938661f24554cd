import type { Target, Transition } from "../../plan/sequence.ts";
import type { ParsedFields } from "../parse-fields.ts";
import { didYouMean, isMapping, parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import type { Exits } from "./exits.ts";
import type { RawBlock, ReaderContext } from "./reader-context.ts";
import { transitionFields, type workflowFields } from "./schema.ts";

/** The transitions of one block, while they are collected. */
interface Ways {
  to?: Target;
  byExit?: Record<string, Target>;
  otherwise?: Target;
  onFailure?: string;
}

type Edges = Map<string, Ways>;

interface Read {
  readonly fields: ParsedFields<typeof workflowFields>;
  readonly exits: ReadonlyMap<string, Exits>;
}

/** Reads which block follows which: transitions, and all that blocks say of it themselves. */
export function readTransitions(
  sheet: ReaderContext,
  { fields, exits }: Read,
): ReadonlyMap<string, Transition> {
  const edges: Edges = new Map([...sheet.blocks.keys()].map((id) => [id, {}]));
  for (const [index, value] of (fields.transitions ?? []).entries()) {
    readTransition(sheet, edges, { value, at: ["workflow", "transitions", index] });
  }
  for (const [index, value] of (fields.conditional_transitions ?? []).entries()) {
    readConditional(sheet, edges, { value, exits, at: ["workflow", "conditional_transitions", index] });
  }
  for (const draft of sheet.blocks.values()) readOwn(sheet, edges, { draft, exits: exits.get(draft.id) });
  for (const draft of sheet.blocks.values()) readDepends(sheet, edges, draft);
  checkCycles(sheet, edges);
  return edges;
}

/** A block that is there, or a fault. */
function isBlock(sheet: ReaderContext, id: string, at: SourcePath): boolean {
  if (sheet.ids.has(id)) return true;
  const hint = didYouMean(id, [...sheet.ids]);
  reportFault(sheet, "UNKNOWN_REFERENCE", {
    message: `There is no block \`${id.slice(0, 100)}\`.`,
    at,
    hint,
  });
  return false;
}

/** The transitions of a block without any yet; an error if it has some. */
function freeWays(
  sheet: ReaderContext,
  edges: Edges,
  { id, at }: { readonly id: string; readonly at: SourcePath },
): Ways | undefined {
  const ways = edges.get(id);
  if (ways?.to === undefined && ways?.byExit === undefined) return ways;
  const message = `What follows \`${id}\` is said already; a block has one transition.`;
  reportFault(sheet, "BAD_VALUE", { message, at });
  return undefined;
}

interface Entry {
  readonly value: unknown;
  readonly at: SourcePath;
}

function readTransition(sheet: ReaderContext, edges: Edges, { value, at }: Entry): void {
  const { from, to } = parseFields(value, { fields: transitionFields, at, faults: sheet.faults });
  if (!isMapping(value)) return;
  for (const key of ["from", "to"].filter((it) => !Object.hasOwn(value, it))) {
    reportFault(sheet, "BAD_VALUE", { message: `A transition needs \`${key}\`.`, at });
  }
  const isFrom = from !== undefined && isBlock(sheet, from, [...at, "from"]);
  const isTo = typeof to !== "string" || isBlock(sheet, to, [...at, "to"]);
  const ways = isFrom ? freeWays(sheet, edges, { id: from, at: [...at, "from"] }) : undefined;
  if (ways !== undefined && isTo) ways.to = targetOf(to);
}

const targetOf = (to: string | null | undefined): Target => (typeof to === "string" ? { node: to } : {});

function readConditional(
  sheet: ReaderContext,
  edges: Edges,
  { value, at, exits }: Entry & Pick<Read, "exits">,
): void {
  if (!isMapping(value)) {
    reportFault(sheet, "BAD_VALUE", { message: "A conditional transition must be a mapping.", at });
    return;
  }
  const { from } = value;
  if (typeof from !== "string") {
    reportFault(sheet, "BAD_VALUE", { message: "A conditional transition needs `from`.", at });
    return;
  }
  if (!isBlock(sheet, from, [...at, "from"])) return;
  const ways = freeWays(sheet, edges, { id: from, at: [...at, "from"] });
  const byExit: Record<string, Target> = {};
  for (const [exit, to] of Object.entries(value).filter(([key]) => key !== "from")) {
    const place = [...at, exit];
    checkExit(sheet, exit, { from, names: exits.get(from)?.names, at: place });
    if (to !== null && typeof to !== "string") {
      reportFault(sheet, "BAD_VALUE", {
        message: `\`${exit}\` must lead to a block, or be null for the end.`,
        at: place,
      });
    } else if (to === null || isBlock(sheet, to, place)) byExit[exit] = targetOf(to);
  }
  if (ways === undefined) return;
  const { default: otherwise, ...named } = byExit;
  ways.byExit = named;
  if (otherwise !== undefined) ways.otherwise = otherwise;
}

interface Exit {
  readonly from: string;
  readonly names: ReadonlySet<string> | undefined;
  readonly at: SourcePath;
}

function checkExit(sheet: ReaderContext, exit: string, { from, names = new Set(), at }: Exit): void {
  if (exit === "default" || names.has(exit)) return;
  const hint = didYouMean(exit, [...names]) ?? `Declare it: exits: [{ id: ${exit}, label: … }].`;
  const message = `\`${from}\` has no exit \`${exit}\`.`;
  reportFault(sheet, "UNKNOWN_REFERENCE", { message, at, onKey: true, hint });
}

interface Own {
  readonly draft: RawBlock;
  readonly exits: Exits | undefined;
}

/** The transitions declared in the block itself: a gate's two, routes, and the one after a failure. */
function readOwn(sheet: ReaderContext, edges: Edges, { draft, exits }: Own): void {
  const { id, at, fields } = draft;
  const { pass, fail, error_route: onFailure } = fields;
  const isGate = pass !== undefined || fail !== undefined;
  if (isGate && (pass === undefined || fail === undefined)) {
    const [given, missing] = pass === undefined ? ["fail", "pass"] : ["pass", "fail"];
    const message = `\`${given}\` goes with \`${missing}\`: a gate has both or neither.`;
    reportFault(sheet, "BAD_VALUE", { message, at: [...at, given], onKey: true });
  }
  if (pass !== undefined && fail !== undefined) {
    const known = [isBlock(sheet, pass, [...at, "pass"]), isBlock(sheet, fail, [...at, "fail"])];
    const ways = freeWays(sheet, edges, { id, at: [...at, "pass"] });
    if (ways !== undefined && known.every(Boolean)) {
      ways.byExit = { pass: { node: pass }, fail: { node: fail } };
      ways.otherwise = { node: fail };
    }
  }
  if (exits !== undefined && exits.routes.length > 0) readRouteWays(sheet, edges, { draft, exits });
  const ways = edges.get(id);
  if (onFailure !== undefined && isBlock(sheet, onFailure, [...at, "error_route"]) && ways)
    ways.onFailure = onFailure;
}

function readRouteWays(
  sheet: ReaderContext,
  edges: Edges,
  { draft, exits }: { readonly draft: RawBlock; readonly exits: Exits },
): void {
  const ways = freeWays(sheet, edges, { id: draft.id, at: [...draft.at, "routes"] });
  const byExit: Record<string, Target> = {};
  for (const { exit, to, isDefault, at } of exits.routes) {
    if (typeof to === "string" && !isBlock(sheet, to, [...at, "goto"])) continue;
    byExit[exit] = targetOf(to);
    if (isDefault && ways !== undefined) ways.otherwise = targetOf(to);
  }
  if (ways !== undefined) ways.byExit = byExit;
}

function readDepends(sheet: ReaderContext, edges: Edges, { id, at, fields, raw }: RawBlock): void {
  if (!Object.hasOwn(raw, "depends")) return;
  const { depends } = fields;
  const isList = Array.isArray(depends);
  for (const [index, source] of (isList ? depends : [depends]).entries()) {
    const place = [...at, "depends", ...(isList ? [index] : [])];
    if (typeof source !== "string" || source.trim() === "") {
      reportFault(sheet, "BAD_VALUE", {
        message: "`depends` must name a block, or several in a list.",
        at: place,
      });
    } else if (!sheet.ids.has(source)) {
      const hint = didYouMean(source, [...sheet.ids]);
      const message = `\`${id}\` depends on \`${source}\`, which is not a block of this file.`;
      reportFault(sheet, "UNKNOWN_DEPENDENCY", { message, at: place, hint });
    } else {
      const ways = freeWays(sheet, edges, { id: source, at: place });
      if (ways !== undefined) ways.to = { node: id };
    }
  }
}

/** The blocks that may follow one, failures aside. */
export const targetsOf = ({ to, byExit = {}, otherwise }: Transition): readonly string[] =>
  [to, ...Object.values(byExit), otherwise].flatMap((target) => target?.node ?? []);

function checkCycles(sheet: ReaderContext, edges: Edges): void {
  const settled = new Set<string>();
  for (const start of edges.keys()) {
    const cycle = cycleFrom(start, edges, settled);
    if (cycle === undefined) continue;
    reportFault(sheet, "CYCLE", {
      message: `These blocks lead back to each other: ${[...cycle.slice(0, 10), cycle[0]].join(" → ")}.`,
      at: ["blocks", cycle[0] ?? ""],
      onKey: true,
      hint: "To repeat blocks, put them into a block of type loop.",
    });
  }
}

/** Follows the edges with a stack of its own: a chain may be longer than the call stack. */
function cycleFrom(start: string, edges: Edges, settled: Set<string>): readonly string[] | undefined {
  if (settled.has(start)) return undefined;
  const path: { readonly id: string; readonly left: string[] }[] = [];
  const enter = (id: string) => path.push({ id, left: [...targetsOf(edges.get(id) ?? {})].reverse() });
  let cycle: readonly string[] | undefined;
  enter(start);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = top.left.pop();
    if (next === undefined) {
      settled.add(top.id);
      path.pop();
      continue;
    }
    const from = path.findIndex(({ id }) => id === next);
    if (from >= 0) cycle ??= path.slice(from).map(({ id }) => id);
    else if (!settled.has(next)) enter(next);
  }
  return cycle;
}
