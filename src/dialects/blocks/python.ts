/** Something wrong with a program, at a position of its text. */
export interface CodeFault {
  readonly message: string;
  readonly offset: number;
  readonly hint?: string;
}

/** Modules that a program may import by default. */
export const defaultImports: readonly string[] = [
  "json",
  "re",
  "math",
  "datetime",
  "collections",
  "itertools",
  "hashlib",
  "base64",
  "time",
  "urllib.parse",
];

/** Modules that no author can allow, because they would let a program escape its restrictions. */
export const neverImported: readonly string[] = [
  "os",
  "sys",
  "subprocess",
  "socket",
  "shutil",
  "importlib",
  "ctypes",
  "builtins",
  "pathlib",
  "io",
  "pickle",
  "multiprocessing",
  "threading",
  "signal",
  "runpy",
];

const refusedCalls = [
  "open",
  "eval",
  "exec",
  "compile",
  "getattr",
  "setattr",
  "delattr",
  "globals",
  "locals",
  "vars",
  "input",
  "breakpoint",
  "__import__",
];

/** Static checks of a program in Python: brackets, indentation, imports, calls, names. */
export function checkPython(code: string, allowed: readonly string[]): readonly CodeFault[] {
  const { text, faults } = blanked(code);
  if (faults.length > 0) return faults;
  const codeFaults = [...importFaults(text, allowed), ...callFaults(text), ...layoutFaults(text)];
  if (!/^def[ \t]+main[ \t]*\(/m.test(text)) {
    codeFaults.push({
      message: "The code defines no `main(data)`.",
      offset: 0,
      hint: "Write def main(data): at the left edge.",
    });
  }
  return codeFaults.sort((a, b) => a.offset - b.offset);
}

const token =
  /#[^\n]*|(?:[rRbBuUfF]{0,2})("""|''')(?:\\[\s\S]|(?!\1)[\s\S])*(\1)?|(?:[rRbBuUfF]{0,2})(["'])(?:\\[\s\S]|(?!\3)[^\\\n])*(\3)?|[()[\]{}]/g;

/** The program with blanked strings and comments, and with lines joined inside brackets. */
function blanked(code: string): { readonly text: string; readonly faults: readonly CodeFault[] } {
  const open: Bracket[] = [];
  let fault: CodeFault | undefined;
  let text = "";
  let end = 0;
  const keep = (upTo: number) => {
    const part = code.slice(end, upTo);
    text += open.length > 0 ? part.replaceAll("\n", " ") : part;
    end = upTo;
  };
  for (const match of code.matchAll(token)) {
    const [whole, long, longEnd, short, shortEnd] = match;
    keep(match.index);
    const isCut = (long && !longEnd) || (short && !shortEnd);
    fault ??= isCut
      ? { message: "A string is not closed.", offset: match.index }
      : bracketFault(open, { mark: whole, offset: match.index });
    text += /^[()[\]{}]$/.test(whole) ? whole : blankOf(whole);
    end += whole.length;
  }
  keep(code.length);
  const [left] = open;
  if (left)
    fault ??= { message: `This \`${left.mark}\` is never closed.`, hint: "Close it.", offset: left.offset };
  return { text, faults: fault === undefined ? [] : [fault] };
}

interface Bracket {
  readonly mark: string;
  readonly offset: number;
}

/** Tracks a bracket; reports an unmatched closing one. */
function bracketFault(open: Bracket[], { mark, offset }: Bracket): CodeFault | undefined {
  if (/^[([{]$/.test(mark)) open.push({ mark, offset });
  if (!/^[)\]}]$/.test(mark) || closing[open.pop()?.mark ?? ""] === mark) return undefined;
  return { message: `There is no bracket that this \`${mark}\` closes.`, offset };
}

const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Keeps the length on one line: a string stays a value, a comment becomes spaces. */
const blankOf = (part: string) =>
  (part.startsWith("#") ? " " : "_").padEnd(part.length, part.startsWith("#") ? " " : "_");

function importFaults(text: string, allowed: readonly string[]): CodeFault[] {
  const faults: CodeFault[] = [];
  for (const match of text.matchAll(
    /(?:^|[;:\n])[ \t]*(?:import[ \t]+([^\n;]+)|from[ \t]+([\w.]+)[ \t]+import\b)/g,
  )) {
    const [whole, list, from] = match;
    const modules =
      from === undefined ? (list ?? "").split(",").map((it) => it.trim().split(/\s+/)[0] ?? "") : [from];
    for (const module of modules.filter((it) => !mayImport(it, allowed))) {
      faults.push({
        message: `The code may not import \`${module}\`.`,
        offset: match.index + whole.search(/[a-z]/),
        hint: `It may import ${allowed.join(", ")}.`,
      });
    }
  }
  return faults;
}

function mayImport(module: string, allowed: readonly string[]): boolean {
  if (neverImported.includes(module.split(".")[0] ?? "")) return false;
  return allowed.some((name) => module === name || module.startsWith(`${name}.`));
}

function callFaults(text: string): CodeFault[] {
  const calls = new RegExp(`(?<![\\w.])(?:${refusedCalls.join("|")})(?=[ \\t]*\\()`, "g");
  const called = [...text.matchAll(calls)].map(({ 0: name, index }) => ({
    message: `The code may not call \`${name}\`.`,
    offset: index,
  }));
  const hidden = [...text.matchAll(/\.[ \t]*(__\w+__)|(?<!\w)__(?:builtins|loader|spec)__/g)].map(
    ({ 0: whole, 1: name = whole, index }) => ({
      message: `The code may not use \`${name}\`.`,
      offset: index,
    }),
  );
  return [...called, ...hidden];
}

const opener =
  /^(?:async[ \t]+)?(?:def|class|if|elif|else|for|while|try|except|finally|with)\b(?![ \t]*[=.,)\]])/;

/** Lines with impossible indentation. */
function layoutFaults(text: string): CodeFault[] {
  const depths = [0];
  let opens = false;
  let offset = 0;
  let continues = false;
  for (const line of text.split("\n")) {
    const at = offset;
    offset += line.length + 1;
    const body = line.trim();
    const isPart = continues;
    continues = body.endsWith("\\");
    if (body === "" || isPart) continue;
    const depth = (/^[ \t]*/.exec(line)?.[0] ?? "").replaceAll("\t", "        ").length;
    const fault = misplaced(depth, { depths, opens });
    if (fault !== undefined) return [{ message: fault, offset: at + line.length - line.trimStart().length }];
    if (opener.test(body) && !continues && !body.includes(":")) {
      return [{ message: "A `:` is missing at the end of this line.", offset: at + line.indexOf(body) }];
    }
    opens = body.endsWith(":");
  }
  return opens ? [{ message: "The code ends where a block of lines must follow.", offset: text.length }] : [];
}

function misplaced(
  depth: number,
  { depths, opens }: { readonly depths: number[]; readonly opens: boolean },
): string | undefined {
  const top = depths.at(-1) ?? 0;
  if (opens && depth <= top) return "This line must be indented: it belongs to the one before.";
  if (!opens && depth > top) return "Unexpected indentation: no line before this one opens a block.";
  if (depth > top) depths.push(depth);
  while (depth < (depths.at(-1) ?? 0)) depths.pop();
  return depth === depths.at(-1) ? undefined : "This indentation matches no line before it.";
}
