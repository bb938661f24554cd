import type { Plan } from "../../plan/plan.ts";
import type { Transition } from "../../plan/sequence.ts";
import type { Files, Reading } from "../dialect.ts";
import { isMapping } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { didYouMean } from "../value-remedy.ts";
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
  const reader: ReaderContext = {
    faults,
    calls: [],
    files,
    blocks: new Map(drafts.map((rawBlock) => [rawBlock.id, rawBlock])),
    ids: new Set(Object.keys(head.blocks)),
    souls: readSouls({ faults, files }, head.souls),
    written: new Set(Object.keys(head.souls)),
    remembered: new Set([...drafts.flatMap(remembers), ...Object.keys(head.inputs)]),
  };
  checkHead(reader, head, Object.keys(head.blocks));
  const makes = readBlocks(reader);
  const transitions = readTransitions(reader, { fields: head.fields, exits: makes.exits });
  checkNesting(reader);
  const reached = reachedFrom(head.entry, transitions);
  warnOfUnreached(reader, reached);
  warnOfDeadExits(reader, makes.exits);
  if (faults.some((fault) => !fault.warning)) return { faults, plan: undefined, calls: reader.calls };
  const plan: Omit<Plan, "workflows"> = {
    name: head.name,
    ...(head.fields.description === undefined ? {} : { description: head.fields.description }),
    dialect: "blocks",
    inputs: head.inputs,
    agents: Object.fromEntries(reader.souls),
    budget: head.budget,
    body: {
      kind: "graph",
      nodes: [...reader.blocks.keys()].filter((id) => reached.has(id)).map((id) => makes.makeOf(id)(nothing)),
      atMost: 1,
      walk: {
        entry: head.entry,
        next: Object.fromEntries([...transitions].filter(([id]) => reached.has(id))),
        results: "outputs",
      },
    },
  };
  return { faults, plan, calls: reader.calls };
}

const nothing = { bindings: {}, carried: [] };

interface Blocks {
  makeOf(id: string): Make;
  readonly exits: ReadonlyMap<string, ReturnType<typeof readExits>>;
}

/** Reads every block. Nodes are made later, once for each place at which a block runs. */
function readBlocks(reader: ReaderContext): Blocks {
  const exits = new Map([...reader.blocks].map(([id, rawBlock]) => [id, readExits(reader, rawBlock)]));
  const makes = new Map<string, Make>();
  const makeOf = (id: string): Make => {
    const make = makes.get(id);
    if (make === undefined) throw new Error(`the block ${id} was never read`);
    return make;
  };
  for (const [id, rawBlock] of reader.blocks) {
    const own = exits.get(id) ?? { names: new Set<string>(), rules: [], routes: [] };
    makes.set(id, readBlock(reader, rawBlock, { exits: own, makeOf }));
  }
  return { makeOf, exits };
}

/** The memory names that a block writes. */
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

function reachedFrom(entry: string, transitions: ReadonlyMap<string, Transition>): ReadonlySet<string> {
  const reached = new Set(transitions.has(entry) ? [entry] : []);
  for (const id of reached) {
    const next = transitions.get(id) ?? {};
    for (const target of [...targetsOf(next), next.onFailure ?? id]) reached.add(target);
  }
  return reached;
}

/** Warns about a loop that waits for an exit that none of its blocks can have; a program may return any exit. */
function warnOfDeadExits(reader: ReaderContext, exits: Blocks["exits"]): void {
  for (const { at, fields } of reader.blocks.values()) {
    const inner = (fields.inner_block_refs ?? []).flatMap((id) => reader.blocks.get(id) ?? []);
    if (inner.length === 0 || inner.some(({ type }) => type === "code")) continue;
    const names = new Set(inner.flatMap(({ id }) => [...(exits.get(id)?.names ?? [])]));
    for (const key of ["break_on_exit", "retry_on_exit"] as const) {
      const exit = fields[key];
      if (typeof exit !== "string" || exit.trim() === "" || names.has(exit)) continue;
      const message = `No block of this loop leaves by the exit \`${exit.slice(0, 100)}\`.`;
      const hint = didYouMean(exit, [...names]) ?? "Exits come from gates, code, exit_conditions and routes.";
      reportFault(reader, "IGNORED_FIELD", { message, at: [...at, key], hint, warning: true });
    }
  }
}

/** Warns about blocks that never run, and about an `error_route` inside a loop. */
function warnOfUnreached(reader: ReaderContext, reached: ReadonlySet<string>): void {
  const repeated = new Set(
    [...reader.blocks.values()].flatMap(({ fields }) => fields.inner_block_refs ?? []),
  );
  for (const { id, at, fields } of reader.blocks.values()) {
    if (reached.has(id)) continue;
    if (!repeated.has(id)) {
      const message = `The block \`${id}\` never runs: nothing leads to it.`;
      const hint = "Add a transition that leads to it, or remove it.";
      reportFault(reader, "IGNORED_FIELD", { message, at, onKey: true, warning: true, hint });
    } else if (fields.error_route !== undefined) {
      const message = "Inside a loop `error_route` has no effect; that of the loop is used.";
      reportFault(reader, "IGNORED_FIELD", {
        message,
        at: [...at, "error_route"],
        onKey: true,
        warning: true,
      });
    }
  }
}
