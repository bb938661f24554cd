import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { agentNames } from "../../src/agents/index.ts";
import { compile } from "../../src/compile/compile.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { planMermaid, planText } from "../../src/render/plan-markdown.ts";
import { filesOf } from "../dialects/blocks/files.ts";
import { planOf } from "../parts/stage.ts";

const everything = `
name: everything
interactive: true
nodes:
  - { id: a, prompt: p }
  - { id: b, bash: "true", depends_on: [a] }
  - { id: c, script: "1 + 1", runtime: node, depends_on: [b] }
  - { id: d, approval: { message: sure }, depends_on: [c], when: "$b.output == 'x'" }
  - { id: e, loop: { prompt: p, until: X, max_iterations: 3 } }
  - { id: f, loop: { prompt: p, for_each: [1, 2] } }
  - id: g
    depends_on: [e, f]
    loop:
      until_bash: "true"
      max_iterations: 2
      nodes:
        - { id: h, prompt: p }
        - { id: i, depends_on: [h], loop: { for_each: [1], nodes: [{ id: j, cancel: enough }] } }
  - { id: k, workflow: other, depends_on: [g] }
`;
const other = "name: other\nnodes: [{ id: x, prompt: p }]\n";

/** What a line of a flowchart may be, as far as we write any. */
const line =
  /^ +(?:(?:subgraph )?(n\d+)(?:\["([^"]*)"\]|\[\/"([^"]*)"\/\]|\{\{"([^"]*)"\}\}|\(\["([^"]*)"\]\)|\[\["([^"]*)"\]\]|\(\("([^"]*)"\)\))|(n\d+) (?:-->(?:\|"[^"<>`\\]*"\|)?|-\.->) (n\d+)|end)$/;

/** The ids that a chart draws and joins; throws where a line is none of a flowchart. */
function read(chart: string): { readonly drawn: readonly string[]; readonly joined: readonly string[] } {
  const [head, ...lines] = chart.trimEnd().split("\n");
  expect(head).toBe("flowchart TD");
  let open = 0;
  const drawn: string[] = [];
  const joined: string[] = [];
  for (const text of lines) {
    const [whole, id, ...rest] = line.exec(text) ?? [];
    expect(whole, text).toBeDefined();
    const ends = rest.slice(6).filter((it) => it !== undefined);
    if (id !== undefined) drawn.push(id);
    for (const label of rest.slice(0, 6)) expect(label ?? "").not.toMatch(/[<>`\\]|&|#(?!\d+;)/);
    joined.push(...ends);
    open += text.includes("subgraph ") ? 1 : text.trim() === "end" ? -1 : 0;
    expect(open).toBeGreaterThanOrEqual(0);
  }
  expect(open).toBe(0);
  return { drawn, joined };
}

describe("a plan as a flowchart", () => {
  test("draws every kind of node, frames around bodies, dotted arrows for conditions", () => {
    expect(planMermaid(planOf(everything, { other }))).toBe(`flowchart TD
  n1["a: agent"]
  n2[/"b: shell"/]
  n1 --> n2
  n3[/"c: node script"/]
  n2 --> n3
  n4{{"d: approval"}}
  n3 -.-> n4
  n5(["e: loop of agent, at most 3 iterations until the agent gives the signal"])
  n6(["f: agent for each item, 1 at a time"])
  subgraph n7["g: loop of graph, at most 2 iterations until the check passes"]
    n9["h: agent"]
    subgraph n10["i: graph for each item, 1 at a time"]
      n11(("j: cancel"))
    end
    n9 --> n10
  end
  n5 --> n7
  n6 --> n7
  n8[["k: workflow other"]]
  n7 --> n8
`);
  });

  test("nothing in a name is markup, a new line or the end of a label", () => {
    const name = 'a"] --> x <img src=y> & `b` #quot; \\ c';
    const [node] = planOf("name: w\nnodes: [{ id: a, workflow: other }]\n", { other }).body.nodes;
    const plan = { body: { nodes: [{ ...node, id: `${name}\nend` }] } } as unknown as Plan;
    expect(read(planMermaid(plan)).drawn).toEqual(["n1"]);
  });
});

const files = globSync(["test/dialects/*/seeds/*.{yml,yaml}", "examples/loops/*.yml"]).filter(
  (file) => !file.includes("session"),
);
const child = (name: string) => {
  const [beside] = files.filter((file) => file.replace(/-/g, "_").endsWith(`/${name}.yaml`));
  const text =
    beside === undefined
      ? "name: c\nloops: []\nsteps: [{ name: a, run: '{{input}}' }]\n"
      : readFileSync(beside, "utf8");
  return { file: `${name}.yaml`, text };
};

test.each(files)("%s can be drawn and listed", (file) => {
  const compiled = compile(
    { text: readFileSync(file, "utf8"), file },
    { ...filesOf(), agents: agentNames, command: () => "do it", workflow: child },
  );
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics));
  const { drawn, joined } = read(planMermaid(compiled.plan));
  expect(new Set(drawn).size).toBe(drawn.length);
  expect(joined.filter((id) => !drawn.includes(id))).toEqual([]);
  expect(planText(compiled.plan).split("\n").length).toBeGreaterThan(drawn.length);
});
