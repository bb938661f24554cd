import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Job } from "../../src/cli/init/jobs.ts";
import { hasAct } from "../parts/act.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { byAct, byInterpreter } from "../parts/ready-workflow.ts";
import { sampled } from "../parts/sample.ts";
import { openRepository } from "./command-line.ts";
import { branchesOf, jobs, openProject, play, pullOf, recordedIn, triggersOf } from "./play-job.ts";

// Whole workflows, with several jobs that clone, install and push.
vi.setConfig({ testTimeout: 240_000 });

const runners = [["our interpreter", byInterpreter] as const, ...(hasAct() ? [["act", byAct] as const] : [])];

/** What jobs with the same kind of workflow have in common: when they start, and where their work goes. */
const kindOf = (job: Job) => `${triggersOf(job).join()} ${/publish: ([\w-]+)/.exec(job.workflow)?.[1]}`;

test("every loop passes the check without an error", async () => {
  const loops = jobs.map(({ folder }) => join(folder, "loop.yml"));
  const { code, events } = await openRepository({ files: { "src/a.js": "" } }).untilGreen("check", ...loops);
  expect({ code, events }).toEqual({ code: 0, events: [] });
});

// A sample plays one job of each kind, by one of the runners.
describe.each(sampled(jobs, kindOf))("the job $name", (job) => {
  for (const [runner, perform] of sampled(runners, () => job.name)) {
    test(`does what its page says, run by ${runner}, and has nothing to do the next time`, async () => {
      const host = await openProject(job);
      const before = branchesOf(host);
      const { log } = await play(job, host, { perform });
      const published = movedSince(before, host);
      expect(
        published.map(([branch]) => branch),
        log,
      ).toEqual([expect.stringMatching(/^(until-green\/.+|topic)$/)]);
      const [branch = "", tip = ""] = published[0] ?? [];
      const { changed, iterations } = recordedIn(job);
      expect(
        host.git
          .git("diff", "--name-only", before.get(branch) ?? host.git.git("merge-base", "main", tip), tip)
          .split("\n"),
        log,
      ).toEqual(changed);
      const green = new RegExp(`iteration ${iterations} of \\d+: ✅`);
      expect(log).toMatch(green);
      expect(log).toContain(`✅ ${job.name} succeeded`);

      const pulls = host.journal.filter(({ method, path }) => method === "POST" && path.endsWith("/pulls"));
      expect(pulls.map(({ body }) => (body as { head: string }).head)).toContain(branch);

      // Somebody merges it. What people ask for once more is done once more.
      if (triggersOf(job).includes("labeled")) return;
      if (branch !== "topic") host.git.git("update-ref", "refs/heads/main", tip);
      const merged = branchesOf(host);
      const next = await play(job, host, { perform, id: 12 });
      expect(next.ok, next.log).toBe(true);
      expect(movedSince(merged, host), next.log).toEqual([]);
      expect(next.log).not.toContain("iteration 1 of");
    });
  }
});

/** How a job ends if it cannot do its work, whichever job it is. */
const failures = [
  {
    why: "there is no key",
    secrets: {},
    change: withClaude,
    says: /claude has no key: set the variable ANTHROPIC_API_KEY/,
  },
  { why: "the agent changes nothing", replies: { otherwise: { say: "Hm." } }, says: /no progress/ },
  {
    why: "the money is spent",
    replies: { otherwise: { say: "Thinking.", run: "date +%N > thoughts.txt", usage: { cost_usd: 1000 } } },
    says: /budget/,
  },
];

describe.each(sampledJobs())("the job $name", (job) => {
  test.each(failures)(
    "fails and says why, and publishes nothing green, if $why",
    async ({ replies, says, ...how }) => {
      const host = await openProject(job, replies && JSON.stringify(replies));
      const { ok, log } = await play(job, host, how);
      expect(ok, log).toBe(false);
      expect(log).toMatch(says);
      expect(log).not.toContain("✅");
    },
  );
});

test.each(jobs.filter((job) => triggersOf(job).includes("pull_request")))(
  "the job $name leaves the pull request of a fork alone",
  async (job) => {
    const host = await openProject(job);
    const before = branchesOf(host);
    await pullOf(host);
    host.markFork(1);
    const { log } = await play(job, host);
    expect(movedSince(before, host), log).toEqual([]);
    expect(host.git.git("for-each-ref", "refs/until-green"), log).toBe("");
  },
);

/** Jobs for what a check cannot see, a review or an alert, start with a green check. */
function sampledJobs() {
  const startRed = jobs.filter((job) => !triggersOf(job).some((event) => /check_run|review/.test(event)));
  return sampled(startRed, ({ workflow }) => /publish: ([\w-]+)/.exec(workflow)?.[1] ?? "");
}

function withClaude(text: string): string {
  return text.replace(/agent: scripted:\S+/, "agent: claude");
}

/** The branches that are new, or have other tips. */
function movedSince(before: ReadonlyMap<string, string>, host: GitHubHost) {
  return [...branchesOf(host)].filter(([name, tip]) => before.get(name) !== tip);
}
