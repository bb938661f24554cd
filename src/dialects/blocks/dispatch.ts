import type { AgentNode, ParallelNode } from "../../plan/plan.ts";
import { note } from "../note.ts";
import { type At, isMapping, shape } from "../shape.ts";
import { callMaker } from "./agent.ts";
import { branchFields, idPattern } from "./schema.ts";
import type { Around, Draft, Sheet } from "./sheet.ts";
import { findSoulNamed } from "./souls.ts";

/** What a dispatch adds to its node. */
export type DispatchPart = Pick<ParallelNode, "kind" | "body" | "lists">;

const mostBranches = 50;

/** Reads a block that gives each of several souls a task, side by side. */
export function readDispatch(sheet: Sheet, draft: Draft): (around: Around) => DispatchPart {
  const call = callMaker(sheet, draft);
  const branches = readBranches(sheet, draft);
  const { stateful } = draft.fields;
  return (around) => ({
    kind: "parallel",
    body: {
      kind: "graph",
      nodes: branches.map(({ id, soul, task }): AgentNode => {
        const conversation = stateful ? { conversation: `${draft.id}_${id}` } : {};
        const asked = { ...call(around, { prompt: task, agent: soul }), ...conversation };
        return { id, after: [], trigger: "all_success", exits: [{ exit: id }], kind: "agent", call: asked };
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

function readBranches(sheet: Sheet, { fields, raw, at, id: block }: Draft): readonly Branch[] {
  const { exits } = fields;
  const place = [...at, "exits"];
  if (exits?.length === 0 || exits === null || !Object.hasOwn(raw, "exits")) {
    const message = `The block \`${block}\` needs \`exits\`: what is to be done side by side, and by which souls.`;
    note(sheet, "BAD_VALUE", { message, at: exits ? place : at, onKey: !exits });
  }
  if ((exits ?? []).length > mostBranches) {
    note(sheet, "LIMIT", { message: `A dispatch has at most ${mostBranches} exits.`, at: place });
    return [];
  }
  const seen = new Set<string>();
  return (exits ?? []).flatMap(
    (value, index) => readBranch(sheet, value, { at: [...place, index], seen }) ?? [],
  );
}

function readBranch(
  sheet: Sheet,
  value: unknown,
  { at, seen }: { readonly at: At; readonly seen: Set<string> },
): Branch | undefined {
  if (!isMapping(value)) return undefined;
  // Their faults are told where the exits of all blocks are read.
  const { id, soul_ref: soul, task } = shape(value, { fields: branchFields, at, faults: [] });
  for (const key of ["id", "soul_ref", "task"].filter((it) => !Object.hasOwn(value, it))) {
    note(sheet, "BAD_VALUE", { message: `An exit of a dispatch needs \`${key}\`.`, at });
  }
  if (task?.trim() === "") note(sheet, "BAD_VALUE", { message: "The `task` is blank.", at: [...at, "task"] });
  if (soul !== undefined) findSoulNamed(sheet, soul, [...at, "soul_ref"]);
  if (id === undefined) return undefined;
  if (!idPattern.test(id)) {
    const hint = "An id is a letter or _, then up to 99 letters, digits, _ and -.";
    note(sheet, "BAD_ID", {
      message: `\`${id.slice(0, 110)}\` cannot be an exit's id.`,
      at: [...at, "id"],
      hint,
    });
  } else if (seen.has(id)) {
    note(sheet, "DUPLICATE_ID", { message: `Two exits are called \`${id}\`.`, at: [...at, "id"] });
  }
  seen.add(id);
  return soul === undefined || task === undefined ? undefined : { id, soul, task };
}
