import { expect, test, vi } from "vitest";
import { blocksFile, diagnosticsOf, run } from "./files.ts";

// Python starts slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/** A block of code, whose text begins on line 6 at column 7. */
const code = (...lines: readonly string[]) =>
  `workflow: { name: w, entry: a }\nblocks:\n  a:\n    type: code\n    code: |\n${lines.map((line) => `      ${line}\n`).join("")}`;

const main = "def main(data):";

test.each([
  ["no main", code("x = 1"), ["CODE_REJECTED 6:7"]],
  ["a main that is indented", code("class A:", "  def main(data):", "    return 1"), ["CODE_REJECTED 6:7"]],
  [
    "forbidden modules",
    code("import os, json", "from subprocess import run", main, "    import sys; return 1"),
    ["CODE_REJECTED 6:7", "CODE_REJECTED 7:7", "CODE_REJECTED 9:11"],
  ],
  ["modules nobody allowed", code("import numpy as np", main, "    return 1"), ["CODE_REJECTED 6:7"]],
  [
    "forbidden calls",
    code(main, "    return open('x').read() + eval('1')"),
    ["CODE_REJECTED 7:18", "CODE_REJECTED 7:37"],
  ],
  [
    "a way into the interpreter",
    code(main, "    return ().__class__.__bases__"),
    ["CODE_REJECTED 7:20", "CODE_REJECTED 7:30"],
  ],
  ["a string that is not closed", code(main, "    return 'x"), ["CODE_REJECTED 7:18"]],
  ["a bracket that is not closed", code(main, "    return (1"), ["CODE_REJECTED 7:18"]],
  ["a bracket too many", code(main, "    return 1)"), ["CODE_REJECTED 7:19"]],
  ["indentation that was lost", code(main, "return 1"), ["CODE_REJECTED 7:7"]],
  ["a colon that is missing", code("def main(data)", "    return 1"), ["CODE_REJECTED 6:7"]],
  ["no code", blocksFile({ entry: "a" }, "  a: { type: code }"), ["BAD_VALUE 3:3"]],
  [
    "JavaScript that does not parse",
    code("function main(data { }").replace("    code", "    language: javascript\n    code"),
    ["CODE_REJECTED 7:7"],
  ],
  [
    "JavaScript that reaches out",
    code("function main() { return require('fs'); }").replace(
      "    code",
      "    language: javascript\n    code",
    ),
    ["CODE_REJECTED 7:32"],
  ],
  [
    "JavaScript without main",
    code("const x = 1;").replace("    code", "    language: javascript\n    code"),
    ["CODE_REJECTED 7:7"],
  ],
])("code with %s is rejected", (_, text, expected) => {
  expect(diagnosticsOf(text)).toEqual(expected);
});

test.each([
  [
    "strings and comments that look like more",
    code(
      "import json, re  # import os",
      main,
      "    '''eval(1)",
      "    import os'''",
      '    text = "open(" + f\'{data["a"]}\'',
      "    return re.compile('(').pattern, text,",
    ),
  ],
  [
    "lines that go on",
    code(
      main,
      "    if (data and",
      "  data):",
      "        return {",
      "    'a': 1,",
      "    }",
      "    return 1 + \\",
      "  2",
    ),
  ],
  [
    "its own modules",
    code("import statistics", main, "    return 1").replace(
      "    code",
      "    allowed_imports: [statistics]\n    code",
    ),
  ],
  [
    "main among others",
    code(
      "@staticmethod",
      "def help(x): return x",
      "",
      main,
      "    try:",
      "        return help(1)",
      "    except ValueError as e:",
      "        return str(e)",
      "    else:",
      "        pass",
    ),
  ],
  [
    "JavaScript",
    code("// require", "const main = async (data) => ({ a: data['process'] });").replace(
      "    code",
      "    language: javascript\n    code",
    ),
  ],
])("code with %s is let pass", (_, text) => {
  expect(diagnosticsOf(text)).toEqual([]);
});

/** How a block of code ended, whose `main` has this body. */
async function endOf(...lines: readonly string[]) {
  const it = await run(code("import json, time, re", main, ...lines.map((line) => `    ${line}`)), () => "");
  const { status, output, exit } = it.of("node.ended").at(-1) ?? {};
  return { status, output, ...(exit === undefined ? {} : { exit }) };
}

