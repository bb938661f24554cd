import { test } from "vitest";
import type { GitHubHost, GitHubHostOptions } from "../parts/github-host/host.ts";
import {
  goal,
  green,
  merges,
  type Night,
  openPulls,
  overloaded,
  playNights,
  recordOf,
} from "./play-nights.ts";
import { writeGoal } from "./source.ts";

const all = `${green("a")}; ${green("b")}; ${green("c")}`;
const half: Night = {
  name: "two of three errors are fixed",
  agent: `${green("a")}; ${green("b")}`,
  morning: { conclusion: "failure", calls: 1, pull: 1, green: false },
};

/** Somebody renames the default branch; GitHub moves open pull requests along. */
const renamesBase = async (host: GitHubHost) => {
  host.git.git("branch", "-m", "main", "trunk");
  host.git.git("symbolic-ref", "HEAD", "refs/heads/trunk");
  host.renamedBranches.set("main", "trunk");
  for (const { number } of await openPulls(host))
    await host.as("octocat", `PATCH /pulls/${number}`, { base: "trunk" });
};

/** A job died without an end, and GitHub knows that. */
const leavesClaim = async (host: GitHubHost) => {
  const claim = { run: "gone-run", at: new Date().toISOString(), job: { run: 5, attempt: 1 } };
  await writeGoal(host, goal, JSON.stringify({ ...recordOf(host), claim }));
  host.runs.set(5, { id: 5, status: "completed" });
};

const limit = {
  status: 403,
  message:
    "You have exceeded a secondary rate limit and have been temporarily blocked from content creation.",
  headers: { "retry-after": "60" },
};
const key = { "state-key": "0123456789abcdef".repeat(4) };

const series: Readonly<Record<string, readonly Night[]>> = {
  "a transfer to another owner while the agent works": [
    half,
    {
      name: "transferred",
      during: (host) => host.rename("bea/hello"),
      agent: green("c"),
      morning: { conclusion: "success", calls: 1, pull: 1, green: true },
    },
  ],
  "a default branch that is renamed while the agent works": [
    {
      name: "renamed",
      during: renamesBase,
      agent: all,
      morning: { conclusion: "success", calls: 1, pull: 1, green: true },
    },
    {
      name: "it is green, and waits",
      morning: { conclusion: "skipped", pull: 1, green: true, says: "pull request #1 is green" },
    },
  ],
  "a secondary limit of a minute while the work is published": [
    {
      name: "limited",
      during: (host) => host.fault(/^POST .*\/pulls$/, limit, 1),
      agent: all,
      morning: { conclusion: "success", calls: 1, pull: 1, green: true },
    },
  ],
  "an API that is away for a minute when the work is published": [
    {
      name: "away",
      during(host) {
        host.fault(/./, { status: 502 });
        setTimeout(() => host.heal(), 60_000);
      },
      agent: all,
      morning: { conclusion: "success", calls: 1, pull: 1, green: true },
    },
  ],
  "three schedules that find the same paused run": [
    {
      name: "the provider is out",
      agent: overloaded,
      inputs: { patience: "1s" },
      morning: { conclusion: "paused" },
    },
    {
      name: "all of them resume it",
      agent: all,
      schedules: 3,
      morning: { conclusion: "success", calls: 1, pull: 1, green: true, says: "another job resumed run" },
    },
  ],
  "a signed run that is paused when the repository is renamed": [
    {
      name: "the provider is out",
      agent: overloaded,
      inputs: { ...key, patience: "1s" },
      morning: { conclusion: "paused" },
    },
    {
      name: "renamed",
      day: (host) => host.rename("octocat/hi"),
      github: { repository: "octocat/hi" },
      agent: all,
      inputs: key,
      morning: { conclusion: "success", calls: 1, pull: 1, green: true },
    },
  ],
};

test.each(Object.entries(series))(
  "%s",
  async (_, nights) => {
    await playNights(nights);
  },
  1_800_000,
);

/** A private repository, and the permissions of the README. */
const quickStart: GitHubHostOptions = {
  isPrivate: true,
  permissions: { contents: "write", pull_requests: "write" },
};

test("nights with the fewest permissions, in a private repository", async () => {
  const inputs = { "push-token": "", "failure-issue": "", "until-reviews": "" };
  const nights: readonly Night[] = [
    half,
    {
      name: "a job died and left its claim",
      day: leavesClaim,
      agent: green("c"),
      morning: { conclusion: "success", calls: 1, pull: 1, green: true },
    },
    {
      name: "merged, and broken again",
      day: merges("squash", "d"),
      agent: green("d"),
      morning: { conclusion: "success", calls: 1, pull: 2, green: true },
    },
  ];
  await playNights(
    nights.map((night) => ({ ...night, inputs })),
    quickStart,
  );
}, 1_800_000);
