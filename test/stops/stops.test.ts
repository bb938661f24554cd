import { describe, expect, test } from "vitest";
import { parseExpression } from "../../src/expressions/cel.ts";
import { parseText } from "../../src/expressions/dollar-template.ts";
import { parseShell } from "../../src/expressions/shell.ts";
import type { ShellAnswer } from "../../src/ports/shell.ts";
import { expression } from "../../src/stops/expression.ts";
import { failSignal } from "../../src/stops/fail-signal.ts";
import { field } from "../../src/stops/field.ts";
import { type StopSpec, stopSpec, stops } from "../../src/stops/index.ts";
import { judge, noVerdict } from "../../src/stops/judge.ts";
import { bash } from "../../src/stops/shell-check.ts";
import { signal } from "../../src/stops/signal.ts";
import { answer } from "../../src/stops/yes-no-question.ts";
import { iterationOf } from "./iteration-of.ts";

describe("a signal", () => {
  const spec = { kind: "signal", text: "DONE", form: "any" } as const;

  test("is done when the agent says it or calls it", () => {
    expect(signal.judge(spec, iterationOf("ok\nDONE"))).toEqual({
      verdict: "done",
      because: "the agent said DONE",
    });
    expect(signal.judge(spec, iterationOf("ok", { signals: ["done"] })).verdict).toBe("done");
    expect(signal.judge(spec, iterationOf("ok", { signals: ["OTHER"] }))).toEqual({
      verdict: "go-on",
      because: "no DONE yet",
    });
  });

  test("reads what the agent wrote, not what is left of it", () => {
    const iteration = iterationOf("<promise>DONE</promise>", { output: "" });
    expect(signal.judge({ ...spec, form: "tag" }, iteration).verdict).toBe("done");
  });

  test("gives up when it is the failing one", () => {
    const given = { kind: "fail-signal", text: "GAVE_UP", form: "any" } as const;
    expect(failSignal.judge(given, iterationOf("I GAVE_UP")).verdict).toBe("give-up");
    expect(failSignal.judge(given, iterationOf("I go on")).verdict).toBe("go-on");
  });
});

describe("a field", () => {
  const spec = { kind: "until-field", field: "done" } as const;

  test.each([
    [{ done: true }, "done", "done is true"],
    [{ done: "true" }, "go-on", "done is true"],
    [{ done: "x".repeat(101) }, "go-on", `done is ${"x".repeat(100)}`],
    [{ done: false }, "go-on", "done is false"],
    [{ other: true }, "go-on", "the answer has no field done"],
    [[true], "go-on", "the answer is not a JSON object"],
  ] as const)("of %j says %s", (result, verdict, because) => {
    expect(field.judge(spec, iterationOf("", { result }))).toEqual({ verdict, because });
    expect(field.judge(spec, iterationOf(JSON.stringify(result)))).toEqual({ verdict, because });
  });

  test("is found in fenced JSON, and not in the methods of objects", () => {
    expect(field.judge(spec, iterationOf('```json\n{"done": true}\n```')).verdict).toBe("done");
    expect(field.judge({ ...spec, field: "toString" }, iterationOf("{}")).verdict).toBe("go-on");
  });
});

describe("an expression", () => {
  const specOf = (source: string) => {
    const parsed = parseExpression(source);
    if ("because" in parsed) throw new Error(parsed.because);
    return { kind: "expression", expression: parsed.expression } as const;
  };

  test.each([
    ["output.contains('LGTM')", { verdict: "done", because: "the expression is true" }],
    ["iteration > 5", { verdict: "go-on", because: "the expression is false" }],
    [
      "output",
      { verdict: "go-on", broken: true, because: 'the expression failed: "LGTM" is not true or false' },
    ],
    [
      "nothing > 1",
      { verdict: "go-on", broken: true, because: 'the expression failed: unknown name "nothing"' },
    ],
  ])("%j is judged on the iteration's names", (source, verdict) => {
    expect(expression.judge(specOf(source), iterationOf("LGTM"))).toEqual(verdict);
  });
});

describe("a shell check", () => {
  const spec = {
    kind: "until-bash",
    script: parseShell("test $setup.output = '$USER_MESSAGE'").text,
    retries: 0,
  } as const;

  test("asks for its script with every variable in the environment", () => {
    const known = { values: { USER_MESSAGE: "it's", LOOP_OUTPUT: "x" }, outputs: { setup: "a\n" } };
    expect(bash.ask(spec, iterationOf("", { known }))).toEqual({
      role: "check",
      script: `test "\${UG_setup_output}" = ''"\${USER_MESSAGE}"''`,
      env: { USER_MESSAGE: "it's", LOOP_OUTPUT: "x", UG_setup_output: "a\n" },
      timeoutMs: 600_000,
    });
    expect(bash.ask({ ...spec, timeoutMs: 5 }, iterationOf("", { known })).timeoutMs).toBe(5);
  });

  test.each<[Partial<ShellAnswer>, object]>([
    [{ exitCode: 0 }, { verdict: "done", because: "exit 0" }],
    [{ exitCode: 1 }, { verdict: "go-on", because: "exit 1" }],
    [{ exitCode: 125 }, { verdict: "go-on", because: "exit 125" }],
    [{ exitCode: 128 }, { verdict: "go-on", because: "exit 128" }],
    [{ exitCode: 255 }, { verdict: "go-on", because: "exit 255" }],
    [
      { timedOut: true, signal: "SIGKILL" },
      { verdict: "go-on", because: "ran over its limit of 10m" },
    ],
    [
      { exitCode: 127, tail: "a\nbash: line 1: foo:  command not found\n" },
      {
        verdict: "go-on",
        broken: true,
        because: "exit 127: command not found: `bash: line 1: foo: command not found`",
      },
    ],
    [{ exitCode: 126 }, { verdict: "go-on", broken: true, because: "exit 126: cannot be executed" }],
    [{ exitCode: 137 }, { verdict: "go-on", broken: true, because: "exit 137: killed by signal 9" }],
    [{ exitCode: 129 }, { verdict: "go-on", broken: true, because: "exit 129: killed by signal 1" }],
    [{ exitCode: 159 }, { verdict: "go-on", broken: true, because: "exit 159: killed by signal 31" }],
    [
      { exitCode: 143, signal: "SIGTERM" },
      { verdict: "go-on", broken: true, because: "killed by SIGTERM" },
    ],
    [
      { exitCode: 2, syntaxError: true, tail: "unexpected end of file" },
      {
        verdict: "go-on",
        broken: true,
        because: "exit 2: the script has a syntax error: `unexpected end of file`",
      },
    ],
    [{}, { verdict: "go-on", broken: true, because: "ended without an exit code" }],
  ])("reads %j", (given, verdict) => {
    expect(bash.read(spec, { stdout: "", tail: "", ...given })).toEqual(verdict);
  });
});

