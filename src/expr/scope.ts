import type { Json } from "../ports/json.ts";
import type { Binding, Reference } from "./text.ts";

/** What names mean at one place of a run. */
export interface Scope {
  /** The text a reference stands for; throws `UnresolvedError` with a sentence when there is none. */
  text(reference: Reference): string;
  /** The value a reference stands for in an expression: parsed JSON where the text is JSON, else the text. */
  value(reference: Reference): Json;
  /** Plain names an expression may use beside references: `output`, `iteration`, `item` … */
  readonly names: Readonly<Record<string, Json>>;
  /** What a name that an expression binds stands for; `undefined` where there is no such thing here. */
  bound?(binding: Binding): Json | undefined;
  /** Free text that every shell gets in its environment: `USER_MESSAGE`, `LOOP_PREV_OUTPUT` … */
  environment(): Readonly<Record<string, string>>;
}

/** A reference has no value here: the node failed, the field is missing, the output is no object. */
export class UnresolvedError extends Error {
  override readonly name = "UnresolvedError";
}
