import { createHmac, timingSafeEqual } from "node:crypto";
import { keysIn } from "./encrypt.ts";

/** The key that signs and encrypts the records of one repository. */
export interface StateKey {
  /** One key per line. */
  readonly secret: string;
  /** The repository's path at the host, such as `owner/name`, in lowercase. A record is valid only there. */
  readonly repository: string;
}

/** Adds the repository and a signature to a state. If the state key has several keys, the first one signs. */
export function sign<T extends object>(state: T, { secret, repository }: StateKey) {
  const content = { ...state, repository };
  return { ...content, seal: sealOf(content, keysIn(secret)[0]) };
}

/** Why a state was not signed by a holder of the state key for this repository; `undefined` if it was. */
export function signatureFault(state: object, { secret, repository }: StateKey): string | undefined {
  const { seal, ...content } = state as { readonly seal?: unknown; readonly repository?: unknown };
  const signature = Buffer.from(typeof seal === "string" ? seal : "");
  const isSigned = keysIn(secret).some((key) => {
    const wanted = Buffer.from(sealOf(content, key));
    return signature.length === wanted.length && timingSafeEqual(signature, wanted);
  });
  if (!isSigned) return "it is not signed with the state key of this repository";
  if (content.repository === repository) return undefined;
  return content.repository === undefined
    ? "an earlier version signed it, without the name of its repository"
    : `it was signed for the repository ${content.repository}, and this is ${repository}`;
}

const sealOf = (state: object, key: string) =>
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
