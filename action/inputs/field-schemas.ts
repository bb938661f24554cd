import { z } from "zod";
import { faultOfHost, hostsIn, isRunId, type NetworkRule, parseJson } from "../../src/api/runs.ts";
import { parseDuration, type SharedBudget, sharedBudget, splitArguments } from "../../src/api/workflows.ts";

/** Parsers of input texts. An error message completes a sentence that starts with the input and its value. */
function field<T>(read: (text: string) => T | InvalidValueError) {
  return z
    .string()
    .default("")
    .transform((given, context): T => {
      const value = read(given);
      if (!(value instanceof InvalidValueError)) return value;
      context.addIssue({ code: "custom", message: value.message });
      return z.NEVER;
    });
}

class InvalidValueError extends Error {
  override readonly name = "InvalidValueError";
}

/** Any text; `undefined` if empty. */
export const text = field((given): string | undefined => given || undefined);

/** A name or path, trimmed. */
export const word = field((given): string | undefined => given.trim() || undefined);

/** An author as git writes it. */
export const person = field((given): string | undefined | InvalidValueError => {
  const text = given.trim().replace(/\s+/g, " ");
  if (text === "") return undefined;
  return /^[^<>\p{Cc}]{1,100} <[^<>\s\p{Cc}]{1,200}@[^<>\s\p{Cc}]{1,200}>$/u.test(text)
    ? text
    : new InvalidValueError("must be a name and an address, as in `Ann <ann@example.com>`");
});

/** A list, one entry per line. */
export const lines = field((given): readonly string[] | undefined => {
  const entries = given.split("\n").map((line) => line.trim());
  const filled = entries.filter((line) => line !== "");
  return filled.length === 0 ? undefined : filled;
});

/** A boolean, `false` by default. */
export const flag = field((given): boolean | InvalidValueError => {
  const text = given.trim().toLowerCase();
  return text === "true" || text === "" || text === "false"
    ? text === "true"
    : new InvalidValueError("must be `true` or `false`");
});

export const number = field((given) => positive(given, "a number above 0: use 5 or 0.5, for example"));

export const wholeNumber = field((given) => {
  const value = positive(given, "a whole number above 0: use 10, for example");
  return typeof value === "number" && !Number.isSafeInteger(value)
    ? new InvalidValueError("is not a whole number above 0: use 10, for example")
    : value;
});

function positive(given: string, wanted: string): number | undefined | InvalidValueError {
  if (given === "") return undefined;
  const value = Number(given);
  return value > 0 && Number.isFinite(value) ? value : new InvalidValueError(`is not ${wanted}`);
}

/** A time such as `6h`, in milliseconds. */
export const duration = field((given): number | undefined | InvalidValueError => {
  const ms = given.trim() === "" ? undefined : parseDuration(given);
  return given.trim() !== "" && (ms === undefined || ms === 0 || /^\d+$/.test(given.trim()))
    ? new InvalidValueError("is not a duration: use 6h, 30m or 1d, for example")
    : ms;
});

/** A URL for POST requests. */
export const link = field((given): string | undefined | InvalidValueError => {
  if (given.trim() === "") return undefined;
  return /^https?:$/.test(URL.parse(given.trim())?.protocol ?? "")
    ? given.trim()
    : new InvalidValueError(
        "is not a URL: use one such as https://hooks.example.com/services/…, from a secret",
      );
});

