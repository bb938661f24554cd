import type { z } from "zod";

type Issue = z.core.$ZodIssue;

/** The issues that say most: of a value of several possible types, those of the one whose type it has. */
export function issuesOf(issue: Issue): readonly Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const [meant, ...others] = issue.errors.filter((issues) => !issues.some(isOfAnotherType));
  if (meant === undefined || others.length > 0) return [issue];
  return meant.flatMap((it) => issuesOf({ ...it, path: [...issue.path, ...it.path] }));
}

const isOfAnotherType = ({ code, path }: Issue) =>
  path.length === 0 && (code === "invalid_type" || code === "invalid_value" || code === "invalid_union");

/** What is wrong with a value, after its name. */
export function complaint(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${articles[issue.expected] ?? issue.expected}`;
    case "invalid_union":
      return `must be ${alternatives(issue.errors.flat().flatMap(expected))}`;
    case "invalid_value":
      return `must be ${alternatives(literals(issue.values))}`;
    case "invalid_format":
      return "pattern" in issue && issue.pattern === String(/\S/)
        ? "must not be blank"
        : "has a value that is not allowed";
    case "unrecognized_keys":
      return `has no key ${alternatives(issue.keys.map((key) => `\`${key.slice(0, 80)}\``))}`;
    case "too_small":
      if (issue.origin === "string") return "must not be empty";
      return `must be ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    case "custom":
      return issue.message;
    default:
      return "has a value that is not allowed";
  }
}

const articles: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

function expected(issue: Issue): readonly string[] {
  switch (issue.code) {
    case "invalid_type":
      return [articles[issue.expected] ?? issue.expected];
    case "invalid_value":
      return literals(issue.values);
    case "invalid_union":
      return issue.errors.flat().flatMap(expected);
    default:
      return ["another value"];
  }
}

const literals = (values: readonly unknown[]): readonly string[] =>
  values.filter((it) => it !== "").map((it) => `\`${String(it)}\``);

/** `a`, `b` or `c`, each once. */
function alternatives(all: readonly string[]): string {
  const each = [...new Set(all)];
  return each.length < 2 ? each.join("") : `${each.slice(0, -1).join(", ")} or ${each.at(-1)}`;
}
