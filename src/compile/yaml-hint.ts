/** An error of the YAML parser and its position. */
interface SyntaxError {
  readonly code: string;
  readonly message: string;
  readonly source: string;
  readonly offset: number;
}

const quoted = "Quote the whole text, or write it below a `|`.";
const misplaced = "Entries of one mapping or list must start in the same column.";
const deeper = "The text of a block must be indented further than its key.";
const ended = "The text of a block must be indented further than its key: this line ends the block above.";

const byCode: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: "Indent with spaces.",
  BAD_DQ_ESCAPE: "In double quotes a \\ means something: use single quotes, or write \\\\.",
  BLOCK_AS_IMPLICIT_KEY: `Plain text cannot contain a colon followed by a space. ${quoted}`,
  BAD_SCALAR_START: "Text cannot start with this character: quote it.",
  MULTILINE_IMPLICIT_KEY: "A key ends with a colon and a space: `name: x`.",
  BAD_INDENT: "A quote or a bracket above is not closed.",
  MULTIPLE_ANCHORS: "Text that begins with `&` needs quotes.",
};

/** The likely fix for text that is not YAML. The parser reports the position, but rarely the reason. */
export function yamlHint({ code, message, source, offset }: SyntaxError): string | undefined {
  if (message.endsWith("must start at the same column")) return misplaced;
  const start = source.lastIndexOf("\n", offset - 1) + 1;
  const block = blockHint({ code, message, source, offset: start });
  if (block !== undefined) return block;
  if (Object.hasOwn(byCode, code)) return byCode[code];
  if (message.includes("Missing closing")) return byCode["BAD_INDENT"];
  if (code === "NON_STRING_KEY") return source[offset] === "{" ? signHint("{") : undefined;
  const before = source.slice(start, offset);
  if (/[|>][-+\d]*\s+$/.test(before)) return "The text of a block begins on the line below its `|` or `>`.";
  if (message.startsWith("Implicit map keys need")) {
    return /[|>][-+\d]*\s*$/.test(source.slice(0, start)) ? deeper : byCode["MULTILINE_IMPLICIT_KEY"];
  }
  if (/at node end$/.test(message)) return afterValue(before);
  return misplaced;
}

/** The remedy for a line that was probably meant to be in the block above; the offset is its start. */
function blockHint({ code, message, source, offset }: SyntaxError): string | undefined {
  if (/^block scalar lines/i.test(message)) return source[offset] === "\t" ? byCode["TAB_AS_INDENT"] : deeper;
  if (code !== "MULTILINE_IMPLICIT_KEY") return undefined;
  return endsBlock(source.slice(0, offset), source.slice(offset)) ? ended : undefined;
}

/** True if the text is indented no deeper than the key of the block before it, so it ended that block by mistake. */
function endsBlock(before: string, text: string): boolean {
  const lines = before.split("\n");
  const header = lines.findLast((line) => /(?::|-)\s+[|>][-+\d]*\s*$/.test(line));
  if (header === undefined) return false;
  const inside = lines.slice(lines.lastIndexOf(header) + 1).filter((line) => line.trim() !== "");
  const key = indentOf(header);
  return inside.length > 0 && inside.every((line) => indentOf(line) > key) && indentOf(text) <= key;
}

const indentOf = (line: string): number => line.search(/[^ ]|$/);

/** Text follows a value that has already ended, at its closing quote or bracket, or because it was never quoted. */
function afterValue(before: string): string {
  const first = /^[\s-]*[^:{[]*:\s+(\S)/.exec(before)?.[1];
  if (first === '"' || first === "'")
    return `The value ends at its closing quote, and more follows. ${quoted}`;
  if (first === "{" || first === "[")
    return `The value ends at its closing bracket, and more follows. ${quoted}`;
  return "Between brackets, commas separate values; quote text that contains brackets or commas.";
}

/** The hint for text that starts with a character reserved by YAML. */
export const signHint = (sign: string): string => `Text that begins with \`${sign}\` needs quotes.`;
