import { type Frame, type Merged, note, type Walk } from "./walk.ts";

/**
 * Brings what the merge key `<<` names into the mapping it stands in, as YAML 1.1 has it: the mapping's own keys count
 * first, wherever they stand, then those of the mappings named, the first before the next.
 */
export function merge(walk: Walk, { container, table }: Frame, { value, offset }: Merged): void {
  const sources: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!sources.every(isMapping)) {
    const message = "`<<` takes a mapping or a list of mappings.";
    note(walk, { code: "BAD_YAML", message, offset, hint: "write `<<: *name` of an anchor" });
    return;
  }
  const target = container as Record<string, unknown>;
  for (const source of sources) {
    for (const [key, brought] of Object.entries(source)) {
      if (Object.hasOwn(target, key)) continue;
      target[key] = brought;
      // A fault in it is shown where it is written.
      const origin = walk.tables.get(source)?.get(key);
      if (origin !== undefined) table?.set(key, origin);
    }
  }
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
