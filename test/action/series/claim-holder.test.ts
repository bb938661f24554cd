import { expect, test } from "vitest";
import { readClaimant } from "../../../action/series/claim-holder.ts";
import { GitHubError } from "../../../src/github/client.ts";
import { startSummary } from "../../../src/status/run-summary.ts";

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

/** The holder of a claim, where the token may not see jobs. */
async function holderOf(hours: number, state?: "running" | "paused" | "ended") {
  const status = state && { summary: { ...startSummary(), run: "run-001", state }, gates: [] };
  const github = {
    at: {},
    request: async () => {
      throw new GitHubError("Resource not accessible by integration", { status: 403 });
    },
  };
  const claim = { run: "run-001", at: hoursAgo(hours), job: { run: 5, attempt: 1 } };
  const asking = { github, statusOf: async () => status } as unknown as Parameters<typeof readClaimant>[1];
  return (await readClaimant(claim, asking)).holder?.state;
}

test("in a private repository without `actions: read`, a job counts as running for six hours at most", async () => {
  expect(await holderOf(5)).toBe("running");
  expect(await holderOf(5, "running")).toBe("running");
  expect(await holderOf(7)).toBeUndefined();
  expect(await holderOf(7, "running")).toBeUndefined();
});

test("what the record of the run says counts all the same", async () => {
  expect(await holderOf(5, "paused")).toBe("paused");
  expect(await holderOf(5, "ended")).toBeUndefined();
});
