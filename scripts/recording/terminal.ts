/** One character of a screen, and its style: space-separated class names. */
interface Cell {
  readonly text: string;
  readonly style: string;
}

export type Row = readonly Cell[];

/** A terminal with this many columns and rows that interprets our command line's output. */
export function openScreen(columns: number, height: number) {
  let rows: Cell[][] = [[]];
  let row = 0;
  let column = 0;
  let style = "";

  const put = (text: string) => {
    const line = rows[row] ?? [];
    while (line.length < column) line.push({ text: " ", style: "" });
    if (column < columns) line[column] = { text, style };
    rows[row] = line;
    column += 1;
  };
  const control: Readonly<Record<string, (given: string) => void>> = {
    A: (given) => {
      row = Math.max(0, row - Number(given || 1));
    },
    J: () => {
      rows = rows.slice(0, row + 1);
      rows[row] = (rows[row] ?? []).slice(0, column);
    },
    K: () => {
      rows[row] = [];
    },
    m: (given) => {
      style = styleAfter(style, given);
    },
  };
  return {
    write(text: string) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences contain them
      for (const piece of text.match(/\u001b\[[?\d;]*[A-Za-z]|[\s\S]/gu) ?? []) {
        if (piece.startsWith("\u001b[")) control[piece.at(-1) ?? ""]?.(piece.slice(2, -1));
        else if (piece === "\r") column = 0;
        else if (piece === "\n") {
          row += 1;
          column = 0;
          rows[row] ??= [];
        } else put(piece);
      }
    },
    /** As many of the last rows as fit. */
    rows: (): readonly Row[] => rows.slice(-height).map((cells) => [...cells]),
  };
}

const styles: Readonly<Record<string, string>> = {
  1: "bold",
  2: "dim",
  31: "red",
  32: "green",
  33: "yellow",
};

function styleAfter(before: string, given: string): string {
  const named = given.split(";").map((code) => styles[code]);
  const isOff = named.every((name) => name === undefined);
  return isOff ? "" : [...new Set([...before.split(" "), ...named])].filter(Boolean).join(" ");
}
