import { asText, jsonOrText, readField, readValue } from "../../src/expressions/output-value.ts";
import { type Scope, UnresolvedError } from "../../src/expressions/scope.ts";
import type { Reference } from "../../src/expressions/template.ts";
import type { Json } from "../../src/ports/json.ts";

export interface Known {
  readonly values?: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, Json>>;
  readonly names?: Readonly<Record<string, Json>>;
  readonly item?: Json;
}

/** A scope in which names mean what a test says; every other name is unresolved. */
export function scopeOf({ values = {}, outputs = {}, names = {}, item = null }: Known = {}): Scope {
  const output = (node: string): Json => {
    const found = outputs[node];
    if (found === undefined) throw new UnresolvedError(`node ${node} has no output`);
    return found;
  };
  const named = (name: string): string => {
    const found = values[name];
    if (found === undefined) throw new UnresolvedError(`${name} has no value`);
    return found;
  };
  const text = (reference: Reference): string => {
    switch (reference.ref) {
      case "value":
      case "input":
      case "shared":
        return named(reference.name);
      case "item":
        return reference.field === undefined
          ? asText(item)
          : readField(asText(item), undefined, reference.field);
      default: {
        const whole = asText(output(reference.node));
        return reference.field === undefined ? whole : readField(whole, undefined, reference.field);
      }
    }
  };
  const value = (reference: Reference): Json => {
    if (reference.ref !== "output" || reference.field === undefined) return jsonOrText(text(reference));
    return readValue(asText(output(reference.node)), undefined, reference.field);
  };
  return { text, value, names, environment: () => values };
}
