import { expect, test } from "vitest";
import { fillInputs, inputNames } from "../../src/plan/inputs.ts";
import { planOf } from "../parts/stage.ts";

const plan = { inputs: { target: { default: "." }, who: {}, blank: { default: "" } } };

test("what was given wins over the workflow's default, and what is neither is missing", () => {
  expect(fillInputs(plan, { target: "web" })).toEqual({
    inputs: { target: "web", blank: "" },
    missing: ["who"],
  });
});

test("an empty text is given too, and a name the workflow does not declare is kept", () => {
  expect(fillInputs(plan, { who: "", more: "x" })).toEqual({
    inputs: { target: ".", who: "", blank: "", more: "x" },
    missing: [],
  });
});

test("the inputs of a workflow are those it declares and those it reads, wherever it does", () => {
  const workflow = planOf(`
name: t
inputs: { who: {} }
nodes:
  - { id: a, bash: 'echo "$INPUTS.shell"', when: "$INPUTS.asked == 'x'" }
  - id: b
    loop:
      max_iterations: 1
      until_expr: $INPUTS.goal == output
      nodes: [{ id: c, prompt: $INPUTS.who and $INPUTS.deep }]
`);
  expect(inputNames(workflow).toSorted()).toEqual(["asked", "deep", "goal", "shell", "who"]);
});
