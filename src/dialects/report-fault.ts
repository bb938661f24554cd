import type { DiagnosticCode, Fault } from "../plan/diagnostic.ts";
import { defined } from "../ports/defined.ts";
import type { Files } from "./dialect.ts";
import { impliedRemedy } from "./value-remedy.ts";

type FaultText = Omit<Fault, "code" | "hint" | "offset"> & {
  readonly hint?: string | undefined;
  readonly offset?: number | undefined;
};

interface Reader {
  readonly faults: Fault[];
}

/** Records a fault of the file. Returns `undefined`, for readers that have no value then. */
export function reportFault(
  { faults }: Reader,
  code: DiagnosticCode,
  { hint, offset, ...text }: FaultText,
): undefined {
  const implied = code === "BAD_VALUE" ? impliedRemedy(text.message) : undefined;
  faults.push({ code, ...text, ...defined({ hint: hint ?? implied, offset }) });
}

interface KeyFaults extends Omit<FaultText, "message"> {
  readonly keys: readonly string[];
  /** The mapping that may have them, at the position `at`. */
  readonly object: object;
  readonly message: (key: string) => string;
}

/** Records a fault for each of these keys that a mapping has. */
export function reportKeys(
  reader: Reader,
  code: DiagnosticCode,
  { keys, object, at, message, ...rest }: KeyFaults,
): void {
  for (const key of keys.filter((it) => Object.hasOwn(object, it)))
    reportFault(reader, code, { message: message(key), at: [...at, key], onKey: true, ...rest });
}

/** Warns that keys of a mapping have no effect. */
export function warnOfKeys(
  reader: Reader,
  { message = (key) => `\`${key}\` has no effect here.`, ...place }: UselessKeys,
): void {
  reportKeys(reader, "IGNORED_FIELD", { message, warning: true, ...place });
}

type UselessKeys = Pick<KeyFaults, "keys" | "object" | "at"> & Partial<KeyFaults>;

/** Warns that a provider is no agent, so the run's agent is used. */
export function warnOfProvider(
  reader: Reader & { readonly files: Pick<Files, "agents"> },
  provider: string,
  at: Fault["at"],
): void {
  const message = `\`${provider}\` is not an agent until-green knows; the run's agent is used instead.`;
  const hint = `Use one of ${(reader.files.agents?.names ?? []).join(", ")}, scripted:FILE and command:PROGRAM.`;
  reportFault(reader, "IGNORED_FIELD", { message, at, hint, warning: true });
}

/** Refuses a mapping that lacks one of these keys. */
export function requireKeys(
  reader: Reader,
  { keys, object, what, ...place }: Omit<KeyFaults, "message"> & { readonly what: string },
): void {
  for (const key of keys.filter((it) => !Object.hasOwn(object, it)))
    reportFault(reader, "BAD_VALUE", { message: `${what} needs \`${key}\`.`, ...place });
}

/** Refuses a workflow without a name, or with a blank one. */
export function checkName(reader: Reader, document: unknown): void {
  const name =
    typeof document === "object" && document !== null && "name" in document ? document.name : undefined;
  if (name !== undefined && (typeof name !== "string" || name.trim() !== "")) return;
  reportFault(reader, "MISSING_NAME", { ...missingNameText, at: name === undefined ? [] : ["name"] });
}

const missingNameText = {
  message: "A workflow needs a `name`.",
  hint: "Add `name: fix-tests` at the top, for example.",
};

/** The fault of a workflow with nothing under `name`, for `parseFields`. */
export const missingNameFault = { name: { code: "MISSING_NAME", ...missingNameText } } as const;

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
    const others = count === 2 ? "one other place" : `${count - 1} other places`;
    return [{ ...fault, message: fault.message.replace(/\.$/, ` (the same in ${others}).`) }];
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
