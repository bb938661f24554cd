import { test } from "vitest";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { breaks, goal, green, merges, type Night, playNights } from "./play-nights.ts";

const all = `${green("a")}; ${green("b")}; ${green("c")}`;
const first: Night = {
  name: "all is fixed",
  agent: all,
  morning: { conclusion: "success", calls: 1, pull: 1, green: true },
};
const accepts = (host: GitHubHost) => host.git.preReceive("exit 0");
/** Refuses pushes to the branch of the goal, as a rule for branches does. */
const locks = (why: string) => (host: GitHubHost) =>
  host.git.preReceive(
    `while read -r old new ref; do [ "$ref" != refs/heads/${goal} ] || { echo '${why}' >&2; exit 1; }; done`,
  );

const series: Readonly<Record<string, readonly Night[]>> = {
  "a repository that is renamed and transferred": [
    first,
    {
      name: "renamed while the agent works",
      day: merges("squash", "d"),
      during: (host) => host.rename("octocat/hi"),
      agent: green("d"),
      morning: { conclusion: "success", calls: 1, pull: 2, green: true },
    },
    {
      name: "transferred, and the job has the old name",
      async day(host) {
        host.rename("bea/hi");
        await merges("squash", "e")(host);
      },
      agent: green("e"),
      morning: { conclusion: "success", calls: 1, pull: 3, green: true },
    },
  ],
  "a branch that is locked, and a push that holds a secret": [
    first,
    {
      name: "locked while the agent works",
      day: merges("squash", "d"),
      during: locks("error: GH006: Protected branch update failed. Cannot change this locked branch"),
      agent: green("d"),
      morning: { conclusion: "failure", calls: 1, says: "locked branch" },
    },
    {
      name: "push protection",
      day: breaks("e"),
      during: locks("error: GH013: Push cannot contain secrets"),
      agent: `${green("d")}; ${green("e")}`,
      morning: { conclusion: "failure", calls: 1, says: "Push cannot contain secrets" },
    },
    {
      name: "open again",
      day: accepts,
      agent: `${green("d")}; ${green("e")}`,
      morning: { conclusion: "success", calls: 1, pull: 2, green: true },
    },
  ],
  "issues that are disabled": [1, 2, 3, 4].map((night) => ({
    name: `red night ${night}`,
    day(host: GitHubHost) {
      host.fault(/^(?:POST|GET|PATCH) .*\/issues(?:\/\d+)?$/, {
        status: 410,
        message: "Issues has been disabled in this repository.",
      });
      if (night > 1) return breaks(`x${night}`)(host);
      return undefined;
    },
    agent: `echo ${night} > notes.md`,
    morning: { conclusion: "failure", calls: 1, pull: 1, green: false },
  })),
  "a plan without drafts": [
    {
      name: "red",
      day: (host) =>
        host.fault(
          /^POST .*\/pulls$/,
          { status: 422, message: "Draft pull requests are not supported in this repository." },
          1,
        ),
      agent: green("a"),
      morning: { conclusion: "failure", calls: 1, pull: 1, green: true, says: "has no draft pull requests" },
    },
    {
      name: "green",
      agent: `${green("b")}; ${green("c")}`,
      morning: { conclusion: "success", calls: 1, pull: 1, green: true },
    },
  ],
  "limits, checks that are forbidden, and pull requests that became forbidden": [
    {
      name: "secondary limits at the start",
      day(host) {
        const message = "You have exceeded a secondary rate limit. Please wait a few minutes.";
        host.fault(/./, { status: 403, message, headers: { "retry-after": "1" } }, 3);
        host.fault(/./, { status: 429, message, headers: { "retry-after": "1" } }, 3);
      },
      agent: all,
      morning: { conclusion: "success", calls: 1, pull: 1, green: true },
    },
    {
      name: "checks are forbidden",
      async day(host) {
        await merges("squash", "d")(host);
        host.fault(/check-runs|check-suites/, {
          status: 403,
          message: "Resource not accessible by integration",
        });
      },
      agent: green("d"),
      morning: { conclusion: "success", calls: 1, pull: 2, green: true },
    },
    {
      name: "Actions may no longer create pull requests, since the agent began",
      day: merges("rebase", "e"),
      during: (host) =>
        host.fault(/^POST .*\/pulls$/, {
          status: 403,
          message: "GitHub Actions is not permitted to create or approve pull requests.",
        }),
      agent: green("e"),
      morning: { conclusion: "failure", calls: 1, says: "not permitted to create" },
    },
    {
      name: "and may again",
      agent: green("e"),
      morning: { conclusion: "skipped", pull: 3, green: true, says: "is green: merge it" },
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
