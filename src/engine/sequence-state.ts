import { readAlong } from "../expressions/field-tests.ts";
import { jsonOrText } from "../expressions/output-value.ts";
import type { Reference } from "../expressions/template.ts";
import type { Json } from "../ports/json.ts";
import type { Completed } from "./outcome.ts";

/** The state that the nodes of a sequence share, also across loops: each node reads what earlier ones stored. */
export interface SequenceState {
  /** Each node's last output. */
  readonly outputs: Map<string, Completed>;
  /** Values stored by loops and retries, by name. */
  readonly memory: Map<string, Json>;
  /** The session that each conversation continues in. */
  readonly sessions: Map<string, string>;
}

export const createSequenceState = (): SequenceState => ({
  outputs: new Map(),
  memory: new Map(),
  sessions: new Map(),
});

/** Copies the state of a sequence; the returned function restores it. */
export function snapshotSequenceState(shared: SequenceState | undefined): () => void {
  if (shared === undefined) return () => undefined;
  const { outputs, memory, sessions } = shared;
  const undo = [putBack(outputs), putBack(memory), putBack(sessions)];
  return () => {
    for (const each of undo) each();
  };
}

function putBack<T>(map: Map<string, T>): () => void {
  const kept = [...map];
  return () => {
    map.clear();
    for (const [key, value] of kept) map.set(key, value);
  };
}

/** The part of a context that references can read. */
interface Within {
  readonly shared?: SequenceState | undefined;
  readonly inputs: Readonly<Record<string, string>>;
}

/** The value of a reference; `undefined` if there is none yet. */
export function readSequenceState(
  { of, name, way }: Extract<Reference, { ref: "shared" }>,
  here: Within,
): Json | undefined {
  const whole = of === "outputs" ? here.shared?.outputs.get(name)?.output : readMemory(name, here);
  if (whole === undefined || way.length === 0) return whole;
  return readAlong(typeof whole === "string" ? jsonOrText(whole) : whole, way);
}

/** A value from the memory, else the input of that name. */
export function readMemory(name: string, { shared, inputs }: Within): Json | undefined {
  return shared?.memory.get(name) ?? (Object.hasOwn(inputs, name) ? inputs[name] : undefined);
}
