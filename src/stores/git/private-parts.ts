import { decrypt, encrypt, isEncrypted } from "./encrypt.ts";
import { type StateKey, sign } from "./sign.ts";

/** The fields of `state` that hold what agents, checks and people said. */
const privateFields = ["standing", "said"] as const;

type State = Readonly<Record<string, unknown>>;

/** A stored state: with a key it is signed, and its private parts are encrypted. */
export function protectState<T extends { readonly run: string }>(state: T, key: StateKey | undefined): State {
  if (key === undefined) return state;
  const { run } = state;
  const hidden = fieldsOf(state).map(
    ([what, value]) =>
      [what, encrypt(key.secret, { run, what }, Buffer.from(JSON.stringify(value)))] as const,
  );
  return sign({ ...state, v: 2, ...Object.fromEntries(hidden) }, key);
}

/** A state as it was written. Without the key, throws `BrokenLogError` or leaves out the private parts. */
export function openState(stored: State, key: StateKey | undefined, otherwise: "throw" | "leave out"): State {
  const { run } = stored as { readonly run?: unknown };
  const open = (what: string, text: string) => {
    try {
      return JSON.parse(decrypt(key?.secret, { run: String(run), what }, text).toString("utf8"));
    } catch (error) {
      if (otherwise === "throw") throw error;
      return undefined;
    }
  };
  const shown = fieldsOf(stored).flatMap(([what, value]) =>
    typeof value === "string" && isEncrypted(value) ? [[what, open(what, value)] as const] : [],
  );
  return shown.length === 0 ? stored : { ...stored, ...Object.fromEntries(shown) };
}

const fieldsOf = (state: State) =>
  privateFields.flatMap((what) => (state[what] === undefined ? [] : [[what, state[what]] as const]));

/** Stored lines of a log. */
export function protectEvents(lines: readonly string[], run: string, key: StateKey | undefined): Buffer {
  const plain = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  if (key === undefined || lines.length === 0) return plain;
  return Buffer.from(`${encrypt(key.secret, { run, what: "events" }, plain)}\n`);
}

/** The lines that were stored; `undefined` if they are cut off. Throws `BrokenLogError` without their key. */
export function eventsIn(
  stored: string,
  run: string,
  key: StateKey | undefined,
): readonly string[] | undefined {
  const text = isEncrypted(stored)
    ? decrypt(key?.secret, { run, what: "events" }, stored).toString("utf8")
    : stored;
  if (text === "") return [];
  return text.endsWith("\n") ? text.slice(0, -1).split("\n") : undefined;
}
