import { z } from "zod";
import {
  faultOfHost,
  faultOfPlace,
  hostsIn,
  isRunId,
  type NetworkRule,
  parseJson,
  placesIn,
} from "../../src/api/runs.ts";
import { parseDuration, type SharedBudget, sharedBudget, splitArguments } from "../../src/api/workflows.ts";

/** Parsers of input texts. An error message completes a sentence that starts with the input and its value. */
function field<T>(read: (text: string) => T | InvalidValueError) {
  return z
    .string()
    .default("")
    .transform((raw, context): T => {
      const value = read(raw);
      if (!(value instanceof InvalidValueError)) return value;
      context.addIssue({ code: "custom", message: value.message });
      return z.NEVER;
    });
}

class InvalidValueError extends Error {
  override readonly name = "InvalidValueError";
}

/** Any text; `undefined` if empty. */
export const text = field((raw): string | undefined => raw || undefined);

/** A name or path, trimmed. */
export const trimmedText = field((raw): string | undefined => raw.trim() || undefined);

/** A text of this form, trimmed unless it is cleaned otherwise; `undefined` if empty. */
const matching = (form: RegExp, fault: string, clean = (raw: string) => raw.trim()) =>
  field((raw) => {
    const text = clean(raw);
    return text === "" || form.test(text) ? text || undefined : new InvalidValueError(fault);
  });

/** An author as git writes it. */
export const person = matching(
  /^[^<>\p{Cc}]{1,100} <[^<>\s\p{Cc}]{1,200}@[^<>\s\p{Cc}]{1,200}>$/u,
  "must be a name and an address, as in `Ann <ann@example.com>`",
  (raw) => raw.trim().replace(/\s+/g, " "),
);

const listOf = (separator: RegExp) =>
  field((raw): readonly string[] | undefined => {
    const entries = raw.split(separator).flatMap((entry) => entry.trim() || []);
    return entries.length === 0 ? undefined : entries;
  });

/** A list, one entry per line. */
export const lines = listOf(/\n/);

/** A list, one entry per line or separated by commas. */
export const wordList = listOf(/[\n,]/);

function booleanIn(raw: string): boolean | InvalidValueError {
  const text = raw.trim().toLowerCase();
  if (text === "true") return true;
  return text === "" || text === "false" ? false : new InvalidValueError("must be `true` or `false`");
}

/** A boolean, `false` by default. */
export const flag = field(booleanIn);

export const number = field((raw) => positive(raw, "a number above 0: use 5 or 0.5, for example"));

export const wholeNumber = field((raw) => {
  const value = positive(raw, "a whole number above 0: use 10, for example");
  return typeof value === "number" && !Number.isSafeInteger(value)
    ? new InvalidValueError("is not a whole number above 0: use 10, for example")
    : value;
});

function positive(raw: string, wanted: string): number | undefined | InvalidValueError {
  if (raw === "") return undefined;
  const value = Number(raw);
  return value > 0 && Number.isFinite(value) ? value : new InvalidValueError(`is not ${wanted}`);
}

/** A time such as `6h`, in milliseconds. */
export const duration = field((raw): number | undefined | InvalidValueError => {
  const ms = raw.trim() === "" ? undefined : parseDuration(raw);
  return raw.trim() !== "" && (ms === undefined || ms === 0 || /^\d+$/.test(raw.trim()))
    ? new InvalidValueError("is not a duration: use 6h, 30m or 1d, for example")
    : ms;
});

/** A URL for POST requests. */
export const link = field((raw): string | undefined | InvalidValueError => {
  if (raw.trim() === "") return undefined;
  return /^https?:$/.test(URL.parse(raw.trim())?.protocol ?? "")
    ? raw.trim()
    : new InvalidValueError(
        "is not a URL: use one such as https://hooks.example.com/services/…, from a secret",
      );
});

