/** Tracks string quoting in JavaScript or Python source, piece by piece. */
export interface Quoting {
  /** Consumes the next piece of source and returns what to keep of it. */
  swallow(piece: string): string;
  inString(): boolean;
  /**
   * If the placeholder is the whole content of a string that `next` closes: returns the opening quote with its
   * prefix, for the caller to drop; drops the closing quote itself.
   */
  takeAlone(next: string): string | undefined;
}

/** A fresh state, outside of every string. */
export function quoting(): Quoting {
  // Open quotes and, for `${…}` in templates, open braces; comments stay open until their line ends.
  const open: string[] = [];
  let before = "";
  let dropped = "";
  return {
    swallow(piece) {
      const kept = piece.slice(dropped.length);
      for (const [token] of kept.matchAll(tokens)) step(open, tripled(token, open.at(-1)));
      before = kept;
      dropped = "";
      return kept;
    },
    inString: () => open.length > 0 && open.at(-1) !== "{" && open.at(-1) !== "//",
    takeAlone(next) {
      const top = open.at(-1);
      const quote = (top === "//" ? before.at(-1) : top) ?? "";
      if (!/^["'`]$/.test(quote) || !next.startsWith(quote) || next.startsWith(quote.repeat(3)))
        return undefined;
      const opening = /(?:String\.raw(?=`)|\b[rR](?=['"]))?['"`]$/.exec(before)?.[0];
      if (opening === undefined) return undefined;
      if (top !== "//") open.pop();
      dropped = quote;
      return opening;
    },
  };
}

const tokens = /\\[\s\S]|"""|'''|["'`\n{}]|\$\{|\/\/|(?<!\.)#/g;

const isTriple = (top: string | undefined) => top === '"""' || top === "'''";

// Inside single quotes, three quotes in a row close the string and open another one, or nothing relevant.
function tripled(token: string, top: string | undefined): string {
  return isTriple(token) && top !== undefined && top === token[0] ? top : token;
}

function step(open: string[], token: string): void {
  const top = open.at(-1);
  if (top === undefined || top === "{") stepCode(open, token);
  else if (token === top || (token === "\n" && endsWithLine.has(top))) open.pop();
  else if (token === "${" && top === "`") open.push("{");
}

const endsWithLine: ReadonlySet<string> = new Set(["'", '"', "//"]);

function stepCode(open: string[], token: string): void {
  if (token === "}" || token === "{") {
    if (token === "{" && open.length > 0) open.push("{");
    if (token === "}" && open.length > 0) open.pop();
  } else if (token === "//" || token === "#") open.push("//");
  else if (token !== "\n" && token !== "${" && !token.startsWith("\\")) open.push(token);
}
