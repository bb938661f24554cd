import { data, Evaluator, Lexer, Parser } from "@actions/expressions";

/** The scope of expressions: contexts by name, and whether all steps so far succeeded. */
export interface Sight {
  readonly contexts: Readonly<Record<string, unknown>>;
  readonly ok: boolean;
}

/** A text with each `${{ … }}` in it replaced by its value. */
export function interpolate(text: string, sight: Sight): string {
  let out = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf("${{", at);
    if (start < 0) return out + text.slice(at);
    const end = endOf(text, start + 3);
    out += text.slice(at, start) + evaluate(text.slice(start + 3, end), sight).coerceString();
    at = end + 2;
  }
}

/** The same for every value of a mapping. */
export function interpolateAll(
  texts: Readonly<Record<string, string>>,
  sight: Sight,
): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, interpolate(text, sight)]));
}

/** Evaluates an `if`; without a status function, it is true only if all steps so far succeeded. */
export function holds(condition: string | undefined, sight: Sight): boolean {
  const source = bare(condition ?? "");
  if (source === "") return sight.ok;
  const asksStatus = /\b(?:success|failure|always|cancelled)\s*\(/i.test(withoutTexts(source));
  return (asksStatus || sight.ok) && isTrue(evaluate(source, sight));
}

const everywhere = ["github", "inputs", "steps", "env", "runner", "job", "strategy", "matrix"];

/** Available only in jobs of a workflow; an action that uses them is refused. */
const inJobs = ["needs", "secrets", "vars"];

function evaluate(source: string, { contexts, ok }: Sight): data.ExpressionData {
  const functions = [
    status("success", ok),
    status("failure", !ok),
    status("always", true),
    status("cancelled", false),
  ];
  const contextNames = [...everywhere, ...inJobs.filter((name) => contexts[name] !== undefined)];
  const tree = new Parser(lex(source), contextNames, functions).parse();
  const known = Object.fromEntries(contextNames.map((name) => [name, contexts[name] ?? {}]));
  const values = revive(known);
  if (!(values instanceof data.Dictionary)) throw new Error("contexts are a mapping");
  return new Evaluator(tree, values, new Map(functions.map((each) => [each.name, each]))).evaluate();
}

/** GitHub's lexer unescapes only the first `''` of a text; its runner unescapes all. */
function lex(source: string) {
  return new Lexer(source.trim())
    .lex()
    .tokens.map((token) =>
      token.lexeme.startsWith("'")
        ? { ...token, value: token.lexeme.slice(1, -1).replaceAll("''", "'") }
        : token,
    );
}

const status = (name: string, value: boolean) => ({
  name,
  minArgs: 0,
  maxArgs: 0,
  call: () => new data.BooleanData(value),
});

const revive = (value: unknown): data.ExpressionData => JSON.parse(JSON.stringify(value), data.reviver);

function isTrue(value: data.ExpressionData): boolean {
  if (value instanceof data.StringData) return value.value !== "";
  if (value instanceof data.BooleanData) return value.value;
  if (value instanceof data.NumberData) return value.value !== 0 && !Number.isNaN(value.value);
  return !(value instanceof data.Null);
}

/** An `if` may be written with or without braces. */
function bare(condition: string): string {
  const source = condition.trim();
  const isWrapped = source.startsWith("${{") && endOf(source, 3) === source.length - 2;
  return isWrapped ? source.slice(3, -2).trim() : source.includes("${{") ? asText(source) : source;
}

/** With text around the braces, GitHub converts the whole to a `format` call, which is true unless empty. */
function asText(source: string): string {
  return `'${source.replaceAll("'", "''")}'`;
}

const withoutTexts = (source: string) => source.replace(/'(?:[^']|'')*'/g, "''");

/** The position of the `}}` that closes an expression; braces inside strings do not count. */
function endOf(text: string, from: number): number {
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "'") quoted = !quoted;
    else if (!quoted && text.startsWith("}}", at)) return at;
  }
  throw new Error(`an expression is not closed: ${text.slice(from - 3, from + 40)}`);
}
