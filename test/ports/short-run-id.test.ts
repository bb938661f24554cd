import { describe, expect, test } from "vitest";
import { hasFormOfRunId, shortRunId } from "../../src/ports/short-run-id.ts";

describe("a run is named by", () => {
  test.each([
    ["its random end", "fix-strict-null-checks-0a1b2c3d", "0a1b2c3d"],
    ["the comment that started it", "fix-strict-null-checks-c1lm2n3p", "c1lm2n3p"],
    ["a comment of a young server", "fix-strict-null-checks-c00001z", "c00001z"],
    ["the number of a job", "fix-strict-null-checks-19283746512", "19283746512"],
    ["the number and the attempt of a job", "fix-strict-null-checks-19283746512-2", "19283746512-2"],
    ["the end and the item's number", "migrate-packages-0a1b2c3d-item-12", "0a1b2c3d-item-12"],
    ["a job's number and the item's", "migrate-packages-19283746512-item-3", "19283746512-item-3"],
  ])("%s", (_, run, short) => {
    expect(shortRunId(run)).toBe(short);
    // On a phone, a comment shows 40 characters of a command.
    expect(`/workflow approve ${short}`.length).toBeLessThanOrEqual(40);
    expect(hasFormOfRunId(short)).toBe(true);
    expect(hasFormOfRunId(run)).toBe(true);
  });

  test.each(["nightly", "nightly-2026-11-28", "spread-7-item-2", "fix-deadbeef", "use-colors"])(
    "its whole id, such as %s",
    (run) => {
      expect(shortRunId(run)).toBe(run);
    },
  );
});

test.each(["please", "colorful", "css3grid", "deadbeef", "2026-11-28", "well-known"])(
  "%s is a person's text",
  (word) => expect(hasFormOfRunId(word)).toBe(false),
);
