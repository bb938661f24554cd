import type { Json } from "../ports/json.ts";
import type { Binding, Reference } from "./template.ts";

/** The values of names at one place of a run. */
export interface Scope {
  /** The text of a reference; throws `UnresolvedError` with a sentence if there is none. */
  text(reference: Reference): string;
  /** The value of a reference in an expression: parsed JSON if the text is JSON, else the text. */
  value(reference: Reference): Json;
  /** Plain names an expression may use besides references: `output`, `iteration`, `item` … */
  readonly names: Readonly<Record<string, Json>>;
  /** The value of a name bound by an expression; `undefined` if it does not exist here. */
  bound?(binding: Binding): Json | undefined;
  /** Free text that every shell gets in its environment: `USER_MESSAGE`, `LOOP_PREV_OUTPUT` … */
  environment(): Readonly<Record<string, string>>;
}

/** A reference has no value here: the node failed, the field is missing, or the output is no object. */
export class UnresolvedError extends Error {
  override readonly name = "UnresolvedError";
}
