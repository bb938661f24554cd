/** A condition: two texts in braces to compare, or one text whose truth counts. */
export interface If {
  readonly left: string;
  readonly right?: string;
  readonly differs: boolean;
}

/** Reads `${{ name == "VALUE" }}`, or a text with names in braces, with or without a comparison. */
export function readIf(source: string): If {
  const inside = /^\s*\$\{\{([\s\S]*)\}\}\s*$/.exec(source)?.[1];
  const text = inside ?? source;
  const operator = /==|!=/.exec(text);
  const operand = inside === undefined ? unquoted : named;
  if (operator === null) return { left: operand(text), differs: false };
  return {
    left: operand(text.slice(0, operator.index)),
    right: operand(text.slice(operator.index + 2)),
    differs: operator[0] === "!=",
  };
}

/** Inside `${{ }}`, unquoted text is a name, except numbers, true and false. */
function named(operand: string): string {
  const text = operand.trim();
  if (isQuoted(text) || /^(?:|-?\d+(?:\.\d+)?|true|false)$/.test(text)) return unquoted(text);
  return text.includes("{{") ? text : `{{${text}}}`;
}

function unquoted(operand: string): string {
  const text = operand.trim();
  return isQuoted(text) ? text.slice(1, -1) : text;
}

const isQuoted = (text: string): boolean => /^(?:"[\s\S]*"|'[\s\S]*')$/.test(text) && text.length > 1;
