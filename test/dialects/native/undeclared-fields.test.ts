import { expect, test } from "vitest";
import { diagnosticsOf, noFiles } from "./files.ts";

const archons = { ...noFiles, isArchons: true };
const commands = { ...noFiles, command: () => "Fix $a.output.gone." };

/** A node `a` with this format, then another one. */
const file = (format: string, reader: string) =>
  `name: w\ninteractive: true\nnodes:\n  - {id: a, prompt: p, output_format: ${format}}\n  - ${reader}\n`;
const declared = "properties: {kept: {type: string}}";
const closed = ["{PROPS}", "{type: object, PROPS, additionalProperties: false}"].map((format) =>
  format.replace("PROPS", declared),
);

const readers = [
  ["a prompt", '{id: b, depends_on: [a], prompt: "$a.output.gone"}'],
  ["a shell text", '{id: b, depends_on: [a], bash: "echo $a.output.gone"}'],
  ["a script", '{id: b, depends_on: [a], runtime: node, script: "log($a.output.gone)"}'],
  ["a condition", "{id: b, depends_on: [a], bash: b, when: \"$a.output.gone == 'x'\"}"],
  ["a question", '{id: b, depends_on: [a], approval: {message: "$a.output.gone?"}}'],
  ["a list of items", '{id: b, depends_on: [a], loop: {prompt: p, for_each: "$a.output.gone"}}'],
  [
    "a loop's check",
    '{id: b, depends_on: [a], loop: {prompt: p, until_bash: "$a.output.gone", max_iterations: 2}}',
  ],
  [
    "a loop's expression",
    "{id: b, depends_on: [a], loop: {prompt: p, until_expr: \"$a.output.gone == 'x'\", max_iterations: 2}}",
  ],
] as const;

test.each(closed.flatMap((format) => readers.map((row) => [...row, format] as const)))(
  "%s that reads an undeclared field is an error",
  (_, reader, format) => {
    const unknown = [expect.stringMatching(/^UNKNOWN_REFERENCE 5:\d+$/)];
    expect(diagnosticsOf(file(format, reader))).toEqual(unknown);
    expect(diagnosticsOf(file(format, reader), archons)).toEqual(unknown);
    expect(diagnosticsOf(file(format, reader.replaceAll("gone", "kept")))).toEqual([]);
  },
);

test("a command file that reads an undeclared field is an error", () => {
  const text = file(`{${declared}}`, "{id: b, depends_on: [a], command: c}");
  expect(diagnosticsOf(text, commands)).toEqual([expect.stringMatching(/^UNKNOWN_REFERENCE 5:\d+$/)]);
  expect(diagnosticsOf(text, { ...commands, isArchons: true })).toEqual([
    expect.stringMatching(/^UNKNOWN_REFERENCE 5:\d+$/),
  ]);
});

const body = (format: string, more: string) =>
  `name: w\nnodes:\n  - id: l\n    loop:\n      max_iterations: 2\n      nodes:\n        - {id: a, prompt: p, output_format: ${format}${more}\n`;

test.each([
  ["a stop", `}\n      until_bash: "$a.output.gone"`],
  ["a later node", `}\n        - {id: b, depends_on: [a], bash: "$a.output.gone"}\n      until_bash: t`],
  ["the next iteration", `}\n        - {id: b, prompt: "$LOOP_PREV.a.output.gone"}\n      until_bash: t`],
])("%s of a loop that reads an undeclared field of its body is an error", (_, more) => {
  expect(diagnosticsOf(body(`{${declared}}`, more))).toEqual([expect.stringMatching(/^UNKNOWN_REFERENCE /)]);
  expect(diagnosticsOf(body(`{${declared}}`, more.replaceAll("gone", "kept")))).toEqual([]);
});

test.each([
  ["~UNKNOWN_REFERENCE", `{${declared}, additionalProperties: true}`],
  ["~UNKNOWN_REFERENCE", `{${declared}, additionalProperties: {type: string}}`],
  ["~UNKNOWN_REFERENCE", `{${declared}, patternProperties: {".*": {}}}`],
  ["nothing", `{${declared}, anyOf: [{properties: {gone: {}}}]}`],
  ["nothing", "{type: object}"],
])("it says %s of a schema that allows other fields: %s", (code, format) => {
  for (const [, reader] of readers)
    expect(diagnosticsOf(file(format, reader)).join().replace(/ .*/, "") || "nothing").toBe(code);
});
