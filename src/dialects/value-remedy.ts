import type { z } from "zod";
import { nearestWord } from "../ports/nearest-word.ts";

/** The remedy for a wrong value: what was probably meant, else an example. */
export function remedyFor(
  issue: z.core.$ZodIssue,
  { wrong, key }: { readonly wrong: unknown; readonly key: string | number | undefined },
): string | undefined {
  const meant = issue.code === "custom" ? durationHint(issue.message, wrong) : remedy(issue, wrong);
  return meant ?? exampleOf(issue, key);
}

function remedy(issue: z.core.$ZodIssue, wrong: unknown): string | undefined {
  if (issue.code === "invalid_value")
    return typeof wrong === "string" ? didYouMean(wrong, issue.values.map(String)) : undefined;
  // Zod's own message for it begins so; any other is a schema's hint.
  if (issue.code === "unrecognized_keys" && !issue.message.startsWith("Unrecognized")) return issue.message;
  if (issue.code === "unrecognized_keys") return "Remove it, or correct its name.";
  if (wrong === "" && issue.code === "too_small") return filled;
  if (issue.code === "invalid_format") return filled;
  if (issue.code !== "invalid_type") return undefined;
  if (wrong === null) return "It is empty: give it a value, or remove the key.";
  switch (issue.expected) {
    case "string":
      return textRemedy(wrong);
    case "array":
      return listRemedy(wrong);
    case "object":
    case "record":
      return mappingRemedy;
    case "boolean":
      return isWordForBoolean(wrong) ? "Write true or false, without quotes." : undefined;
    default:
      return quotingHint(wrong);
  }
}

/** Advice for a value where text belongs. */
export function textRemedy(wrong: unknown): string | undefined {
  if (typeof wrong === "number" || typeof wrong === "boolean") return `Put it in quotes: "${wrong}".`;
  return Array.isArray(wrong)
    ? "One text, not a list: put a text that begins with `[` in quotes; several lines go below a `|`."
    : undefined;
}

function listRemedy(wrong: unknown): string | undefined {
  if (typeof wrong === "object") return "Each entry of a list begins with `- `.";
  if (typeof wrong !== "string" || wrong.length > 60) return undefined;
  const entries = wrong.split(/,\s+/).map((one) => (/^[\w./-]+$/.test(one) ? one : JSON.stringify(one)));
  return `A list${entries.length === 1 ? " of one" : ""} is written [${entries.join(", ")}].`;
}

/**
 * The remedy that a sentence about a wrong value implies; `undefined` if it implies none. Some forty places of the four
 * languages write such sentences, and would all repeat the same few remedies.
 */
export function impliedRemedy(message: string): string | undefined {
  const missing = / (?:needs|requires) (?:an? |the input )?`(\w+)`(?:[.:]|$)/.exec(message)?.[1];
  if (missing !== undefined) return `Add \`${missing}:\` and its value.`;
  if (/, not both\.$| cannot be combined with /.test(message)) return "Remove one of them.";
  if (/ (?:needs|requires) (?:an? )?`[^`]+`,? or /.test(message)) return "Add one of them.";
  const [, extra, partner] = /^`([^`]+)` goes with `([^`]+)`\.$/.exec(message) ?? [];
  if (extra !== undefined) return `Add \`${partner}\`, or remove \`${extra}\`.`;
  if (message.endsWith(" must be a mapping.")) return mappingRemedy;
  if (message.endsWith(" must be a list.")) return "Each entry of a list begins with `- `.";
  if (message.endsWith(" must be text.")) return "Write text there; put a number, true or false in quotes.";
  return message.endsWith(" is blank.") ? filled : undefined;
}

const mappingRemedy = "Write `key: value` lines below it.";
const filled = "Give it a value, or remove it.";

/** A duration such as `10 minutes`, in the format of files. */
function durationHint(message: string, wrong: unknown): string | undefined {
  if (!message.startsWith("must be a duration") || typeof wrong !== "string") return undefined;
  const [, count, unit] = /^(\d+)\s*(sec|min|h(?=r|our))[a-z]*$/i.exec(wrong.trim()) ?? [];
  return unit === undefined ? undefined : `Write ${count}${unit.charAt(0).toLowerCase()}.`;
}

const isWordForBoolean = (value: unknown) =>
  typeof value === "string" && /^(?:true|false|yes|no|on|off)$/i.test(value);

/** The hint for a number that is written as text. */
export const quotingHint = (value: unknown): string | undefined =>
  typeof value === "string" && /^-?\d{1,15}(?:\.\d+)?$/.test(value)
    ? `Leave the quotes out: ${value}.`
    : undefined;

/** Advice for text with a character that people do not see, such as a non-breaking space from a web page. */
export function invisibleHint(text: string): string | undefined {
  const code = /[\u00A0\u00AD\u2000-\u200F\u202F\u205F\u2060\u3000\uFEFF]/.exec(text)?.[0].charCodeAt(0);
  if (code === undefined) return undefined;
  return `It contains the invisible character U+${code.toString(16).toUpperCase().padStart(4, "0")}: remove it, or write a space.`;
}

/** A key, or an entry of a list, with an example of a valid value. */
function exampleOf(issue: z.core.$ZodIssue, key: string | number | undefined): string | undefined {
  const value = exampleValue(issue);
  if (key === undefined || value === undefined) return undefined;
  return `For example \`${typeof key === "number" ? "-" : `${key}:`} ${value}\`.`;
}

function exampleValue(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === "invalid_union") return issue.errors.flat().map(exampleValue).find(Boolean);
  if (issue.code === "invalid_type") return examples[issue.expected];
  if (issue.code === "invalid_value") return String(issue.values.find((it) => it !== ""));
  if (issue.code === "custom") return /duration/.test(issue.message) ? "10m" : undefined;
  if (issue.code === "too_big") return String(issue.maximum);
  if (issue.code !== "too_small" || issue.origin === "string") return undefined;
  return String(Number(issue.minimum) + (issue.inclusive ? 0 : 1));
}

const examples: Readonly<Record<string, string>> = {
  string: "some text",
  number: "1",
  int: "1",
  boolean: "true",
  array: "[first, second]",
};

/** The similar name, or else all names, of things of one kind. */
export function namesHere(value: string, names: readonly string[], kind: string): string | undefined {
  const near = didYouMean(value, names);
  if (near !== undefined || names.length === 0) return near;
  const more = names.length > mostNames ? ", …" : "";
  return `The ${kind} here: ${names.slice(0, mostNames).join(", ")}${more}.`;
}

const mostNames = 12;

/** "Did you mean …?"; empty if no name is similar. */
export function didYouMean(value: string, candidates: readonly string[]): string | undefined {
  const near = nearestWord(value, candidates);
  return near === undefined ? undefined : `Did you mean \`${near}\`?`;
}
