import type { CodeFault } from "./python.ts";

const refused =
  /(?<![\w$.])(?:require|process|eval|Function|globalThis|global|import|module|exports)(?![\w$])|\.\s*(?:constructor|__proto__)(?![\w$])/g;
const stringOrComment = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/g;

/** Static checks of a program in JavaScript. */
export function checkJavascript(code: string): readonly CodeFault[] {
  const fault = syntaxFault(code);
  if (fault !== undefined) return [{ message: `The code does not parse: ${fault}.`, offset: 0 }];
  const text = code.replaceAll(stringOrComment, (part) => " ".repeat(part.length));
  const faults: CodeFault[] = [...text.matchAll(refused)].map(({ 0: name, index }) => ({
    message: `The code may not use \`${name.replace(/^\.\s*/, "")}\`.`,
    offset: index,
  }));
  if (!/(?<![\w$.])(?:function|const|let|var)\s+main(?![\w$])/.test(text)) {
    faults.push({
      message: "The code defines no `main(data)`.",
      offset: 0,
      hint: "Write function main(data) { … }.",
    });
  }
  return faults;
}

/** Only parses: creating a function without calling it runs nothing. */
function syntaxFault(code: string): string | undefined {
  try {
    new Function(code);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
