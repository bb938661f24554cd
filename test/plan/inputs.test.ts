import { expect, test } from "vitest";
import { fillInputs } from "../../src/plan/inputs.ts";

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
