import { createCipheriv, createDecipheriv, createHmac, hkdfSync, scryptSync } from "node:crypto";
import { BrokenLogError } from "../../ports/store.ts";

/** The kind of a text and its run. The text can be decrypted only with both. */
export interface TextIdentity {
  readonly run: string;
  /** `events`, a field of `state`, or the path of a file. */
  readonly what: string;
}

/** The keys in a `state-key`, one per line: the first is used for writing, all of them for reading. */
export function keysIn(stateKey: string): readonly [string, ...string[]] {
  const [first, ...others] = stateKey.split("\n").flatMap((line) => line.trim() || []);
  return [first ?? stateKey, ...others];
}

/**
 * Encrypts with AES-256-GCM, as `ug1.KEY-ID.BASE64URL`. The nonce is derived from the identity and the content, so that
 * unchanged content stays the same git object.
 */
export function encrypt(stateKey: string, place: TextIdentity, plain: Buffer): string {
  const [text] = keysIn(stateKey);
  const { id, secret, nonces } = keysOf(text, place.run);
  const context = aboutOf(place);
  const nonce = createHmac("sha256", nonces).update(context).update(plain).digest().subarray(0, nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", secret, nonce).setAAD(context);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return `${prefix}${id}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")}`;
}

/** What is said of a run that the key at hand does not open; its key's id follows. */
export const encrypted = "is encrypted with the state key";

export const isEncrypted = (text: string): boolean => text.startsWith(prefix);

/** Throws `BrokenLogError` if the key is missing or wrong, or if the text was changed or moved. */
export function decrypt(stateKey: string | undefined, place: TextIdentity, text: string): Buffer {
  const [, id = "", body = ""] = text.trimEnd().split(".");
  const all = stateKey === undefined ? [] : keysIn(stateKey).map((one) => keysOf(one, place.run));
  const keys = all.find((one) => one.id === id);
  if (keys === undefined) {
    const here =
      stateKey === undefined
        ? "none: give it as `state-key`, or UNTIL_GREEN_STATE_KEY"
        : "another: add it as a further line of `state-key`, or UNTIL_GREEN_STATE_KEY. " +
          "If it is none of yours, somebody else wrote this record";
    throw new BrokenLogError(`run ${place.run} ${encrypted} ${id}, and here is ${here}`);
  }
  const bytes = Buffer.from(body, "base64url");
  const [nonce, tag] = [bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes, nonceBytes + tagBytes)];
  try {
    const cipher = createDecipheriv("aes-256-gcm", keys.secret, nonce, { authTagLength: tagBytes })
      .setAAD(aboutOf(place))
      .setAuthTag(tag);
    return Buffer.concat([cipher.update(bytes.subarray(nonceBytes + tagBytes)), cipher.final()]);
  } catch {
    throw new BrokenLogError(
      `the record of run ${place.run} is damaged: its ${place.what} was changed after it was encrypted`,
    );
  }
}

const prefix = "ug1.";
const nonceBytes = 12;
const tagBytes = 16;

const aboutOf = ({ run, what }: TextIdentity) => Buffer.from(`${run}\n${what}\n`);

/** The keys of one run. A state key may be a passphrase, and anybody can try to guess it from public records. */
function keysOf(text: string, run: string) {
  const master = masters.get(text) ?? scryptSync(text, "until-green state key", 32);
  masters.set(text, master);
  const derived = (length: number, info: string) => Buffer.from(hkdfSync("sha256", master, "", info, length));
  const both = derived(64, `run ${run}`);
  return {
    id: derived(8, "key id").toString("hex"),
    secret: both.subarray(0, 32),
    nonces: both.subarray(32),
  };
}

const masters = new Map<string, Buffer>();
