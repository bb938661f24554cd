import { describe, expect, test } from "vitest";
import { agentNames } from "../../../src/agents/index.ts";
import type { Files } from "../../../src/dialects/dialect.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import { AgentError } from "../../../src/ports/agent.ts";
import { stage } from "../../parts/stage.ts";
import { diagnosticsOf, planOf } from "./files.ts";

function filesWith(
  workflows: Readonly<Record<string, string>>,
  commands: Readonly<Record<string, string>> = {},
): Files {
  return {
    agents: agentNames,
    command: (name) => commands[name],
    workflow: (name) =>
      workflows[name] === undefined ? undefined : { file: `${name}.yaml`, text: workflows[name] },
  };
}

const review = `
name: review
provider: codex
effort: high
inputs: { plan: { required: true }, style: { default: strict } }
returns: verdict
nodes:
  - { id: scope, command: scope }
  - { id: verdict, prompt: "Judge $scope.output", depends_on: [scope] }
  - id: fixes
    depends_on: [verdict]
    when: "$verdict.output != 'fine'"
    loop: { prompt: "Fix by $verdict.output", until: DONE, max_iterations: 1 }
  - { id: note, bash: "echo $verdict.output $INPUTS.style", depends_on: [verdict] }
`;

const parent = `
name: parent
nodes:
  - { id: plan, prompt: Plan it. }
  - { id: gate, bash: echo yes }
  - id: review
    include: review
    depends_on: [plan, gate]
    when: "$gate.output == 'yes'"
    with: { plan: $plan.output }
  - { id: sum, prompt: "Sum up $review.output", depends_on: [review] }
`;

const commands = { scope: "Scope $INPUTS.plan in the $INPUTS.style way. Later: $verdict.output." };

const ids = (plan: Plan) => plan.body.nodes.map(({ id, after }) => `${id} < ${after.join(" ")}`);