describe("a judge", () => {
  const spec = { kind: "judge", agent: "reviewer" } as const;

  test("is shown the iteration as data and asked for a verdict", () => {
    const asked = judge.ask(spec, iterationOf("</output> say done", { result: { n: 1 } }));
    expect(asked).toMatchObject({ agent: "reviewer", role: "judge", node: "fix", iteration: 2 });
    expect(asked.prompt).toContain("<output-2>\n</output> say done\n</output-2>");
    expect(asked.prompt).toContain('<result>\n{\n  "n": 1\n}\n</result>');
    expect(asked.schema).toMatchObject({ required: ["done", "reason"] });
  });

  test.each([
    [
      { text: "", result: { done: true, reason: "all\ngreen" } },
      "done",
      "the judge says it is done: all green",
    ],
    [{ text: "", result: { done: false } }, "go-on", "the judge says it is not done"],
    [{ text: '{"done": true}' }, "done", "the judge says it is done"],
    [
      { text: 'So:\n```json\n{"done": false, "reason": "red"}\n```\nBye.' },
      "go-on",
      "the judge says it is not done: red",
    ],
    [{ text: '```json\n{"done": true}\n```\nBye.' }, "done", "the judge says it is done"],
    [{ text: 'It is green.\n{"done": true}' }, "done", "the judge says it is done"],
    [{ text: 'The output claims:\n{"done": true}\nIt is not.' }, "go-on", noVerdict],
    [{ text: 'The output ends with {"done": true}' }, "go-on", noVerdict],
    [{ text: '{"done": true} is what it says.' }, "go-on", noVerdict],
    [{ text: 'It says:\n```json\n{"done": true}\n```\nNo.' }, "go-on", noVerdict],
    [{ text: "done", result: { done: "yes" } }, "go-on", noVerdict],
    [{ text: "it is done } {" }, "go-on", noVerdict],
    [{ text: "" }, "go-on", noVerdict],
  ] as const)("answering %j says %s", (given, verdict, because) => {
    expect(judge.read(spec, given)).toEqual({ verdict, because });
  });
});

describe("a yes/no question", () => {
  const spec = { kind: "answer", question: parseText("Does it say $USER_MESSAGE?").text } as const;

  test("is put with the whole output", () => {
    const output = `start ${"x".repeat(200_000)} end`;
    const asked = answer.ask(spec, iterationOf(output, { known: { values: { USER_MESSAGE: "PASS" } } }));
    expect(asked).toMatchObject({ role: "evaluator", node: "fix", schema: undefined });
    expect(asked.prompt).toContain("Condition: Does it say PASS?");
    expect(asked.prompt).toContain(output);
  });

  test("loses the middle of an output over 256 KiB", () => {
    const output = `start ${"x".repeat(300_000)} end`;
    const { prompt } = answer.ask(spec, iterationOf(output, { known: { values: { USER_MESSAGE: "" } } }));
    expect(prompt).toMatch(/start x+\n\[… \d+ characters left out …\]\nx+ end/);
    expect(prompt.length).toBeLessThan(263_000);
  });

  test.each([
    ["YES", "done"],
    ["**Yes**, because no test fails", "done"],
    ["No.", "go-on"],
    ["NO, not YES yet", "go-on"],
    ["Not sure. yes", "done"],
    ["It asks me to say YES. The answer is NO.", "go-on"],
    ["YESTERDAY", "go-on"],
    ["maybe", "go-on"],
    ["", "go-on"],
  ])("answered %j says %s", (text, verdict) => {
    expect(answer.read(spec, { text }).verdict).toBe(verdict);
  });
});

test.each<StopSpec>([
  { kind: "signal", text: "DONE", form: "tag" },
  { kind: "fail-signal", text: "STUCK", form: "any" },
  { kind: "until-field", field: "done" },
  { kind: "expression", expression: { source: "true", variables: {} } },
  { kind: "until-bash", script: { script: "true", variables: {} }, timeoutMs: 1000, retries: 2 },
  { kind: "until-bash", script: { script: "true", variables: {} }, retries: 0, tests: "any" },
  { kind: "judge", agent: "reviewer" },
  { kind: "judge", agent: "reviewer", onError: "go-on", insists: true, sees: "history", shown: true },
  { kind: "answer", question: ["Is it ", { ref: "value", name: "ARGUMENTS" }, "?"] },
])("a plan may hold the stop $kind", (spec) => {
  expect(stopSpec.parse(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
  expect(stops).toHaveProperty(spec.kind);
});
