import type { AgentNode, ParallelNode } from "../../plan/plan.ts";
import { isMapping, parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault, requireKeys } from "../report-fault.ts";
import { callMaker } from "./agent.ts";
import type { PartMaker, RawBlock, ReaderContext } from "./reader-context.ts";
import { branchFields, idPattern } from "./schema.ts";
import { findSoulNamed } from "./souls.ts";

/** The fields that a dispatch adds to its node. */
export type DispatchPart = Pick<ParallelNode, "kind" | "body" | "lists">;

const mostBranches = 50;

/** Reads a block that gives several souls a task each, in parallel. */
export function readDispatch(reader: ReaderContext, rawBlock: RawBlock): PartMaker<DispatchPart> {
  const call = callMaker(reader, rawBlock);
  const branches = readBranches(reader, rawBlock);
  const { stateful } = rawBlock.fields;
  return (enclosing) => ({
    kind: "parallel",
    body: {
      kind: "graph",
      nodes: branches.map(({ id, soul, task }): AgentNode => {
        const conversation = stateful ? { conversation: `${rawBlock.id}_${id}` } : {};
        const request = { ...call(enclosing, { prompt: task, agent: soul }), ...conversation };
        return { id, after: [], trigger: "all_success", exits: [{ exit: id }], kind: "agent", call: request };
      }),
      atMost: Math.max(1, branches.length),
    },
    lists: { id: "exit_id", output: "output" },
  });
}

interface Branch {
  readonly id: string;
  readonly soul: string;
  readonly task: string;
}

function readBranches(reader: ReaderContext, { fields, raw, at, id: block }: RawBlock): readonly Branch[] {
  const { exits } = fields;
  const place = [...at, "exits"];
  if (exits?.length === 0 || exits === null || !Object.hasOwn(raw, "exits")) {
    const message = `The block \`${block}\` needs \`exits\`: the tasks to run in parallel, and their souls.`;
    reportFault(reader, "BAD_VALUE", { message, at: exits ? place : at, onKey: !exits });
  }
  if ((exits ?? []).length > mostBranches) {
    reportFault(reader, "LIMIT", { message: `A dispatch has at most ${mostBranches} exits.`, at: place });
    return [];
  }
  const seen = new Set<string>();
  return (exits ?? []).flatMap(
    (value, index) => readBranch(reader, value, { at: [...place, index], seen }) ?? [],
  );
}

function readBranch(
  reader: ReaderContext,
  value: unknown,
  { at, seen }: { readonly at: SourcePath; readonly seen: Set<string> },
): Branch | undefined {
  if (!isMapping(value)) return undefined;
  // Their errors are reported with the exits of all blocks.
  const { id, soul_ref: soul, task } = parseFields(value, { fields: branchFields, at, faults: [] });
  requireKeys(reader, { keys: ["id", "soul_ref", "task"], object: value, at, what: "An exit of a dispatch" });
  if (task?.trim() === "")
    reportFault(reader, "BAD_VALUE", { message: "The `task` is blank.", at: [...at, "task"] });
  if (soul !== undefined) findSoulNamed(reader, soul, [...at, "soul_ref"]);
  if (id === undefined) return undefined;
  if (!idPattern.test(id)) {
    const hint = "An id is a letter or _, then up to 99 letters, digits, _ and -.";
    reportFault(reader, "BAD_ID", {
      message: `\`${id.slice(0, 110)}\` cannot be an exit's id.`,
      at: [...at, "id"],
      hint,
    });
  } else if (seen.has(id)) {
    reportFault(reader, "DUPLICATE_ID", { message: `Two exits are called \`${id}\`.`, at: [...at, "id"] });
  }
  seen.add(id);
  return soul === undefined || task === undefined ? undefined : { id, soul, task };
}