test.each([
  ["a mapping is JSON", ["return {'a': 1, 'ü': [True, None]}"], { output: '{"a": 1, "ü": [true, null]}' }],
  ["text is as it is", ["return 'plain: 😀'"], { output: "plain: 😀" }],
  ["an exit is taken out", ["return {'exit_handle': 'ok', 'a': 1}"], { output: '{"a": 1}', exit: "ok" }],
  ["an empty exit is none", ["return {'exit_handle': '', 'a': 1}"], { output: '{"a": 1}' }],
  ["an exit that is no text is data", ["return {'exit_handle': 3}"], { output: '{"exit_handle": 3}' }],
  ["an exception is an exit", ["raise ValueError('no')"], { output: "Error: ValueError: no", exit: "error" }],
  ["what is printed is in nobody's way", ["print('noise')", "return 'x'"], { output: "x" }],
  ["nothing is null", ["pass"], { output: "null" }],
  [
    "what is no JSON is told",
    ["return {1j}"],
    { output: expect.stringMatching(/^Error: the result is no JSON/) },
  ],
  [
    "too much is told",
    ["return 'x' * 300000"],
    { output: expect.stringMatching(/^Error: .*too long/), exit: "error" },
  ],
])("what main gives: %s", async (_, lines, end) => {
  expect(await endOf(...lines)).toEqual({ status: "completed", ...end });
});

test("code that passes the static checks is still checked by Python itself", async () => {
  const it = await run(code(main, "    x = data", "    return [x", "      for x in 1 2]"), () => "");
  expect(it.end()).toMatchObject({
    conclusion: "failure",
    because: expect.stringContaining("CODE_REJECTED line 4"),
  });
});

test("code that takes too long fails, and its error route may take that", async () => {
  const file = code("import time", main, "    time.sleep(60)").replace(
    "    code",
    "    timeout_seconds: 1\n    code",
  );
  expect((await run(file, () => "")).end()).toMatchObject({ conclusion: "failure", stop_reason: "timeout" });
});

const reads =
  "return [data.get(name) for name in ('x', 'first', 'topic')] + sorted(data['results']) + sorted(data['shared_memory'])";

test("code reads what it declares before results, those before the memory, and all of both by name", async () => {
  const it = await run(
    [
      "workflow: { name: w, entry: first, transitions: [{ from: first, to: a }] }",
      "interface: { inputs: [{ name: topic, default: cats }] }",
      "blocks:",
      "  first: { type: loop, inner_block_refs: [x], max_rounds: 1 }",
      "  x: { type: linear, soul_ref: writer }",
      "  a:",
      "    type: code",
      "    inputs: { x: { from: first_round } }",
      "    code: |",
      "      def main(data):",
      `          ${reads}`,
      "",
    ].join("\n"),
    () => "said",
    {},
    { inputs: { topic: "cats" } },
  );
  expect(it.end()?.output).toBe(
    '[1, "completed_1_rounds", "cats", "first", "x", "__loop__first", "first_round", "topic"]',
  );
});

test("JavaScript does the same", async () => {
  const js = (body: string) =>
    blocksFile(
      { entry: "a", transitions: "[{ from: a, to: b }]" },
      "  a: { type: linear, soul_ref: writer }",
      "  b:",
      "    type: code",
      "    language: javascript",
      "    code: |",
      `      function main(data) { console.log("noise"); ${body} }`,
    );
  const ended = async (body: string) => (await run(js(body), () => "said")).of("node.ended").at(-1);
  expect(await ended("return { a: data.a, exit_handle: 'ok' };")).toMatchObject({
    output: '{"a":"said"}',
    exit: "ok",
  });
  expect(await ended("throw new TypeError('no');")).toMatchObject({
    output: "Error: TypeError: no",
    exit: "error",
  });
});

test("data of any size reaches the code", async () => {
  const big = "ü".repeat(100_000);
  const file = blocksFile(
    { entry: "x", transitions: "[{ from: x, to: a }]" },
    "  x: { type: linear, soul_ref: writer }",
    "  a: { type: code, code: 'def main(data): return len(data[\"x\"])' }",
  );
  expect((await run(file, () => big)).end()?.output).toBe("100000");
});
