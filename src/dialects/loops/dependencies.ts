import { parseBraces } from "../../expressions/brace-template.ts";
import type { Linked } from "../../plan/check.ts";
import { reachOf } from "../../plan/reachability.ts";
import { readIf } from "./if.ts";
import type { RawStep } from "./raw-step.ts";
import type { EndedLoop, Gathering, Names } from "./reader-context.ts";

/** Each element with its dependencies: those it lists, and those that its texts reference. */
export function linksOf(drafts: readonly RawStep[]): readonly Linked[] {
  const elements = new Set(drafts.map(({ id }) => id));
  const gatherings = gatheringsOf(drafts);
  return drafts.map((rawStep) => {
    const read = namesRead(rawStep).flatMap((name) => {
      const element = name.replace(/^step\./, "");
      return elements.has(element) ? [element] : (gatherings.get(name)?.loop ?? []);
    });
    const implied = [...new Set(read)].filter((id) => id !== rawStep.id && !rawStep.needs.includes(id));
    return { id: rawStep.id, after: [...rawStep.needs, ...implied], at: rawStep.at };
  });
}

export function namesOf(drafts: readonly RawStep[], links: readonly Linked[]): Names {
  const elements = new Set(drafts.map(({ id }) => id));
  const gatherings = gatheringsOf(drafts);
  const reachable = reachOf(links);
  const modes = new Map(drafts.flatMap(({ id, loop }) => (loop ? [[id, loop.fields.mode] as const] : [])));
  const lastBefore = new Map<string, EndedLoop | undefined>();
  let sorted: readonly string[] | undefined;
  const loops = () => {
    sorted ??= inFileOrder(links).filter((id) => modes.has(id));
    return sorted;
  };
  return {
    has: (element) => elements.has(element),
    gatheredBy: (name) => gatherings.get(name),
    lastLoopBefore(element) {
      if (!lastBefore.has(element)) {
        const id = loops().findLast((it) => it !== element && reachable(element, it));
        const before = id === undefined ? undefined : { id, iterates: modes.get(id) === "iterate" };
        lastBefore.set(element, before);
      }
      return lastBefore.get(element);
    },
    loops,
    all: () => [...elements, ...gatherings.keys()],
  };
}

/** The name under which a loop collects its outputs: explicit, or derived from its own name. */
export const gatheringOf = ({ id, loop }: RawStep): string => loop?.fields.accumulate ?? `${id}_accumulator`;

function gatheringsOf(drafts: readonly RawStep[]): ReadonlyMap<string, Gathering> {
  const loops = drafts.filter(({ loop }) => loop !== undefined);
  const own = loops.map((it) => [gatheringOf(it), { loop: it.id, name: gatheringOf(it) }] as const);
  const implied = loops.map(
    (it) => [`${it.id}_accumulator`, { loop: it.id, name: gatheringOf(it) }] as const,
  );
  return new Map([...implied, ...own]);
}

/** Every name in the texts of an element. */
function namesRead({ step, loop }: RawStep): readonly string[] {
  const condition = step?.fields.if === undefined ? undefined : readIf(step.fields.if);
  const items = loop?.fields.items;
  const texts = [
    step?.fields.run,
    step?.consensus?.prompt,
    condition?.left,
    condition?.right,
    loop?.fields.until,
    typeof items === "string" ? items : undefined,
    ...Object.values(step?.template?.with ?? {}),
    ...Object.values(loop?.fields.with ?? {}),
  ];
  const names: string[] = [];
  for (const text of texts) parseBraces(text ?? "", (name) => void names.push(name));
  return names;
}

/** The order in which elements run one at a time: among ready ones, the first in the file. */
export function inFileOrder(links: readonly Pick<Linked, "id" | "after">[]): readonly string[] {
  const known = new Set(links.map(({ id }) => id));
  const done = new Set<string>();
  let left = links;
  while (left.length > 0) {
    const next = left.find(({ after }) => after.every((id) => done.has(id) || !known.has(id))) ?? left[0];
    if (next !== undefined) done.add(next.id);
    left = left.filter((link) => link !== next);
  }
  return [...done];
}
