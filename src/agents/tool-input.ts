/** A tool call in one line: the path, command or pattern of its input, else its first text. */
export function aboutOf(input: unknown): string {
  if (typeof input === "string") return firstLine(input);
  if (typeof input !== "object" || input === null) return "";
  const fields = input as Readonly<Record<string, unknown>>;
  const named = mainFields.map((name) => fields[name]).find(isText);
  const subject = named ?? Object.values(fields).find(isText) ?? "";
  return firstLine(Array.isArray(subject) ? subject.join(" ") : String(subject));
}

const mainFields = [
  "file_path",
  "filePath",
  "path",
  "command",
  "cmd",
  "pattern",
  "query",
  "url",
  "description",
];

const isText = (value: unknown) =>
  (typeof value === "string" && value.trim() !== "") ||
  (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === "string"));

const firstLine = (text: string) => text.trim().split("\n")[0] ?? "";
