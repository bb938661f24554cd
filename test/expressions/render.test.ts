import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { parseText } from "../../src/expressions/dollar-template.ts";
import { renderText } from "../../src/expressions/render.ts";
import { UnresolvedError } from "../../src/expressions/scope.ts";
import { type Known, scopeOf } from "./scope-of.ts";

const render = (source: string, known: Known, encode?: "plain" | "json") =>
  renderText(parseText(source).text, scopeOf(known), encode);

describe("a text", () => {
  test("takes values literally, whatever they look like", () => {
    const value = "$& $$ $' $1 $USER_MESSAGE $a.output \\n";
    expect(render("<$ARGUMENTS|$a.output>", { values: { ARGUMENTS: value }, outputs: { a: value } })).toBe(
      `<${value}|${value}>`,
    );
  });

  test("says which reference has no value", () => {
    expect(() => render("$gone.output", {})).toThrow(UnresolvedError);
  });
});

const hostile = `it's "x" \`y\` \${process.exit(9)} \\ \u2028 \n"""); process.exit(9) // 😀 #{}`;

describe("a program's source", () => {
  test.each([
    "console.log(JSON.stringify($a.output))",
    'console.log(JSON.stringify("$a.output"))',
    "console.log(JSON.stringify('$a.output'))",
    "console.log(JSON.stringify(`$a.output`))",
    "console.log(JSON.stringify(String.raw`$a.output`))",
    "// don't mind $a.output\nconsole.log(JSON.stringify('$a.output'))",
    "const o = { s: '$a.output' }; console.log(JSON.stringify(`${o.s}`))",
    "console.log(JSON.stringify(`${$a.output}`))",
    "console.log(JSON.stringify([`<$a.output>`, '<$a.output>', \"<$a.output>\"][1].slice(1, -1)))",
    "console.log(JSON.stringify(`<$a.output>`.slice(1, -1)))",
    "class A { #x = 1; y = '$a.output' } console.log(JSON.stringify(new A().y))",
  ])("in JavaScript, %j gets the value byte for byte", (source) => {
    const program = render(source, { outputs: { a: hostile } }, "json");
    const output = execFileSync(process.execPath, ["-e", program], { encoding: "utf8" });
    expect(JSON.parse(output)).toBe(hostile);
  });

  test("gets data as a literal outside of quotes", () => {
    const data = { n: 1, list: [true, null, "it's"] };
    const program = render("console.log(JSON.stringify($a.output))", { outputs: { a: data } }, "json");
    expect(JSON.parse(execFileSync(process.execPath, ["-e", program], { encoding: "utf8" }))).toEqual(data);
  });

  test("gets what a person wrote as text, even if it looks like data", () => {
    expect(render("f($ARGUMENTS)", { values: { ARGUMENTS: "12" } }, "json")).toBe('f("12")');
  });

  test("loses the quotes around a lone reference", () => {
    expect(render("f('$a.output', \"$a.output\", `$a.output`)", { outputs: { a: "x" } }, "json")).toBe(
      'f("x", "x", "x")',
    );
  });

  test("gets the inside of a string within a string", () => {
    expect(render('"$a.output$a.output: $a.output"', { outputs: { a: "a'b" } }, "json")).toBe(
      '"a\\u0027ba\\u0027b: a\\u0027b"',
    );
  });

  test("follows Python's strings of three quotes", () => {
    expect(
      render(`x = """say "$a.output" $a.output"""\ny = r'$a.output'`, { outputs: { a: 'a"' } }, "json"),
    ).toBe(`x = """say "a\\u0022" a\\u0022"""\ny = "a\\u0022"`);
  });
});
