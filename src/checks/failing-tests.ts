import { withoutColour } from "./colours.ts";
import { markedOutputs } from "./inventory/prefixes.ts";
import { tools } from "./tools/index.ts";
import { type Failing, nearby, type PrintedTest } from "./tools/printed.ts";

/** A failing test. */
export interface FailingTest {
  readonly name: string;
  /** Why it failed, on one line, if the output says so: usually the failed assertion. */
  readonly message?: string;
}

const formats: readonly Failing[] = tools
  .flatMap(({ failing = [] }) => failing)
  .map((one) => (one instanceof RegExp ? { name: one } : one));

/** The failing tests in a check's output, at most 20; empty if the tool's format is not known. */
export function failingTests(output: string): readonly FailingTest[] {
  const all = markedOutputs(withoutColour(output)).flatMap(({ label, output: text }) =>
    failingIn(text).map(({ name, ...test }) => ({
      name: label === "" ? name : `${name} (${label})`,
      ...test,
    })),
  );
  return [...new Map(all.map((test) => [test.name, test])).values()].slice(0, mostTests);
}

function failingIn(text: string): readonly FailingTest[] {
  for (const { name: pattern, onlyIf, message } of formats) {
    const found = onlyIf?.test(text) === false ? [] : [...text.matchAll(pattern)];
    if (found.length > 0) return uniqueTests(found, { text, message });
  }
  return [];
}

const mostTests = 20;
const longestName = 200;
const longestMessage = 300;

function uniqueTests(
  found: readonly RegExpExecArray[],
  { text, message }: { readonly text: string; readonly message: Failing["message"] },
): readonly FailingTest[] {
  const tests = new Map<string, string | undefined>();
  for (const { 0: line, 1: title = "", 2: rest = "", index } of found) {
    const name = cut(title.trim().replace(/\n\s*/g, " > "), longestName);
    if (tests.get(name) !== undefined || (tests.size === mostTests && !tests.has(name))) continue;
    const place: PrintedTest = {
      name: title.trim(),
      rest,
      text,
      before: () => text.slice(Math.max(0, index - nearby), index),
      after: () => text.slice(index + line.length + 1, index + line.length + 1 + nearby),
    };
    tests.set(name, onOneLine(message === undefined ? rest : message(place)));
  }
  return [...tests].map(([name, why]) => (why === undefined ? { name } : { name, message: why }));
}

function onOneLine(message = ""): string | undefined {
  const line = withoutDiff(message).replace(/\s+/g, " ").trim();
  return line ? cut(line.replace(/^AssertionError \[ERR_ASSERTION\]: /, ""), longestMessage) : undefined;
}

/** Of a diff by node:assert: `Expected values to be strictly equal: 1 instead of 2`. */
function withoutDiff(message: string): string {
  const [title = "", diff] = message.split(/^\s*\+ actual - expected$/m);
  if (diff === undefined) return message;
  const side = (sign: RegExp) => [...diff.matchAll(sign)].map(([, line = ""]) => line.trim()).join(" ");
  return `${title} ${side(/^\s*\+ (.*)$/gm)} instead of ${side(/^\s*- (.*)$/gm)}`;
}

const cut = (text: string, most: number) =>
  text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`.toWellFormed();
