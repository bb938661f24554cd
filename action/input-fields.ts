import { z } from "zod";
import { isRunId } from "../src/index.ts";

/** How the text of one input is read. A message finishes a sentence that begins with the input and its value. */
function field<T>(read: (text: string) => T | Wrong) {
  return z
    .string()
    .default("")
    .transform((given, context): T => {
      const value = read(given);
      if (!(value instanceof Wrong)) return value;
      context.addIssue({ code: "custom", message: value.message });
      return z.NEVER;
    });
}

class Wrong extends Error {
  override readonly name = "Wrong";
}

/** Any text; `undefined` when empty. */
export const text = field((given): string | undefined => given || undefined);

/** A name or path: a text without the blanks around it. */
export const word = field((given): string | undefined => given.trim() || undefined);

/** A list, an entry a line. */
export const lines = field((given): readonly string[] | undefined => {
  const entries = given.split("\n").map((line) => line.trim());
  const filled = entries.filter((line) => line !== "");
  return filled.length === 0 ? undefined : filled;
});

/** A switch, `false` unless given. */
export const flag = field((given): boolean | Wrong => {
  const said = given.trim().toLowerCase();
  return said === "true" || said === "" || said === "false"
    ? said === "true"
    : new Wrong("is neither `true` nor `false`: say one of them");
});

export const number = field((given) => positive(given, "a number above 0: say 5 or 0.5, for example"));

export const wholeNumber = field((given) => {
  const value = positive(given, "a whole number above 0: say 10, for example");
  return typeof value === "number" && !Number.isSafeInteger(value)
    ? new Wrong("is not a whole number above 0: say 10, for example")
    : value;
});

function positive(given: string, wanted: string): number | undefined | Wrong {
  if (given === "") return undefined;
  const value = Number(given);
  return value > 0 && Number.isFinite(value) ? value : new Wrong(`is not ${wanted}`);
}

/** An object of JSON with a text for each name; other values become the text they have in JSON. */
export const record = field((given): Readonly<Record<string, string>> | Wrong => {
  const parsed = z.record(z.string(), z.json()).safeParse(given === "" ? {} : parse(given));
  if (!parsed.success)
    return new Wrong('is not an object of JSON: say {"target": "packages/a"}, for example');
  return Object.fromEntries(
    Object.entries(parsed.data).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
});

function parse(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

export const runId = field((given): string | undefined | Wrong => {
  const ids = given.split(/\s+/).filter((id) => id !== "");
  if (ids.every(isRunId)) return ids.join(" ") || undefined;
  return new Wrong(
    'is not a run id: say 6 to 64 small letters, digits and "-", beginning with a letter or a digit',
  );
});

/** Where runs are kept: at the git host, or in a file that another job is handed. */
export const storeName = field((given): string | undefined | Wrong => {
  if (given === "" || given === "git" || /^bundle:./.test(given)) return given || undefined;
  return new Wrong("is no place for runs: say `git`, or `bundle:FILE` with the file to keep them in");
});

/** The key of a model's provider, as the variable agents look for it in. */
export const keyOf = (variable: string) =>
  field((given): Readonly<Record<string, string>> => (given === "" ? {} : { [variable]: given.trim() }));

/** What people need to be allowed in the repository. */
export const permission = field((given): Permission | undefined | Wrong => {
  const said = given.trim();
  if (said === "") return undefined;
  return (
    permissions.find((one) => one === said) ?? new Wrong(`is no permission: say ${permissions.join(", ")}`)
  );
});

const permissions = ["read", "triage", "write", "maintain", "admin"] as const;
type Permission = (typeof permissions)[number];

/** One of some words; the first one unless given. */
export function choice<const T extends string>(first: T, ...others: readonly T[]) {
  const words: readonly string[] = [first, ...others];
  const named = words.filter((each) => each !== "").map((each) => `\`${each}\``);
  return field((given): T | Wrong => {
    const said = given.trim().toLowerCase() || first;
    return words.includes(said) ? (said as T) : new Wrong(`is not known: say ${named.join(", ")}`);
  });
}

/** A list, an entry a line or between commas. */
export const words = field((given): readonly string[] | undefined => {
  const filled = given
    .split(/[\n,]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  return filled.length === 0 ? undefined : filled;
});

/** What later versions do; this one takes the words for "off", and others that already work. */
export function later<const T extends string>({
  now = [],
  off,
}: {
  readonly now?: readonly T[];
  readonly off: T;
}) {
  const taken: readonly string[] = [off, ...now];
  const words = taken.filter((each) => each !== "").map((each) => `\`${each}\``);
  const instead = words.length === 0 ? "leave it out" : `leave it out, or say ${words.join(" or ")}`;
  return field((given): T | Wrong => {
    const said = given.trim() || off;
    return taken.includes(said) ? (said as T) : new Wrong(`is not in this version: ${instead}`);
  });
}
