import { expect, test } from "vitest";
import { UnopenedPullError } from "../../../action/publish/open-pull.ts";
import { startsWorkflows } from "../../../action/publish/publish-context.ts";
import { shown, unchanged, unpublished } from "../../../action/publish/publish-result.ts";
import type { StepResult } from "../../../action/result/step-result.ts";
import { inputsOf } from "./work-on-host.ts";

const note = { level: "notice", title: "until-green", message: "earlier" } as const;
const ending: StepResult = {
  conclusion: "failure",
  stopReason: "max-iterations",
  page: "The page.",
  annotations: [note],
};
const published = { branch: "a_b", commit: "c".repeat(40), pull: undefined };

test("work that went to a branch alone names the branch", () => {
  const { page, annotations } = shown(ending, { ...published, notices: [], unfit: [] });
  expect(page).toBe("📬 Published to branch a\\_b (cccccccccccc).\n\nThe page.");
  expect(annotations).toEqual([note]);
});

test("a failed run without changes is reported as failed, whatever the job does without changes", () => {
  for (const then of ["warn", "fail", "ignore"] as const) expect(unchanged(ending, then)).toBe(ending);
});

test("a branch without its pull request is among the outputs of the job that failed to open it", () => {
  const error = new UnopenedPullError("the branch was pushed", published);
  expect(unpublished(ending, error)).toMatchObject({
    published,
    annotations: [note, { level: "error", message: "the work was not published: the branch was pushed" }],
  });
  expect(unpublished(ending, new Error("away"))).not.toHaveProperty("published");
});

test.each([
  [{}, false],
  [{ "push-token": "t" }, true],
  [{ "app-id": "1", "app-private-key": "k" }, true],
])("pushes of a job with %j start workflows: %s", (inputs, expected) => {
  expect(startsWorkflows(inputsOf(inputs))).toBe(expected);
});
