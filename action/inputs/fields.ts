import { z } from "zod";
import { isRunId } from "../../src/index.ts";

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

/** An exact version: what a range or a tag means may be another program tomorrow. */
export const version = field((given): string | undefined | Wrong => {
  const said = given.trim().replace(/^v(?=\d)/, "");
  if (said === "" || /^\d+\.\d+\.\d+([-+][\w.-]+)?$/.test(said)) return said || undefined;
  return new Wrong("is no exact version: say one with three numbers, such as 1.2.3");
});

/** Arguments with blanks between them, in quotes where they hold some; nothing else in them means anything. */
export const args = field((given): readonly string[] | undefined | Wrong => {
  const found = given.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/gs) ?? [];
  if (given.replace(/\s/g, "") !== found.join("").replace(/\s/g, ""))
    return new Wrong("has a quote, or a backslash, without its other half");
  return found.length === 0 ? undefined : found.map(unquoted);
});

const unquoted = (word: string) =>
  word.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|\\./gs, (piece) => {
    if (piece.startsWith("\\")) return piece.slice(1);
    const inside = piece.slice(1, -1);
    return piece.startsWith("'") ? inside : inside.replace(/\\(["\\])/g, "$1");
  });

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
