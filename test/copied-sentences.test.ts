import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Comments, so that nothing in them counts, and the three kinds of literals. */
const tokens =
  /\/\*[\s\S]*?\*\/|(?<![:"'`\w])\/\/[^\n]*|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\[\s\S])*)`/g;

/** The texts of a file's literals; those of a template are the parts between its values. */
const literalsIn = (file: string): readonly string[] =>
  [...readFileSync(file, "utf8").matchAll(tokens)].flatMap(([, double, single, template]) => {
    const text = double ?? single;
    const parts = text === undefined ? (template?.split(/\$\{[^{}]*\}/) ?? []) : [text];
    return parts.map((part) => part.replace(/\\(["'`])/g, "$1").trim());
  });

/** Shorter texts are alike by chance. */
const isSentence = (text: string) => text.split(/\s+/).filter((word) => /[a-z]{2}/i.test(word)).length >= 5;

const sentencesIn = (pattern: string) =>
  globSync(pattern).map((file) => ({ file, sentences: new Set(literalsIn(file).filter(isSentence)) }));

test("a sentence of the program is copied into one test file at most; others import it", () => {
  const program = sentencesIn("{src,action,app}/**/*.ts").flatMap(({ sentences }) => [...sentences]);
  expect(program.length).toBeGreaterThan(1_000);
  const said = program.join("\0");
  const copies = new Map<string, string[]>();
  for (const { file, sentences } of sentencesIn("test/**/*.ts"))
    for (const sentence of sentences)
      if (said.includes(sentence)) copies.set(sentence, [...(copies.get(sentence) ?? []), file]);
  expect([...copies].filter(([, files]) => files.length > 1)).toEqual([]);
});
