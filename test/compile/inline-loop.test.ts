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

test("an inline loop without an end is an error at the option that caused it", () => {
  expect(compile(inlineLoop({ prompt: "Go" }, "options"), none)).toMatchObject({
    ok: false,
    diagnostics: [{ code: "LOOP_NO_STOP", file: "options" }],
  });
});
