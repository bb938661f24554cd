/**
 * Splits arguments at spaces, with quotes; no other character is special. `undefined` if a quote or a backslash is
 * incomplete.
 */
export function splitArguments(text: string): readonly string[] | undefined {
  const parts = text.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/gs) ?? [];
  const isWhole = text.replace(/\s/g, "") === parts.join("").replace(/\s/g, "");
  return isWhole ? parts.map(unquoted) : undefined;
}

const unquoted = (part: string) =>
  part.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|\\./gs, (piece) => {
    if (piece.startsWith("\\")) return piece.slice(1);
    const inside = piece.slice(1, -1);
    return piece.startsWith("'") ? inside : inside.replace(/\\(["\\])/g, "$1");
  });
