import { createHmac, timingSafeEqual } from "node:crypto";
import { BrokenLogError } from "../../ports/store.ts";
import { keysIn } from "./encrypt.ts";

/** The key that signs and encrypts the records of one repository. */
export interface StateKey {
  /** One key per line. */
  readonly secret: string;
  /** The repository's path at the host, such as `owner/name`, in lowercase. A record is valid only there. */
  readonly repository: string;
  /** Its paths before it was renamed, as far as they are known. */
  readonly formerly?: Set<string>;
  /** Asks the host whether the repository had a path before. */
  wasCalled?(path: string): Promise<boolean>;
}

/** Why a state is not accepted. */
interface SignatureFault {
  readonly because: string;
  /** The repository that a holder of the key signed it for. */
  readonly signedFor?: string;
}

/** A record that was signed for another repository, or before this one was renamed. */
export class OtherNameError extends BrokenLogError {
  readonly signedFor: string;

  constructor(message: string, signedFor: string) {
    super(message);
    this.signedFor = signedFor;
  }
}

/** True if the host says that a path was the repository's, so that its records are accepted from now on. */
export async function learnFormerName(key: StateKey | undefined, path: string): Promise<boolean> {
  if (key?.formerly === undefined || (await key.wasCalled?.(path)) !== true) return false;
  key.formerly.add(path);
  return true;
}

/** Adds the repository and a signature to a state. If the state key has several keys, the first one signs. */
export function sign<T extends object>(state: T, { secret, repository }: StateKey) {
  const content = { ...state, repository };
  return { ...content, seal: signatureOf(content, keysIn(secret)[0]) };
}

/** Why a state was not signed by a holder of the state key for this repository; `undefined` if it was. */
export function signatureFault(state: object, key: StateKey): SignatureFault | undefined {
  const { seal, ...content } = state as { readonly seal?: unknown; readonly repository?: unknown };
  const signature = Buffer.from(typeof seal === "string" ? seal : "");
  const isSigned = keysIn(key.secret).some((one) => {
    const wanted = Buffer.from(signatureOf(content, one));
    return signature.length === wanted.length && timingSafeEqual(signature, wanted);
  });
  if (!isSigned) return { because: unsigned };
  const { repository: signedFor } = content;
  if (typeof signedFor !== "string")
    return { because: "an earlier version signed it, without the name of its repository" };
  if (signedFor === key.repository || key.formerly?.has(signedFor)) return undefined;
  return {
    because: `it was signed for the repository ${signedFor}, and this is ${key.repository}`,
    signedFor,
  };
}

const signatureOf = (state: object, key: string) =>
  createHmac("sha256", key)
    .update(JSON.stringify(sorted(state)))
    .digest("hex");

/** Sorts keys, because JSON guarantees no order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, item]) => [name, sorted(item)]);
}

export const unsigned = "it is not signed with the state key of this repository";
