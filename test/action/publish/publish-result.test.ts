import { expect, test } from "vitest";
import { UnopenedPullError } from "../../../action/publish/open-pull.ts";
import { startsWorkflows } from "../../../action/publish/publish-context.ts";
import { shown, unchanged, unpublished } from "../../../action/publish/publish-result.ts";
import type { StepResult } from "../../../action/result/step-result.ts";
import type { Summary } from "../../../src/status/run-status-schema.ts";
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

test("work that can be published later names the command, unless the record of its run may lack its end", () => {
  const messages = (ending: StepResult, canLater: boolean) =>
    unpublished(ending, new Error("away"), canLater).annotations.map(({ message }) => message);
  const kept = { ...ending, stateRef: "refs/until-green/x/state", summary: { run: "x-1" } as Summary };
  expect(messages(kept, true)).toContain(
    "the work was not published: away. To publish it later, run `command: publish` with `run-id: x-1`",
  );
  for (const [one, canLater] of [
    [kept, false],
    [ending, true],
    [{ ...kept, stopReason: "internal" }, true],
  ] as const)
    expect(messages(one, canLater)).toContain("the work was not published: away");
});

test.each([
  [{}, false],
  [{ "push-token": "t" }, true],
  [{ "app-id": "1", "app-private-key": "k" }, true],
])("pushes of a job with %j start workflows: %s", (inputs, expected) => {
  expect(startsWorkflows(inputsOf(inputs))).toBe(expected);
});
