import { expect, test } from "vitest";
import { refusal } from "../../../action/result/step-result.ts";

test("the summary of a step that did not start shows code as code, and mentions nobody", () => {
  const { page } = refusal(new Error("`store: dir:x` is not a store for runs, @octocat: use `git`"));
  expect(page).toBe(
    "### ❌ until-green did not start\n\n- `store: dir:x` is not a store for runs, @&#8203;octocat: use `git`",
  );
});
