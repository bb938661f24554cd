import { readAlong } from "../expr/field-tests.ts";
import { asJson } from "../expr/output.ts";
import type { Reference } from "../expr/text.ts";
import type { Json } from "../ports/json.ts";
import type { Completed } from "./outcome.ts";

/** What the nodes of a walk have in common: each reads what those before it left, in loops too. */
export interface Shared {
  /** What each node gave last. */
  readonly outputs: Map<string, Completed>;
  /** What loops and retries left there, by name. */
  readonly memory: Map<string, Json>;
  /** The session in which each conversation goes on. */
  readonly sessions: Map<string, string>;
}

export const openShared = (): Shared => ({ outputs: new Map(), memory: new Map(), sessions: new Map() });

/** Keeps a scope as it stands; calling what this gives puts it back. */
export function keepShared(shared: Shared | undefined): () => void {
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

/** A place in a run, as far as the scope goes that it may be in. */
interface Within {
  readonly shared?: Shared | undefined;
  readonly inputs: Readonly<Record<string, string>>;
}

/** The value a reference into the scope stands for; nothing where there is none yet. */
export function readShared(
  { of, name, way }: Extract<Reference, { ref: "shared" }>,
  here: Within,
): Json | undefined {
  const whole = of === "outputs" ? here.shared?.outputs.get(name)?.output : remembered(name, here);
  if (whole === undefined || way.length === 0) return whole;
  return readAlong(typeof whole === "string" ? asJson(whole) : whole, way);
}

/** What the memory has under a name, or else the input of that name. */
export function remembered(name: string, { shared, inputs }: Within): Json | undefined {
  return shared?.memory.get(name) ?? (Object.hasOwn(inputs, name) ? inputs[name] : undefined);
}
