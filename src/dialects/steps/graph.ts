import { adviceInside, adviceOutside, checkGraph } from "../../plan/check.ts";
import type { Graph, Node, Section } from "../../plan/plan.ts";
import { isMapping, parseFields, type SourcePath } from "../parse-fields.ts";
import { readId } from "../read-id.ts";
import type { EnclosingContext, RawStep } from "./raw-step.ts";
import type { ReaderContext } from "./reader-context.ts";
import { loopFields, stepFields } from "./schema.ts";

/** Reads one step of a list. Injected, because steps contain loops and loops contain steps. */
export type ReadStep = (
  reader: ReaderContext,
  rawStep: RawStep,
  context: {
    readonly enclosing: EnclosingContext;
    readonly ids: readonly string[];
    readonly sections: readonly Section[];
  },
) => Node | undefined;

interface Source {
  readonly steps: readonly unknown[];
  readonly at: SourcePath;
  readonly enclosing: EnclosingContext;
}

/** Reads a list of steps, each separately, and checks their dependencies. */
export function readGraph(
  reader: ReaderContext,
  { steps, at, enclosing }: Source,
  readStep: ReadStep,
): Graph {
  const drafts = steps.flatMap(
    (step, index) => rawStepOf(reader, step, { at: [...at, index], enclosing }) ?? [],
  );
  const inner = idsInside(drafts);
  const elsewhere = (id: string) => {
    const loop = inner.get(id);
    if (loop !== undefined) return adviceInside(id, loop);
    return enclosing.outer.includes(id) ? adviceOutside(id) : undefined;
  };
  reader.faults.push(...checkGraph(drafts, { afterKey: "dependsOn", elsewhere }));
  const ids = drafts.map(({ id }) => id);
  const whole = new Set(drafts.filter(isWhole).map(({ id }) => id));
  const nodes = drafts.flatMap((rawStep) => {
    const sections = [...new Set(rawStep.after)].map(
      (node): Section => (whole.has(node) ? { kind: "output", node, whole: true } : { kind: "output", node }),
    );
    return readStep(reader, rawStep, { enclosing, ids, sections }) ?? [];
  });
  const { atMost } = reader.options;
  return { kind: "graph", nodes, atMost, output: "last", onFailure: "cancel" };
}

/** The ids inside the bodies of these steps, each with its loop's. */
function idsInside(drafts: readonly RawStep[]): ReadonlyMap<string, string> {
  const byName = new Map<string, string>();
  for (const { id, raw } of drafts) {
    const steps = isMapping(raw["loop"]) ? raw["loop"]["steps"] : undefined;
    for (const step of Array.isArray(steps) ? steps : [])
      if (isMapping(step) && typeof step["id"] === "string") byName.set(step["id"], id);
  }
  return byName;
}

/** The complete history of a loop that returns it is shown to later steps. */
function isWhole({ raw }: RawStep): boolean {
  const { loop } = raw;
  return isMapping(loop) && loop["outputMode"] === "cumulative";
}

interface StepSource {
  readonly at: SourcePath;
  readonly enclosing: EnclosingContext;
}

function rawStepOf(reader: ReaderContext, step: unknown, { at, enclosing }: StepSource): RawStep | undefined {
  const fields = parseFields(step, { fields: stepFields, at, faults: reader.faults, advice });
  if (!isMapping(step)) return undefined;
  const rules = enclosing.isInLoop ? innerIds : topIds;
  const id = readId(reader, { value: step["id"], at, key: "id", owner: "A step", ...rules });
  return { id, after: fields.dependsOn ?? [], at, raw: step, fields };
}

const topIds = {
  pattern: /^[a-z][a-z0-9_-]{0,63}$/,
  hint: "An id is a lowercase letter, then up to 63 lowercase letters, digits, _ and -.",
};
const innerIds = {
  pattern: /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/,
  hint: "An id is a letter, then up to 63 letters, digits, _ and -.",
};

const ofNativeFiles: ReadonlySet<string> = new Set(["command", "bash", "script", "approval"]);

function advice(key: string): string | undefined {
  if (ofNativeFiles.has(key)) return `\`${key}\` belongs in a file with \`nodes:\` instead of \`steps:\`.`;
  return Object.hasOwn(loopFields, key) ? `\`${key}\` belongs under \`loop:\`.` : undefined;
}
