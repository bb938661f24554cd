import { createCipheriv, createDecipheriv, createHmac, hkdfSync, scryptSync } from "node:crypto";
import { BrokenLogError } from "../../ports/store.ts";

/** The kind of a text and its run; the text decrypts only with both. */
export interface TextIdentity {
  readonly run: string;
  /** `events`, a field of `state`, or a file by its path. */
  readonly what: string;
}

/** The keys in a `state-key`, one a line: the first one writes, all of them read. */
export function keysIn(stateKey: string): readonly [string, ...string[]] {
  const [first, ...others] = stateKey.split("\n").flatMap((line) => line.trim() || []);
  return [first ?? stateKey, ...others];
}

/**
 * Encrypts with AES-256-GCM, as `ug1.KEY-ID.BASE64URL`. Its nonce follows from place and content, so that what has not
 * changed stays the same object of git.
 */
export function encrypt(stateKey: string, place: TextIdentity, plain: Buffer): string {
  const [text] = keysIn(stateKey);
  const { id, secret, nonces } = keysOf(text, place.run);
  const about = aboutOf(place);
  const nonce = createHmac("sha256", nonces).update(about).update(plain).digest().subarray(0, nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", secret, nonce).setAAD(about);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return `${prefix}${id}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")}`;
}

export const isEncrypted = (text: string): boolean => text.startsWith(prefix);

/** Throws `BrokenLogError` without the right key, and for anything that was changed or moved. */
export function decrypt(stateKey: string | undefined, place: TextIdentity, text: string): Buffer {
  const [, id = "", body = ""] = text.trimEnd().split(".");
  const all = stateKey === undefined ? [] : keysIn(stateKey).map((one) => keysOf(one, place.run));
  const keys = all.find((one) => one.id === id);
  if (keys === undefined)
    throw new BrokenLogError(
      `run ${place.run} is encrypted with the state key ${id}, and here is ${stateKey === undefined ? "none" : "another"}: ` +
        "give it as `state-key`, or UNTIL_GREEN_STATE_KEY",
    );
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

/** The keys of one run. A state key may be a passphrase, and everybody can try to guess what is public. */
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
