import { createHmac, timingSafeEqual } from "node:crypto";

/** What a commit says of itself, with the proof that a holder of the key wrote it. */
export const sealed = <T extends object>(state: T, key: string): T & { readonly seal: string } => ({
  ...state,
  seal: sealOf(state, key),
});

/** Whether a holder of the key wrote this. */
export function isSealed(state: object, key: string): boolean {
  const { seal, ...said } = state as { readonly seal?: unknown };
  if (typeof seal !== "string") return false;
  const [given, wanted] = [Buffer.from(seal), Buffer.from(sealOf(said, key))];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

const sealOf = (state: object, key: string) =>
  createHmac("sha256", key)
    .update(JSON.stringify(sorted(state)))
    .digest("hex");

/** The same with all names in one order: JSON does not promise any. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, item]) => [name, sorted(item)]);
}
