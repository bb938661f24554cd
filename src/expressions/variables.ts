import type { Reference } from "./template.ts";

/** Gives each reference of a text its own variable, valid in bash and in CEL; equal references share one. */
export interface Variables {
  name(reference: Reference): string;
  all(): Readonly<Record<string, Reference>>;
}

/** Names for references that collide with none already taken. */
export function variables(taken: ReadonlySet<string> = new Set()): Variables {
  const byKey = new Map<string, string>();
  const byName: Record<string, Reference> = {};
  const isFree = (name: string) => !Object.hasOwn(byName, name) && !taken.has(name);
  return {
    all: () => byName,
    name(reference) {
      const key = JSON.stringify(keyOf(reference));
      const binding = byKey.get(key);
      if (binding !== undefined) return binding;
      const wanted = keyOf(reference).join("_").replaceAll("-", "_");
      let name = wanted;
      // A plain value keeps its name: the environment has a variable with that name.
      for (let count = 2; reference.ref !== "value" && !isFree(name); count++) name = `${wanted}_${count}`;
      byKey.set(key, name);
      byName[name] = reference;
      return name;
    },
  };
}

function keyOf(reference: Reference): readonly string[] {
  switch (reference.ref) {
    case "value":
      return [reference.name];
    case "input":
      return ["INPUTS", reference.name];
    case "output":
      return ["UG", reference.node, "output", ...field(reference.field)];
    case "previous":
      return ["UG_PREV", reference.node, "output", ...field(reference.field)];
    case "item":
      return ["LOOP_ITEM", ...field(reference.field)];
    case "shared":
      return ["UG_SHARED", reference.of, reference.name, ...reference.way];
  }
}

/** The variable of an input in a shell or a program, as Archon names it. */
export const inputVariable = (name: string): string => `INPUTS_${name.replaceAll("-", "_").toUpperCase()}`;

const field = (name: string | undefined) => (name === undefined ? [] : [name]);