/** A JSON object of strings; other values become their JSON text. */
export const record = field((raw): Readonly<Record<string, string>> | InvalidValueError => {
  const parsed = z.record(z.string(), z.json()).safeParse(raw === "" ? {} : parseJson(raw));
  if (!parsed.success)
    return new InvalidValueError('is not a JSON object: use {"target": "packages/a"}, for example');
  return Object.fromEntries(
    Object.entries(parsed.data).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
});

export const runId = field((raw): string | undefined | InvalidValueError => {
  const ids = raw.split(/\s+/).filter((id) => id !== "");
  if (ids.every(isRunId)) return ids.join(" ") || undefined;
  return new InvalidValueError(
    'is not a run id: use 6 to 64 lowercase letters, digits and "-", starting with a letter or a digit',
  );
});

/** Where runs are stored: at the git host, or in a file passed to another job. */
export const storeName = matching(
  /^(git$|bundle:.)/,
  "is not a store for runs: use `git`, or `bundle:FILE` with the file to keep them in",
  (raw) => raw,
);

/** The budget shared by the jobs of a fan-out, as output by `command: plan`. */
export const budgetOfJobs = field((raw): SharedBudget | undefined | InvalidValueError => {
  if (raw.trim() === "") return undefined;
  const wrong = new InvalidValueError("is not the output `shared-budget` of `command: plan`");
  return sharedBudget.safeParse(parseJson(raw)).data ?? wrong;
});

/** The source of the list that is spread over jobs. */
export const listSource = matching(
  /^(packages|changed-packages|file:.+)$/,
  "is not a list: use `packages`, `changed-packages`, or `file:PATH` with a JSON list or one item per line",
);

/** A provider's API key, by the variable that agents read. */
export const keyOf = (variable: string) =>
  field((raw): Readonly<Record<string, string>> => (raw === "" ? {} : { [variable]: raw.trim() }));

/** A switch of an agent, by the variable that enables it. */
export const switchOf = (variable: string) =>
  field((raw): Readonly<Record<string, string>> | InvalidValueError => {
    const isOn = booleanIn(raw);
    if (isOn instanceof InvalidValueError) return isOn;
    return isOn ? { [variable]: "1" } : {};
  });

/** An exact version, because a range or tag may resolve to another version tomorrow. */
export const version = matching(
  /^\d+\.\d+\.\d+([-+][\w.-]+)?$/,
  "must be an exact version, for example 1.2.3",
  (raw) => raw.trim().replace(/^v(?=\d)/, ""),
);

/** Arguments separated by spaces, with quotes; no other character is special. */
export const args = field((raw): readonly string[] | undefined | InvalidValueError => {
  const parts = splitArguments(raw);
  if (parts === undefined) return new InvalidValueError("has an unmatched quote or a trailing backslash");
  return parts.length === 0 ? undefined : parts;
});

/** The role that people need in the repository. */
export const permission = field((raw): Permission | undefined | InvalidValueError => {
  const text = raw.trim();
  if (text === "") return undefined;
  return (
    permissions.find((one) => one === text) ??
    new InvalidValueError(`is not a permission: use ${permissions.join(", ")}`)
  );
});

/** Retention in days. */
export const retention = field((raw): number | "never" | undefined | InvalidValueError => {
  const text = raw.trim();
  if (text === "" || text === "never") return text || undefined;
  return /^\d{1,4}$/.test(text)
    ? Number(text)
    : new InvalidValueError("is not a number of days: use a whole number such as 30, or `never`");
});

const permissions = ["read", "triage", "write", "maintain", "admin"] as const;
type Permission = (typeof permissions)[number];

/** One of several values; the first one is the default. */
export function choice<const T extends string>(first: T, ...others: readonly T[]) {
  const choices: readonly string[] = [first, ...others];
  const named = choices.filter((each) => each !== "").map((each) => `\`${each}\``);
  return field((raw): T | InvalidValueError => {
    const text = raw.trim().toLowerCase() || first;
    return choices.includes(text)
      ? (text as T)
      : new InvalidValueError(`is not known: use ${named.join(", ")}`);
  });
}

/** Paths that are opened to programs. */
export const places = field((raw): readonly string[] | InvalidValueError => {
  const paths = placesIn(raw);
  const fault = paths.map(faultOfPlace).find((one) => one !== undefined);
  return fault === undefined ? paths : new InvalidValueError(`is wrong: ${fault}`);
});

/** Hosts that programs may reach; `none` is the empty list. */
export const hosts = field((raw): NetworkRule | undefined | InvalidValueError => {
  if (raw.trim() === "") return undefined;
  const rule = hostsIn(raw);
  const fault = rule.map(faultOfHost).find((one) => one !== undefined);
  return fault === undefined ? rule : new InvalidValueError(`is wrong: ${fault}`);
});