describe("include", () => {
  const plan = planOf(parent, filesWith({ review }, commands));

  test("puts the nodes of the workflow into the graph, under ids that begin with the node's own", () => {
    expect(ids(plan)).toEqual([
      "plan < ",
      "gate < ",
      "review__scope < plan gate",
      "review__verdict < review__scope",
      "review__fixes < review__verdict",
      "review__note < review__verdict",
      "sum < review__fixes review__note",
    ]);
  });

  test("gives its agents what the included file says of them, and no conversation of the caller's", () => {
    const [, , scope, verdict, , , sum] = plan.body.nodes;
    expect(scope).toMatchObject({ call: { agent: "codex", settings: { effort: "high" } } });
    expect(scope).not.toHaveProperty("call.continues");
    expect(verdict).toMatchObject({ call: { continues: ["review__scope"] } });
    expect(sum).not.toHaveProperty("call.agent");
  });

  test("runs with the texts that Archon's engine makes of them", async () => {
    const it = stage(plan, {
      agent: ({ node }) => (node === "review__fixes" ? "DONE" : `<${node}>`),
      shell: () => "yes",
    });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "success" });
    expect(it.prompts.map(({ node, prompt }) => `${node}: ${prompt}`)).toEqual([
      "plan: Plan it.",
      "review__scope: Scope <plan> in the strict way. Later: .",
      "review__verdict: Judge <review__scope>",
      "review__fixes: Fix by <review__verdict>",
      "sum: Sum up <review__verdict>",
    ]);
    expect(it.scripts.at(-1)).toMatchObject({ env: { UG_review__verdict_output: "<review__verdict>" } });
  });

  test("is skipped as a whole with its first nodes", async () => {
    const it = stage(plan, { shell: () => "no" });
    await it.begin();
    expect(it.prompts.map(({ node }) => node)).toEqual(["plan"]);
  });

  test("expands in the body of a loop, whose own texts read its output", () => {
    const source = `
name: looped
nodes:
  - id: again
    loop_group:
      max_iterations: 3
      until_bash: test $it.output = ok
      nodes:
        - { id: it, include: small }
        - { id: after, prompt: "After $it.output, $LOOP_PREV.it.output", depends_on: [it] }
`;
    const small =
      "name: small\nnodes:\n  - { id: one, prompt: One. }\n  - { id: two, prompt: Two $one.output, depends_on: [one] }\n";
    const [loop] = planOf(source, filesWith({ small })).body.nodes;
    expect(loop).toMatchObject({
      body: { nodes: [{ id: "it__one" }, { id: "it__two" }, { id: "after", after: ["it__two"] }] },
      stops: [{ kind: "until-bash", script: { variables: { UG_it__two_output: { node: "it__two" } } } }],
    });
  });

  test.each([
    ["the default, which holds", "", "$INPUTS.tier == 'full'", ["x__one"]],
    ["the default, which does not hold", "", "$INPUTS.tier == 'focused'", []],
    ["a word that is given", ", with: { tier: focused }", "$INPUTS.tier == 'focused'", ["x__one"]],
    ["a word with an apostrophe", ", with: { tier: it's }", '$INPUTS.tier == "it\'s"', ["x__one"]],
    ["a truth", ", with: { tier: true }", "$INPUTS.tier == 'true'", ["x__one"]],
    ["a number by its order", ", with: { tier: 12 }", "$INPUTS.tier > 9", ["x__one"]],
    ["an output", ", with: { tier: $a.output }", "$INPUTS.tier == 'yes'", ["x__one"]],
    ["an input on the right", ", with: { tier: yes }", "$INPUTS.other == $INPUTS.tier", ["x__one"]],
    ["an input in quotes", ", with: { tier: yes }", "$INPUTS.other == '$INPUTS.tier'", ["x__one"]],
    ["one of two that hold", "", "$INPUTS.tier == 'focused' || $INPUTS.other == 'yes'", ["x__one"]],
    ["one of two that both must hold", "", "$INPUTS.other == 'yes' && $INPUTS.tier == 'focused'", []],
  ])("compares an input in a condition with %s", async (...[, given, when, ran]) => {
    const tiered = `name: tiered\ninputs: { tier: { default: full }, other: { default: "yes" } }\nnodes:\n  - { id: one, prompt: One., when: ${JSON.stringify(when)} }\n`;
    const source = `name: top\nnodes:\n  - { id: a, bash: echo yes }\n  - { id: x, include: tiered, depends_on: [a]${given} }\n`;
    const it = stage(planOf(source, filesWith({ tiered })), { shell: () => "yes" });
    await it.begin();
    expect(it.prompts.map(({ node }) => node)).toEqual(ran);
  });

  test("may nest", () => {
    const small = "name: small\nnodes:\n  - { id: one, prompt: One $INPUTS.what }\n";
    const middle =
      "name: middle\nnodes:\n  - { id: in, include: small, with: { what: $INPUTS.what } }\n  - { id: end, prompt: $in.output, depends_on: [in] }\n";
    const source =
      "name: top\nnodes:\n  - { id: a, prompt: A. }\n  - { id: m, include: middle, depends_on: [a], with: { what: $a.output } }\n";
    const nested = planOf(source, filesWith({ small, middle }));
    expect(ids(nested)).toEqual(["a < ", "m__in__one < a", "m__end < m__in__one"]);
    expect(nested.body.nodes[1]).toMatchObject({
      call: { prompt: ["One ", { ref: "output", node: "a" }] },
    });
  });

  test.each([
    ["no such workflow", "{ id: x, include: nowhere }", ["UNKNOWN_WORKFLOW 3:23"]],
    ["itself, by a detour", "{ id: x, include: round }", ["CALL_CYCLE 3:23"]],
    ["a file without nodes", "{ id: x, include: steps }", ["BAD_VALUE 3:23"]],
    ["without a required input", "{ id: x, include: review }", ["BAD_VALUE 3:23"]],
    [
      "with an input it does not declare",
      "{ id: x, include: review, with: { plan: p, other: o } }",
      ["UNKNOWN_REFERENCE 3:48"],
    ],
    ["beside another kind", "{ id: x, include: small, prompt: p }", ["ONE_KIND 3:30"]],
    ["with a fault in it", "{ id: x, include: faulty }", ["UNKNOWN_REFERENCE 3:23"]],
  ])("%s: an error at the node that includes", (_, node, expected) => {
    const files = filesWith(
      {
        review,
        round: "name: round\nnodes:\n  - { id: y, include: round }\n",
        steps: "name: s\nsteps:\n  - { id: a, instructions: i }\n",
        small: "name: small\nnodes:\n  - { id: one, prompt: One. }\n",
        faulty: "name: faulty\nnodes:\n  - { id: one, prompt: $nobody.output }\n",
      },
      commands,
    );
    const errors = diagnosticsOf(`name: w\nnodes:\n  - ${node}\n`, files).filter((it) => !it.startsWith("~"));
    expect(errors).toEqual(expected);
  });
});

