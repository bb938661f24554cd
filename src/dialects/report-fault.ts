import type { DiagnosticCode, Fault } from "../plan/diagnostic.ts";
import { defined } from "../ports/defined.ts";

type FaultText = Omit<Fault, "code" | "hint" | "offset"> & {
  readonly hint?: string | undefined;
  readonly offset?: number | undefined;
};

/** Records a fault of the file. Returns `undefined`, for readers that have no value then. */
export function reportFault(
  { faults }: { readonly faults: Fault[] },
  code: DiagnosticCode,
  { hint, offset, ...text }: FaultText,
): undefined {
  faults.push({ code, ...text, ...defined({ hint, offset }) });
}

/** Warns that the last key of a path has no effect. */
export function warnOfKey(
  reader: { readonly faults: Fault[] },
  at: Fault["at"],
  message = `\`${at.at(-1)}\` has no effect here.`,
): void {
  reportFault(reader, "IGNORED_FIELD", { message, at, onKey: true, warning: true });
}

/** The faults; a key without effect that occurs in many places is reported only once. */
export function summarised(faults: readonly Fault[]): readonly Fault[] {
  const places = new Map<string, number>();
  const keyOf = ({ code, message, at }: Fault) =>
    code === "IGNORED_FIELD" && at.length > 1 ? `${message} ${String(at.at(-1))}` : undefined;
  for (const key of faults.map(keyOf)) if (key !== undefined) places.set(key, (places.get(key) ?? 0) + 1);
  return faults.flatMap((fault) => {
    const key = keyOf(fault);
    const count = key === undefined ? 1 : (places.get(key) ?? 0);
    if (key !== undefined) places.set(key, 0);
    if (count < 2) return count === 1 ? [fault] : [];
    const others = count === 2 ? "in another place" : `in ${count - 1} other places`;
    return [{ ...fault, message: fault.message.replace(/\.$/, `, nor ${others}.`) }];
  });
}

/**
 * True if a fault already names one of these keys as the remedy for a key of this loop or its node: one mistake, one
 * fault.
 */
export function isNamedAsRemedy(
  { faults }: { readonly faults: readonly Fault[] },
  loop: Fault["at"],
  keys: readonly string[],
): boolean {
  const homes = [loop, loop.slice(0, -1)].map(String);
  return faults.some(
    ({ code, hint = "", at }) =>
      code === "UNKNOWN_FIELD" &&
      homes.includes(String(at.slice(0, -1))) &&
      keys.some((key) => hint.includes(`\`${key}\``)),
  );
}
