import type { Plan } from "../../plan/plan.ts";
import type { Transition } from "../../plan/sequence.ts";
import type { Files, Reading } from "../dialect.ts";
import { didYouMean, isMapping } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { parseRawBlock, readBlock } from "./block.ts";
import { checkHead, readHead } from "./document-header.ts";
import { readExits } from "./exits.ts";
import { checkNesting } from "./nesting.ts";
import type { Make, RawBlock, ReaderContext } from "./reader-context.ts";
import { readSouls } from "./souls.ts";
import { readTransitions, targetsOf } from "./transitions.ts";

/** Everything wrong with a file in this language, and its plan. */
export function read(document: unknown, files: Files): Reading {
  const faults: ReaderContext["faults"] = [];
  const head = readHead({ faults }, isMapping(document) ? document : {});
  const drafts = Object.entries(head.blocks).flatMap(
    ([id, value]) => parseRawBlock({ faults }, id, value) ?? [],
  );
  const sheet: ReaderContext = {
    faults,
    calls: [],
    files,
    blocks: new Map(drafts.map((draft) => [draft.id, draft])),
    ids: new Set(Object.keys(head.blocks)),
    souls: readSouls({ faults, files }, head.souls),
    written: new Set(Object.keys(head.souls)),
    remembered: new Set([...drafts.flatMap(remembers), ...Object.keys(head.inputs)]),
  };
  checkHead(sheet, head, Object.keys(head.blocks));
  const makes = readBlocks(sheet);
  const ways = readTransitions(sheet, { fields: head.fields, exits: makes.exits });
  checkNesting(sheet);
  const reached = reachedFrom(head.entry, ways);
  warnOfUnreached(sheet, reached);
  warnOfDeadExits(sheet, makes.exits);
  if (faults.some((fault) => !fault.warning)) return { faults, plan: undefined, calls: sheet.calls };
  const plan: Omit<Plan, "workflows"> = {
    name: head.name,
    ...(head.fields.description === undefined ? {} : { description: head.fields.description }),
    dialect: "blocks",
    inputs: head.inputs,
    agents: Object.fromEntries(sheet.souls),
    budget: head.budget,
    body: {
      kind: "graph",
      nodes: [...sheet.blocks.keys()].filter((id) => reached.has(id)).map((id) => makes.makeOf(id)(nothing)),
      atMost: 1,
      walk: {
        entry: head.entry,
        next: Object.fromEntries([...ways].filter(([id]) => reached.has(id))),
        results: "outputs",
      },
    },
  };
  return { faults, plan, calls: sheet.calls };
}

const nothing = { given: {}, carried: [] };

interface Blocks {
  makeOf(id: string): Make;
  readonly exits: ReadonlyMap<string, ReturnType<typeof readExits>>;
}

/** Reads every block; the node of each is made later, once for each place at which it runs. */
function readBlocks(sheet: ReaderContext): Blocks {
  const exits = new Map([...sheet.blocks].map(([id, draft]) => [id, readExits(sheet, draft)]));
  const makes = new Map<string, Make>();
  const makeOf = (id: string): Make => {
    const make = makes.get(id);
    if (make === undefined) throw new Error(`the block ${id} was never read`);
    return make;
  };
  for (const [id, draft] of sheet.blocks) {
    const own = exits.get(id) ?? { names: new Set<string>(), rules: [], routes: [] };
    makes.set(id, readBlock(sheet, draft, { exits: own, makeOf }));
  }
  return { makeOf, exits };
}

/** Names of the memory that a block writes there. */
function remembers({ id, type, fields }: RawBlock): readonly string[] {
  const carry = fields.carry_context;
  const carried = isMapping(carry) ? (carry["inject_as"] ?? "previous_round_context") : undefined;
  return [
    ...(type === "loop" ? [`${id}_round`, `__loop__${id}`] : []),
    ...(typeof carried === "string" ? [carried] : []),
    ...(fields.retry_config === undefined ? [] : [`__retry__${id}`]),
    ...(type === "workflow"
      ? Object.keys(fields.outputs ?? {}).map((name) => name.replace(/^\w+\./, ""))
      : []),
  ];
}

function reachedFrom(entry: string, ways: ReadonlyMap<string, Transition>): ReadonlySet<string> {
  const reached = new Set(ways.has(entry) ? [entry] : []);
  for (const id of reached) {
    const next = ways.get(id) ?? {};
    for (const target of [...targetsOf(next), next.onFailure ?? id]) reached.add(target);
  }
  return reached;
}

/** Warns of a loop that waits for an exit by which none of its blocks can leave; a program may return any. */
function warnOfDeadExits(sheet: ReaderContext, exits: Blocks["exits"]): void {
  for (const { at, fields } of sheet.blocks.values()) {
    const inner = (fields.inner_block_refs ?? []).flatMap((id) => sheet.blocks.get(id) ?? []);
    if (inner.length === 0 || inner.some(({ type }) => type === "code")) continue;
    const names = new Set(inner.flatMap(({ id }) => [...(exits.get(id)?.names ?? [])]));
    for (const key of ["break_on_exit", "retry_on_exit"] as const) {
      const exit = fields[key];
      if (typeof exit !== "string" || exit.trim() === "" || names.has(exit)) continue;
      const message = `No block of this loop leaves by the exit \`${exit.slice(0, 100)}\`.`;
      const hint = didYouMean(exit, [...names]) ?? "Exits come of gates, code, exit_conditions and routes.";
      reportFault(sheet, "IGNORED_FIELD", { message, at: [...at, key], hint, warning: true });
    }
  }
}

/** Warns of keys that never have an effect. */
function warnOfUnreached(sheet: ReaderContext, reached: ReadonlySet<string>): void {
  const repeated = new Set([...sheet.blocks.values()].flatMap(({ fields }) => fields.inner_block_refs ?? []));
  for (const { id, at, fields } of sheet.blocks.values()) {
    if (reached.has(id)) continue;
    if (!repeated.has(id)) {
      const message = `The block \`${id}\` never runs: nothing leads to it.`;
      reportFault(sheet, "IGNORED_FIELD", { message, at, onKey: true, warning: true });
    } else if (fields.error_route !== undefined) {
      const message = "Inside a loop `error_route` has no effect; the loop's own is taken.";
      reportFault(sheet, "IGNORED_FIELD", {
        message,
        at: [...at, "error_route"],
        onKey: true,
        warning: true,
      });
    }
  }
}
