import { expect, test } from "vitest";
import { agentNames } from "../../src/agents/index.ts";
import { compile } from "../../src/compile/compile.ts";
import { planSchema } from "../../src/plan/plan.ts";
import { wallsAt } from "../../src/plan/walls.ts";

const text = `
name: t
isolation: required
network: [npm]
nodes:
  - id: one
    bash: "true"
    network: none
  - id: fix
    isolation: auto
    loop:
      max_iterations: 2
      until_bash: "true"
      check: { isolation: "off" }
      nodes:
        - id: work
          prompt: Go.
          network: [example.com, "localhost:5432"]
`;

const compiled = (source: string) =>
  compile(
    { text: source, file: "t.yml" },
    { agents: agentNames, command: () => undefined, workflow: () => undefined },
  );

test.each([
  ["/one", false, { isolation: "required", network: [] }],
  ["/one~2", false, { isolation: "required", network: [] }],
  ["/fix#2/work", false, { isolation: "auto", network: ["example.com", "localhost:5432"] }],
  ["/fix#1?1", true, { isolation: "off", network: ["npm"] }],
  ["/fix!metric", true, { isolation: "off", network: ["npm"] }],
  ["/fix#1?1", false, { isolation: "auto", network: ["npm"] }],
  ["/gone", false, { isolation: "required", network: ["npm"] }],
] as const)("at %s, a check: %s, the innermost word about each wall counts", (path, isCheck, walls) => {
  const read = compiled(text);
  const plan = planSchema.parse(read.ok ? JSON.parse(JSON.stringify(read.plan)) : read.diagnostics);
  expect(wallsAt(plan, path, { isCheck })).toEqual(walls);
});

test("a word that is no host is refused with its place", () => {
  const read = compiled(text.replace("[npm]", "[nmp]"));
  expect(read).toMatchObject({ ok: false, diagnostics: [{ code: "BAD_VALUE", line: 4 }] });
  expect(JSON.stringify(read)).toContain("nmp");
});
