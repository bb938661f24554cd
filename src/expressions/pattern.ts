/** True if a Python-style pattern matches anywhere in a text; false if the pattern is invalid. */
export function searches(source: string, text: string): boolean {
  const pattern = compile(source);
  return "test" in pattern && pattern.test(text);
}

/** Why a text is not a valid pattern; `undefined` if it is. */
export function patternFault(source: string): string | undefined {
  if (repeatsRepeats(source)) return "a repetition inside a repeated group may never finish";
  const pattern = compile(source);
  return "because" in pattern ? pattern.because : undefined;
}

function compile(source: string): RegExp | { readonly because: string } {
  const [, flags = "", rest = source] = /^\(\?([ims]+)\)([\s\S]*)$/.exec(source) ?? [];
  const written = rest
    .replaceAll("(?P<", "(?<")
    .replaceAll(/\(\?P=(\w+)\)/g, "\\k<$1>")
    .replaceAll(/(?<!\\)((?:\\\\)*)\\A/g, "$1(?<![\\s\\S])")
    .replaceAll(/(?<!\\)((?:\\\\)*)\\Z/g, "$1(?![\\s\\S])");
  try {
    return new RegExp(written, [...new Set(flags)].join(""));
  } catch (error) {
    return { because: (error as Error).message };
  }
}

/** True if an unbounded group contains an unbounded repetition: `(a+)+`. */
function repeatsRepeats(source: string): boolean {
  const groups: boolean[] = [];
  let hasRepeat = false;
  for (const [token] of source.matchAll(
    /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\)(?:[*+]|\{\d+,\})|[()]|[*+]|\{\d+,\}/g,
  )) {
    if (token === "(") {
      groups.push(hasRepeat);
      hasRepeat = false;
    } else if (token.startsWith(")")) {
      const isRepeated = token.length > 1;
      if (isRepeated && hasRepeat) return true;
      hasRepeat = (groups.pop() ?? false) || hasRepeat || isRepeated;
    } else if (/^[*+{]/.test(token)) hasRepeat = true;
  }
  return false;
}
