/** What YAML's own parser complained of, and where. */
interface Complaint {
  readonly reason: string;
  readonly source: string;
  readonly offset: number;
}

const byReason: readonly (readonly [part: string, hint: string])[] = [
  ["tab characters", "Indent with blanks."],
  ["deficient indentation", "A quote or a bracket above is not closed."],
  ["unknown escape sequence", "In double quotes a \\ means something: use single quotes, or write \\\\."],
  ["a line break is expected", "The text of a block begins on the line below its `|` or `>`."],
  ["expected ':' after", "The text of a block stands further to the right than its key."],
  ["end of the stream", "A key ends with a colon and a blank: `name: x`."],
  [
    "missed comma",
    "Between brackets, commas part what is there; text with brackets or commas in it needs quotes.",
  ],
  ["anchor node must contain", "Text that begins with `&` needs quotes."],
];

const misplaced = "What belongs to one mapping or list begins in the same column.";
const quoted = "Put the whole text into quotes, or below a `|`.";

/** What most likely is to be done about a text that is not YAML: its parser says where, and rarely why. */
export function yamlHint({ reason, source, offset }: Complaint): string | undefined {
  if (!reason.startsWith("bad indentation")) return byReason.find(([part]) => reason.includes(part))?.[1];
  const line = source.slice(source.lastIndexOf("\n", offset - 1) + 1, offset);
  const value = /^[\s-]*[^:]*:\s+(.*)$/.exec(line)?.[1];
  if (value === undefined) return misplaced;
  const [first = source.charAt(offset)] = value;
  if ("@`%".includes(first)) return "Text cannot begin with this character: put it into quotes.";
  if (source.charAt(offset) === ":") return `Text with a colon and a blank in it is no plain text. ${quoted}`;
  return `The value ends at its closing ${first === "{" || first === "[" ? "bracket" : "quote"}, and more follows. ${quoted}`;
}

/** What is said of text that begins as YAML's own signs do. */
export const signHint = (sign: string): string => `Text that begins with \`${sign}\` needs quotes.`;
