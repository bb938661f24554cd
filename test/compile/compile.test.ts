import { expect, test } from "vitest";
import { agentNames } from "../../src/agents/index.ts";
import { compile } from "../../src/compile/compile.ts";
import type { Files } from "../../src/dialects/dialect.ts";

const call = (name: string) => `name: ${name}\nnodes:\n  - {id: call, workflow: ${name}}\n`;

/** Workflows by name; each stands in a file of its name. */
const filesOf = (texts: Readonly<Record<string, string>>): Files => ({
  agents: agentNames,
  command: () => undefined,
  workflow: (name) =>
    Object.hasOwn(texts, name) ? { file: `${name}.yml`, text: texts[name] ?? "" } : undefined,
});

const diagnosticsOf = (text: string, texts: Readonly<Record<string, string>> = {}) => {
  const compiled = compile({ text, file: "main.yml" }, filesOf(texts));
  const all = compiled.ok ? compiled.warnings : compiled.diagnostics;
  return all.map(({ code, file, line, column }) => `${code} ${file}:${line}:${column}`);
};

test.each([
  ["name: x\n", "UNKNOWN_DIALECT main.yml:1:1"],
  ["- just\n- a list\n", "BAD_VALUE main.yml:1:1"],
  ["only text", "BAD_VALUE main.yml:1:1"],
])("%j is no workflow", (text, expected) => expect(diagnosticsOf(text)).toEqual([expected]));

test("a file of no language says by what keys they are known", () => {
  const compiled = compile({ text: "name: x\ntasks: {}\n", file: "w.yml" }, filesOf({}));
  expect(compiled.ok ? "" : compiled.diagnostics[0]?.hint).toContain("`blocks:`");
});

test("a called workflow is whole in the plan, and its own calls in it", () => {
  const leaf = "name: leaf\nnodes:\n  - {id: a, bash: ls}\n";
  const compiled = compile(
    { text: call("middle"), file: "main.yml" },
    filesOf({ middle: call("leaf"), leaf }),
  );
  expect(compiled).toMatchObject({
    ok: true,
    dialect: "native",
    plan: { workflows: { middle: { name: "leaf", workflows: { leaf: { name: "leaf", workflows: {} } } } } },
  });
});

test("workflows that call each other are refused where the circle closes", () => {
  expect(diagnosticsOf(call("b"), { b: call("c"), c: call("b") })).toEqual(["CALL_CYCLE c.yml:3:26"]);
});

test("a workflow that calls itself is refused", () => {
  expect(diagnosticsOf(call("main"), { main: call("main") })).toEqual(["CALL_CYCLE main.yml:3:26"]);
});

test("a call of an unknown workflow is reported with the folders searched", () => {
  const compiled = compile({ text: call("nobody"), file: "main.yml" }, filesOf({}));
  expect(compiled).toMatchObject({ ok: false, diagnostics: [{ code: "UNKNOWN_WORKFLOW", line: 3 }] });
  expect(compiled.ok ? "" : compiled.diagnostics[0]?.hint).toContain(".github/loops/");
});

test("calls more than five deep are refused", () => {
  const chain = Object.fromEntries(
    ["b", "c", "d", "e", "f"].map((name, index) => [name, call("cdefg"[index] ?? "")]),
  );
  expect(diagnosticsOf(call("b"), { ...chain, g: call("nobody") })).toEqual(["LIMIT f.yml:3:26"]);
});

test("an error in a called workflow is reported once, with its own file", () => {
  const text =
    "name: x\nnodes:\n  - {id: a, workflow: bad}\n  - {id: b, loop: {for_each: [1], workflow: bad}}\n";
  expect(diagnosticsOf(text, { bad: "name: bad\nnodes: []\n" })).toEqual(["NO_NODES bad.yml:2:8"]);
});

test("errors and warnings come together, in the order of the file", () => {
  const text =
    "name: x\ntags: [a]\nname: y\nnodes:\n  - {id: a, prompt: $nobody, output_type: x}\n  - {id: b}\n";
  expect(diagnosticsOf(text)).toEqual([
    "IGNORED_FIELD main.yml:2:1",
    "DUPLICATE_KEY main.yml:3:1",
    "UNKNOWN_REFERENCE main.yml:5:21",
    "IGNORED_FIELD main.yml:5:30",
    "ONE_KIND main.yml:6:5",
  ]);
});

test("warnings do not keep a file from its plan", () => {
  const compiled = compile(
    { text: "name: x\ntags: []\nnodes:\n  - {id: a, bash: ls}\n", file: "w.yml" },
    filesOf({}),
  );
  expect(compiled).toMatchObject({ ok: true, warnings: [{ code: "IGNORED_FIELD", warning: true }] });
});

test("ten thousand nodes in a row compile", { timeout: 60_000 }, () => {
  const nodes = Array.from({ length: 10_000 }, (_, index) => {
    const after = index === 0 ? "" : `    depends_on: [n${index - 1}]\n`;
    return `  - id: n${index}\n    bash: echo ${index === 0 ? "" : `$n${index - 1}.output $n0.output`}\n${after}`;
  });
  expect(compile({ text: `name: big\nnodes:\n${nodes.join("")}`, file: "w.yml" }, filesOf({})).ok).toBe(true);
});
