/** The error in a source, with its position if known. */
export interface ExpressionFault {
  readonly because: string;
  readonly offset?: number;
}

/** Maximum length of a source, in bytes. */
export const maxLength = 4096;

/** Offset of a name in a source, outside string literals. */
export function placeOfName(source: string, name: string): Pick<ExpressionFault, "offset"> {
  const strings = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;
  const blank = source.replaceAll(strings, (text) => " ".repeat(text.length));
  const offset = blank.search(new RegExp(`(?<![\\w])${name}(?!\\w)`));
  return offset < 0 ? {} : { offset };
}

/** Syntax of other languages, and its equivalent in CEL. */
const slips: readonly (readonly [RegExp, string])[] = [
  [/^={1,3}(?!=)/, "To compare, write `==`."],
  [/^&(?!&)|^and\b/, "For “and”, write `&&`."],
  [/^\|(?!\|)|^or\b/, "For “or”, write `||`."],
];

/** A hint for the syntax at an offset, if there is one. */
export function expressionHint(source: string, offset: number): string | undefined {
  if (/\bnot\s+$/.test(source.slice(0, offset))) return "For “not”, write `!`.";
  const slip = slips.find(([sign]) => sign.test(source.slice(offset)));
  if (slip !== undefined && !/^==(?!=)/.test(source.slice(offset))) return slip[1];
  if (/[=!<>&|+*/-]\s*$/.test(source)) return "A value is missing at the end.";
  const outside = source.replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, "");
  if (/["']/.test(outside)) return "A quote is not closed.";
  if (outside.split("(").length > outside.split(")").length) return "A `(` is not closed.";
  return offset < source.length
    ? "Between two values, write an operator such as `==`, `&&` or `||`."
    : undefined;
}