/** A JSON object of strings; other values become their JSON text. */
export const record = field((given): Readonly<Record<string, string>> | InvalidValueError => {
  const parsed = z.record(z.string(), z.json()).safeParse(given === "" ? {} : parseJson(given));
  if (!parsed.success)
    return new InvalidValueError('is not a JSON object: use {"target": "packages/a"}, for example');
  return Object.fromEntries(
    Object.entries(parsed.data).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
});

export const runId = field((given): string | undefined | InvalidValueError => {
  const ids = given.split(/\s+/).filter((id) => id !== "");
  if (ids.every(isRunId)) return ids.join(" ") || undefined;
  return new InvalidValueError(
    'is not a run id: use 6 to 64 lowercase letters, digits and "-", starting with a letter or a digit',
  );
});

/** Where runs are stored: at the git host, or in a file passed to another job. */
export const storeName = field((given): string | undefined | InvalidValueError => {
  if (given === "" || given === "git" || /^bundle:./.test(given)) return given || undefined;
  return new InvalidValueError(
    "is not a store for runs: use `git`, or `bundle:FILE` with the file to keep them in",
  );
});

/** The budget shared by the jobs of a fan-out, as output by `command: plan`. */
export const budgetOfJobs = field((given): SharedBudget | undefined | InvalidValueError => {
  if (given.trim() === "") return undefined;
  const wrong = new InvalidValueError("is not the output `shared-budget` of `command: plan`");
  try {
    return sharedBudget.safeParse(JSON.parse(given)).data ?? wrong;
  } catch {
    return wrong;
  }
});

/** The source of the list that is spread over jobs. */
export const listSource = field((given): string | undefined | InvalidValueError => {
  const text = given.trim();
  if (/^(packages|changed-packages|file:.+)?$/.test(text)) return text || undefined;
  return new InvalidValueError(
    "is not a list: use `packages`, `changed-packages`, or `file:PATH` with a JSON list or one item per line",
  );
});

/** A provider's API key, by the variable that agents read. */
export const keyOf = (variable: string) =>
  field((given): Readonly<Record<string, string>> => (given === "" ? {} : { [variable]: given.trim() }));

/** A switch of an agent, by the variable that enables it. */
export const switchOf = (variable: string) =>
  field((given): Readonly<Record<string, string>> | InvalidValueError => {
    const text = given.trim().toLowerCase();
    if (text === "" || text === "false") return {};
    return text === "true" ? { [variable]: "1" } : new InvalidValueError("must be `true` or `false`");
  });

/** An exact version, because a range or tag may resolve to another version tomorrow. */
export const version = field((given): string | undefined | InvalidValueError => {
  const text = given.trim().replace(/^v(?=\d)/, "");
  if (text === "" || /^\d+\.\d+\.\d+([-+][\w.-]+)?$/.test(text)) return text || undefined;
  return new InvalidValueError("must be an exact version, for example 1.2.3");
});

/** Arguments separated by spaces, with quotes; no other character is special. */
export const args = field((given): readonly string[] | undefined | InvalidValueError => {
  const found = splitArguments(given);
  if (found === undefined) return new InvalidValueError("has an unmatched quote or a trailing backslash");
  return found.length === 0 ? undefined : found;
});

/** The role that people need in the repository. */
export const permission = field((given): Permission | undefined | InvalidValueError => {
  const text = given.trim();
  if (text === "") return undefined;
  return (
    permissions.find((one) => one === text) ??
    new InvalidValueError(`is not a permission: use ${permissions.join(", ")}`)
  );
});

/** Retention in days. */
export const retention = field((given): number | "never" | undefined | InvalidValueError => {
  const text = given.trim();
  if (text === "" || text === "never") return text || undefined;
  return /^\d{1,4}$/.test(text)
    ? Number(text)
    : new InvalidValueError("is not a number of days: use a whole number such as 30, or `never`");
});

const permissions = ["read", "triage", "write", "maintain", "admin"] as const;
type Permission = (typeof permissions)[number];

/** One of several values; the first one is the default. */
export function choice<const T extends string>(first: T, ...others: readonly T[]) {
  const words: readonly string[] = [first, ...others];
  const named = words.filter((each) => each !== "").map((each) => `\`${each}\``);
  return field((given): T | InvalidValueError => {
    const text = given.trim().toLowerCase() || first;
    return words.includes(text)
      ? (text as T)
      : new InvalidValueError(`is not known: use ${named.join(", ")}`);
  });
}

/** Hosts that programs may reach; `none` is the empty list. */
export const hosts = field((given): NetworkRule | undefined | InvalidValueError => {
  if (given.trim() === "") return undefined;
  const rule = hostsIn(given);
  const fault = rule.map(faultOfHost).find((one) => one !== undefined);
  return fault === undefined ? rule : new InvalidValueError(`is wrong: ${fault}`);
});

/** A list, one entry per line or separated by commas. */
export const words = field((given): readonly string[] | undefined => {
  const filled = given
    .split(/[\n,]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  return filled.length === 0 ? undefined : filled;
});
