import { expect, test } from "vitest";
import { agentNames } from "../../src/agents/index.ts";
import { compile } from "../../src/compile/compile.ts";
import { remedies } from "../../src/compile/remedies.ts";
import { diagnosticCodes } from "../../src/plan/diagnostic.ts";

const files: Readonly<Record<string, string>> = {
  native: `name: w
interactive: true
nodes:
  - id: a
    prompt: Do it
    retry: {max_attempts: 2}
  - id: b
    depends_on: [a]
    when: "$a.output == 'x'"
    timeout: 5m
    bash: echo $a.output
  - id: l
    depends_on: [b]
    loop:
      prompt: Fix
      until_bash: npm test
      max_iterations: 3
  - id: g
    depends_on: [l]
    approval: {message: Well?}
`,
  steps: `name: w
agents:
  c:
    description: d
    tools: [read]
    temperature: 0.2
steps:
  - id: a
    agent: c
    instructions: go
    timeout: 5m
  - id: b
    dependsOn: [a]
    condition: "steps.a.status == 'completed'"
    loop:
      maxIterations: 3
      until: "steps.b.content == 'x'"
options:
  maxConcurrency: 2
`,
  blocks: `id: w
kind: workflow
version: "1.0"
blocks:
  a:
    type: linear
    soul_ref: s
    timeout_seconds: 30
  b:
    type: loop
    inner_block_refs: [a]
    max_rounds: 3
souls:
  s: {id: s, kind: soul, name: n, role: r, system_prompt: x}
workflow:
  name: w
  entry: b
`,
  loops: `$schema: workflow/v2.0
name: w
execution:
  provider: anthropic
steps:
  - name: a
    run: Do it
    timeout: 30s
  - name: b
    needs: [a]
    run: 'Use {{a}}'
loops:
  - name: l
    workflow: w2
    max_iterations: 3
    until: done
`,
};

const values = [
  ...[
    "",
    "~",
    "[]",
    "{}",
    "yes",
    "off",
    "0o17",
    "017",
    "1e999",
    ".nan",
    "2026-11-24",
    "12:30:45",
    "-1",
    "0",
    "1.5",
  ],
  ...[
    "!!binary aGk=",
    "!custom x",
    '"\\u0000"',
    "'C:\\dir\\x'",
    '"C:\\dir"',
    "ünïcödé",
    "🐢",
    '"5"',
    "'true'",
    "[1, 2]",
  ],
  ...[
    "{a: 1}",
    "&x y",
    "*nope",
    "<<",
    "|",
    "'",
    '"',
    "`",
    "@x",
    "%x",
    "$(id)",
    "../../etc/passwd",
    "__proto__",
    "x".repeat(5000),
  ],
];

const wholes: Readonly<Record<string, (text: string) => string>> = {
  "a byte order mark": (text) => `\ufeff${text}`,
  "line ends of Windows": (text) => text.replaceAll("\n", "\r\n"),
  tabs: (text) => text.replaceAll("  ", "\t"),
  "a second document": (text) => `${text}---\n${text}`,
  "half of it": (text) => text.slice(0, text.length / 2),
  "twice itself": (text) => text + text,
  "a NUL": (text) => `${text}\0`,
  "a merge": (text) => `${text}x: &m {a: 1}\ny:\n  <<: *m\n`,
  "an alias of itself": (text) => `${text}z: &z [*z]\n`,
  "deep lists": (text) => `${text}z: ${"[".repeat(300)}${"]".repeat(300)}\n`,
  "a mebibyte": (text) => `${text}#${"x".repeat(1 << 20)}\n`,
};

function* oddFiles(text: string): Generator<readonly [string, string]> {
  for (const [name, change] of Object.entries(wholes)) yield [name, change(text)];
  const lines = text.split("\n");
  const changed = (index: number, ...now: readonly string[]) => lines.toSpliced(index, 1, ...now).join("\n");
  let next = 0;
  for (const [index, line] of lines.entries()) {
    const [, before = "", key = "", value = ""] = /^(\s*(?:- )?)([\w$]+):(.*)$/.exec(line) ?? [];
    if (key === "") continue;
    yield [`${key} misspelt in line ${index}`, changed(index, `${before}${key}x:${value}`)];
    yield [`no ${key} in line ${index}`, changed(index)];
    yield [`${key} twice in line ${index}`, changed(index, line, line.replace("- ", "  "))];
    for (let count = 0; count < 3; count++) {
      const odd = values[next++ % values.length] ?? "";
      yield [`${key}: ${odd.slice(0, 20)} in line ${index}`, changed(index, `${before}${key}: ${odd}`)];
    }
  }
}

test.each(Object.keys(files))(
  "an odd file of %s crashes nothing, and each error has its place and remedy",
  (name) => {
    const text = files[name] ?? "";
    const wrong: string[] = [];
    let count = 0;
    for (const [what, odd] of oddFiles(text)) {
      count++;
      const it = compile(
        { text: odd, file: "w.yml" },
        { agents: agentNames, command: () => undefined, workflow: () => undefined },
      );
      const diagnostics = it.ok ? it.warnings : it.diagnostics;
      if (!it.ok && diagnostics.length === 0) wrong.push(`${what}: refused without a word`);
      for (const { line, column, hint, message, warning } of diagnostics) {
        const isPlaced = line >= 1 && column >= 1 && line <= odd.split(/\r\n?|\n/).length;
        if (!isPlaced || (!warning && !hint)) wrong.push(`${what}: ${line}:${column} ${message}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(60);
  },
);

test.each([
  ["native", "name: w\nnodes:\n  - id: a\n    loop:\n      for_each: [x, .nan]\n      prompt: p\n"],
  ["steps", "name: w\nsteps:\n  - id: a\n    loop:\n      forEach: [x, .nan]\n"],
])("an item of %s that JSON cannot hold is an error with a place", (_, text) => {
  const it = compile(
    { text, file: "w.yml" },
    { agents: agentNames, command: () => undefined, workflow: () => undefined },
  );
  const diagnostics = it.ok ? [] : it.diagnostics.filter(({ warning }) => !warning);
  expect(diagnostics.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
    expect.stringMatching(/^5:\d+ A number must be finite\.$/),
  ]);
});

test("each code has a remedy", () => {
  expect(Object.keys(remedies).toSorted()).toEqual([...diagnosticCodes].toSorted());
  for (const remedy of Object.values(remedies)) expect(remedy).toMatch(/^[A-Zd].*\.$/);
});
