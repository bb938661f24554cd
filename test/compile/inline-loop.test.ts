import { expect, test } from "vitest";
import { agentNames } from "../../src/agents/index.ts";
import { compile } from "../../src/compile/compile.ts";
import { inlineLoop } from "../../src/compile/inline-loop.ts";

const none = { agents: agentNames, command: () => undefined, workflow: () => undefined };

test("an inline loop is a workflow that compiles, with ten iterations by default", () => {
  const compiled = compile(inlineLoop({ prompt: 'Go: "x"\n- y', until: "READY" }, "options"), none);
  expect(compiled).toMatchObject({
    ok: true,
    plan: {
      name: "inline",
      body: { nodes: [{ id: "loop", kind: "loop", max: 10, session: "threaded", protect: [] }] },
    },
  });
});

test("an inline loop says all that was given", () => {
  const options = {
    prompt: "Go",
    untilBash: "npm test",
    maxIterations: 3,
    freshContext: true,
    protect: ["test/**"],
  };
  expect(compile(inlineLoop(options, "options"), none)).toMatchObject({
    ok: true,
    plan: {
      body: { nodes: [{ max: 3, session: "fresh", protect: ["test/**"], stops: [{ kind: "until-bash" }] }] },
    },
  });
});

test.each([
  { prompt: 'Fix `it`: ${HOME} $USER_MESSAGE \\ "q" \u{1f600} é', until: "DONE" },
  { prompt: "line\n- two\r\n\ttab", untilBash: "npm test && echo 'x'", maxIterations: 3, freshContext: true },
  { prompt: "a lone \ud800, \u00a0, \u2028 and \u200d", until: "<<" },
  { prompt: "{{ x }} <<: *a & !t # no", untilBash: "true", protect: ["a,b", "[c]", "*.ts"] },
  { prompt: "a\u0000b\u007f\ufffe", until: "DONE" },
  { prompt: "x".repeat(200_000), until: "DONE" },
  { prompt: "x", untilBash: "true", protect: Array.from({ length: 100_001 }, () => "a") },
  { prompt: "$nobody.output", until: "DONE", maxIterations: 0 },
  { prompt: "", until: "" },
])("an inline loop means what its text says, case %#", (options) => {
  const { file, text } = inlineLoop(options, "options");
  expect(compile(inlineLoop(options, "options"), none)).toEqual(compile({ file, text }, none));
});

test("an inline loop without a prompt makes its check pass, and has nothing to do if it passes already", () => {
  const promptOf = (untilBash: string) => JSON.stringify(compile(inlineLoop({ untilBash }, "options"), none));
  expect(promptOf("npm test")).toContain("`npm test` fails. Pick one failure");
  expect(promptOf("npm test")).toContain('"baseline":true');
  // Their text would be read as a variable, or would end the quote.
  for (const check of ["test $HOME", "a\nb", "a `b`"])
    expect(promptOf(check)).toContain("The check fails. Pick");
  expect(compile(inlineLoop({ untilBash: 'test "$HOME"' }, "options"), none)).toMatchObject({ warnings: [] });
});

test("an inline loop without faults is not parsed", () => {
  expect(inlineLoop({ prompt: "Go: é\n", until: "DONE" }, "options")).toMatchObject({
    value: { name: "inline" },
  });
  expect(inlineLoop({ prompt: "a\ufffe", until: "DONE" }, "options")).not.toHaveProperty("value");
});

test("an inline loop without an end is an error at the option that caused it", () => {
  expect(compile(inlineLoop({ prompt: "Go" }, "options"), none)).toMatchObject({
    ok: false,
    diagnostics: [{ code: "LOOP_NO_STOP", file: "options" }],
  });
});
