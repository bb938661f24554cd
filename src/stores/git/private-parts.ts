import { decrypt, encrypt, isEncrypted } from "./encrypt.ts";
import { type StateKey, sign } from "./sign.ts";

/** The fields of `state` with text from agents, checks and people. */
const privateFields = ["status", "commands"] as const;

type State = Readonly<Record<string, unknown>>;

/** The stored form of a state: if there is a key, it is signed and its private parts are encrypted. */
export function protectState<T extends { readonly run: string }>(state: T, key: StateKey | undefined): State {
  if (key === undefined) return state;
  const { run } = state;
  const hidden = fieldsOf(state).map(
    ([what, value]) =>
      [what, encrypt(key.secret, { run, what }, Buffer.from(JSON.stringify(value)))] as const,
  );
  return sign({ ...state, v: 2, ...Object.fromEntries(hidden) }, key);
}

/** Decrypts a stored state. Without the key, throws `BrokenLogError` or leaves out the private parts. */
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

/** The stored form of a log's lines, encrypted if there is a key. */
export function protectEvents(lines: readonly string[], run: string, key: StateKey | undefined): Buffer {
  const plain = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  if (key === undefined || lines.length === 0) return plain;
  return Buffer.from(`${encrypt(key.secret, { run, what: "events" }, plain)}\n`);
}

/** The lines in a stored text; `undefined` if it is cut off. Throws `BrokenLogError` if their key is missing. */
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
