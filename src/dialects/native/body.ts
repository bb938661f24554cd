import type { Body } from "../../plan/plan.ts";
import { reportFault } from "../report-fault.ts";
import { agentCall, readCall, readDefaults, readForm, readPrompt } from "./call.ts";
import type { Names } from "./names-in-scope.ts";
import type { LoopContext, RawLoop } from "./raw-loop.ts";
import type { CallDefaults, ReaderContext } from "./reader-context.ts";

export interface ReadBody {
  readonly body: Body | undefined;
  /** What the loop's own texts may name: its stops, its gate, its metric. */
  readonly names: Names;
}

const bodyKeys = ["prompt", "command", "nodes", "workflow"] as const;

/** Reads what a loop repeats. */
export function readBody(sheet: ReaderContext, loop: RawLoop, context: LoopContext): ReadBody {
  const { fields, at, raw, draft } = loop;
  const names = namesInside(loop, context.names);
  const given = bodyKeys.filter((key) => Object.hasOwn(raw, key));
  const [key, second] = given;
  const defaults = readDefaults(sheet, {
    fields: draft.fields,
    at: draft.at,
    around: context.around.defaults,
  });
  for (const one of ["with", "message"].filter((it) => Object.hasOwn(raw, it) && key !== "workflow")) {
    ignored(sheet, [...at, one], `\`${one}\` goes with \`workflow\`.`);
  }
  if (second !== undefined) {
    const message = `A loop repeats one thing; this one has ${given.join(" and ")}.`;
    const hint = `Keep one of them; several steps belong under \`nodes\`.`;
    reportFault(sheet, "ONE_KIND", { message, at: [...at, second], onKey: true, hint });
    return { body: undefined, names };
  }
  switch (key) {
    case undefined: {
      const message = `A loop needs something to repeat: one of ${bodyKeys.join(", ")}.`;
      reportFault(sheet, "LOOP_EMPTY_BODY", { message, at, onKey: true });
      return { body: undefined, names };
    }
    case "nodes":
      return readNodes(sheet, loop, { ...context, names, defaults });
    case "workflow": {
      warnOfUseless(sheet, loop, [
        "agent",
        "provider",
        "model",
        "idle_timeout",
        "timeout",
        "output_format",
        "output_required",
      ]);
      if (fields.workflow === undefined) return { body: undefined, names };
      return {
        body: readCall(sheet, {
          workflow: fields.workflow,
          given: fields.with ?? {},
          message: fields.message,
          at,
          names,
        }),
        names,
      };
    }
    default: {
      const value = fields[key];
      const prompt = value === undefined ? undefined : readPrompt(sheet, { key, value, at, names });
      const call = prompt && agentCall(prompt, defaults, readForm(sheet, draft));
      return { body: call && { kind: "agent", call }, names };
    }
  }
}

function readNodes(
  sheet: ReaderContext,
  loop: RawLoop,
  { names, around, defaults }: LoopContext & { defaults: CallDefaults },
): ReadBody {
  const { fields, at } = loop;
  warnOfUseless(sheet, loop, ["output_format", "output_required"]);
  if (fields.nodes === undefined) return { body: undefined, names };
  const place = [...at, "nodes"];
  if (fields.nodes.length === 0) {
    reportFault(sheet, "LOOP_EMPTY_BODY", { message: "The body of the loop has no nodes.", at: place });
    return { body: undefined, names };
  }
  const inner = new Set(fields.nodes.flatMap((node) => idOf(node) ?? []));
  const inside: Names = { ...names, previous: (id) => inner.has(id) || names.previous(id) };
  const {
    graph,
    ids,
    fields: declared,
  } = sheet.readGraph(sheet, {
    nodes: fields.nodes,
    at: place,
    around: { ...around, names: inside, defaults },
  });
  return {
    body: graph,
    names: {
      ...inside,
      sees: (id) => ids.has(id) || inside.sees(id),
      exists: (id) => ids.has(id) || inside.exists(id),
      fields: (id) => (ids.has(id) ? declared.get(id) : inside.fields(id)),
      candidates: () => [...ids, ...inside.candidates()],
    },
  };
}

function namesInside({ fields, raw }: RawLoop, names: Names): Names {
  const hasItem = names.hasItem || Object.hasOwn(raw, "for_each");
  if (fields.accumulate === undefined) return { ...names, isInLoop: true, hasItem };
  return { ...names, isInLoop: true, hasItem, values: new Set([...names.values, fields.accumulate]) };
}

function idOf(node: unknown): string | undefined {
  const id = typeof node === "object" && node !== null && "id" in node ? node.id : undefined;
  return typeof id === "string" ? id : undefined;
}

function warnOfUseless(sheet: ReaderContext, { draft }: RawLoop, keys: readonly string[]): void {
  for (const key of keys) {
    if (!Object.hasOwn(draft.raw, key)) continue;
    ignored(sheet, [...draft.at, key], `\`${key}\` has no effect on a loop with a body of this kind.`);
  }
}

function ignored(sheet: ReaderContext, at: RawLoop["at"], message: string): void {
  reportFault(sheet, "IGNORED_FIELD", { message, at, onKey: true, warning: true });
}