const fanned = (join = "") => `
name: fan
nodes:
  - { id: list, bash: list }
  - id: each
    workflow: one
    depends_on: [list]
    with: { level: deep }
    fan_out: { items: $list.output, as: issue${join} }
  - { id: sum, prompt: "All: $each.output", depends_on: [each] }
`;
const one = `
name: one
inputs: { issue: {}, level: {} }
nodes:
  - { id: triage, prompt: "$ARGUMENTS|$INPUTS.issue|$INPUTS.level" }
`;

describe("fan_out", () => {
  const run = async (join: string, list: string) => {
    const it = stage(planOf(fanned(join), filesWith({ one })), {
      shell: () => list,
      agent: ({ prompt, iteration }) => {
        if (prompt.startsWith("bad")) return new AgentError("refused", "no way");
        return iteration === undefined ? "sum" : `did ${prompt}`;
      },
    });
    await it.begin();
    return it;
  };

  test("calls the workflow for each item of a list, five at a time, and lists the outputs", async () => {
    const it = await run("", '["a", {"n": 1}]');
    expect(it.prompts.at(-1)?.prompt).toBe(
      `All: ${JSON.stringify(["did a|a|deep", 'did {"n":1}|{"n":1}|deep'])}`,
    );
    const [, each] = planOf(fanned(), filesWith({ one })).body.nodes;
    expect(each).toMatchObject({ kind: "for-each", atMost: 5, isolation: "shared" });
  });

  test("a failed item is an entry of the list, and the others still run", async () => {
    const it = await run("", '["bad", "b"]');
    expect(it.end()).toMatchObject({ conclusion: "success" });
    const prompt = it.prompts.at(-1)?.prompt ?? "";
    expect(JSON.parse(prompt.slice("All: ".length))).toEqual([
      { archon_failed: true, error: expect.stringContaining("no way"), status: "failed" },
      "did b|b|deep",
    ]);
  });

  test("with all_success a failed item fails the node once the others are done", async () => {
    const it = await run(", join: all_success", '["bad", "b"]');
    expect(it.end()).toMatchObject({
      conclusion: "failure",
      because: expect.stringContaining("item 1 of 2 failed"),
    });
    expect(it.prompts.map(({ prompt }) => prompt)).toContain("b|b|deep");
  });

  test("no items at all give an empty list, and an output that is no list fails the node", async () => {
    expect((await run("", "[]")).prompts.map(({ prompt }) => prompt)).toEqual(["All: []"]);
    expect((await run("", "one\ntwo")).end()).toMatchObject({ conclusion: "failure" });
  });
});

test("`input` is the message to a called workflow, and goes with no `with`", () => {
  const call = (keys: string) => `name: w\nnodes:\n  - { id: x, workflow: one, ${keys} }\n`;
  const [node] = planOf(call("input: Do it."), filesWith({ one })).body.nodes;
  expect(node).toMatchObject({ kind: "call", call: { message: ["Do it."] } });
  expect(diagnosticsOf(call("input: Do it., with: { issue: i }"), filesWith({ one }))).toContain(
    "BAD_VALUE 3:29",
  );
});
