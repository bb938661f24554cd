import { readAlong } from "../expressions/field-tests.ts";
import { jsonOrText } from "../expressions/output-value.ts";
import type { Reference } from "../expressions/template.ts";
import type { Json } from "../ports/json.ts";
import type { Completed } from "./outcome.ts";

/** The state that the nodes of a sequence share, in loops too: each reads what earlier ones left. */
export interface SequenceState {
  /** Each node's last output. */
  readonly outputs: Map<string, Completed>;
  /** What loops and retries stored, by name. */
  readonly memory: Map<string, Json>;
  /** The session in which each conversation continues. */
  readonly sessions: Map<string, string>;
}

export const createSequenceState = (): SequenceState => ({
  outputs: new Map(),
  memory: new Map(),
  sessions: new Map(),
});

/** Takes a copy of a scope; the returned function restores it. */
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

/** A place in a run, as far as its scope is concerned. */
interface Within {
  readonly shared?: SequenceState | undefined;
  readonly inputs: Readonly<Record<string, string>>;
}

/** The value of a reference into the scope; `undefined` if there is none yet. */
export function readSequenceState(
  { of, name, way }: Extract<Reference, { ref: "shared" }>,
  here: Within,
): Json | undefined {
  const whole = of === "outputs" ? here.shared?.outputs.get(name)?.output : readMemory(name, here);
  if (whole === undefined || way.length === 0) return whole;
  return readAlong(typeof whole === "string" ? jsonOrText(whole) : whole, way);
}

/** The value in the memory, or else the input of that name. */
export function readMemory(name: string, { shared, inputs }: Within): Json | undefined {
  return shared?.memory.get(name) ?? (Object.hasOwn(inputs, name) ? inputs[name] : undefined);
}
