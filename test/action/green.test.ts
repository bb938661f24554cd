import { describe, expect, test } from "vitest";
import { RefusedError } from "../../action/job/job.ts";
import { isWorth, shown, unchanged, unpublished } from "../../action/publish/publish-result.ts";
import { exitCodeOf, lost, refusal, type StepResult } from "../../action/result/step-result.ts";

const conclusions = ["success", "paused", "skipped", "failure", "cancelled"] as const;
const reasons = {
  success: "until-bash",
  paused: "gate",
  skipped: "nothing-to-do",
  failure: "max-iterations",
  cancelled: "cancelled",
} as const;

const endingOf = (conclusion: (typeof conclusions)[number]): StepResult => ({
  conclusion,
  stopReason: reasons[conclusion],
  page: "",
  annotations: [],
});

const published = { branch: "b", commit: "c".repeat(40), pull: undefined, notices: [], unfit: [] };

/** What becomes of the work of a run, whichever command drove it or publishes it. */
const outcomes = {
  "not asked for": (ending: StepResult) => ending,
  published: (ending: StepResult) => shown(ending, published),
  refused: (ending: StepResult) => unpublished(ending, new Error("the host did not take it")),
  "nothing to publish, warn": (ending: StepResult) => unchanged(ending, "warn"),
  "nothing to publish, ignore": (ending: StepResult) => unchanged(ending, "ignore"),
  "nothing to publish, fail": (ending: StepResult) => unchanged(ending, "fail"),
} as const;

const green: Readonly<Record<(typeof conclusions)[number], readonly (keyof typeof outcomes)[]>> = {
  success: ["not asked for", "published", "nothing to publish, warn", "nothing to publish, ignore"],
  paused: [
    "not asked for",
    "published",
    "nothing to publish, warn",
    "nothing to publish, ignore",
    "nothing to publish, fail",
  ],
  skipped: [
    "not asked for",
    "published",
    "nothing to publish, warn",
    "nothing to publish, ignore",
    "nothing to publish, fail",
  ],
  failure: [],
  cancelled: [],
};

describe.each(conclusions)("a run that ended as %s", (conclusion) => {
  test.each(Object.keys(outcomes) as (keyof typeof outcomes)[])(
    "and whose work is %s has the colour the table says, and a conclusion of the same colour",
    (outcome) => {
      const ending = outcomes[outcome](endingOf(conclusion));
      const isGreen = green[conclusion].includes(outcome);
      // Only success exits with 0: whoever forges outputs cannot forge that.
      expect(exitCodeOf(ending) === 0).toBe(ending.conclusion === "success");
      expect(["success", "paused", "skipped"].includes(ending.conclusion)).toBe(isGreen);
      // Whatever is red says why on the page of the job, unless the run itself did.
      if (!isGreen && green[conclusion].length > 0)
        expect(ending.annotations.some(({ level }) => level === "error")).toBe(true);
    },
  );
});

test.each([
  ["pull-request", "success", "until-bash", true],
  ["pull-request", "failure", "max-iterations", true],
  ["pull-request", "failure", "rejected", false],
  ["pull-request", "failure", "tampered", false],
  ["pull-request", "paused", "gate", true],
  ["pull-request", "paused", "time-limit", false],
  ["pull-request", "cancelled", "cancelled", false],
  ["pull-request", "skipped", "nothing-to-do", false],
  ["push", "success", "until-bash", true],
  ["push", "failure", "max-iterations", false],
  ["push", "paused", "gate", false],
] as const)(
  "by `publish: %s` the work of a run that ended as %s (%s) is published: %s",
  (...[way, conclusion, stopReason, worth]) => {
    expect(isWorth({ ...endingOf(conclusion), stopReason }, { way })).toBe(worth);
  },
);

test("what never started is red, and so is what another job has", () => {
  expect(exitCodeOf(refusal(new RefusedError("no agent was named")))).toBe(1);
  expect(exitCodeOf(refusal(new Error("no disk")))).toBe(1);
  expect(exitCodeOf(lost("run-001", new Error("driven by another")))).toBe(5);
});
