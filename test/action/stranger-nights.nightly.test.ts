import { expect, test } from "vitest";
import type { GitHubHost } from "../parts/github-host/host.ts";
import {
  breaks,
  goal,
  green,
  merges,
  type Night,
  openPulls,
  overloaded,
  playNights,
  setDraft,
} from "./play-nights.ts";
import { commitOn } from "./source.ts";

const all = `${green("a")}; ${green("b")}; ${green("c")}`;
const firstPull = async (host: GitHubHost) => (await openPulls(host))[0];
const edit = async (host: GitHubHost, change: object) =>
  await host.as("octocat", `PATCH /pulls/${(await firstPull(host))?.number}`, change);
const asks = (text: string) => (host: GitHubHost) => host.reviews.set("bea", `CHANGES_REQUESTED ${text}`);

/** The base is merged into the branch, as the button "Update branch" does. */
const updatesBranch = ({ git: { git } }: GitHubHost) => {
  const tree = git("merge-tree", "--write-tree", goal, "main");
  const tip = git(
    "-c",
    "user.name=bea",
    "-c",
    "user.email=b@example.com",
    "commit-tree",
    tree,
    "-p",
    goal,
    "-p",
    "main",
    "-m",
    `Merge branch 'main' into ${goal}`,
  );
  git("update-ref", `refs/heads/${goal}`, tip);
};

const edited: readonly Night[] = [
  {
    name: "two of three errors are fixed",
    agent: `${green("a")}; ${green("b")}`,
    morning: { conclusion: "failure", calls: 1, pull: 1, green: false },
  },
  {
    name: "somebody gives it a better title",
    day: async (host) => await edit(host, { title: "Make the tests green (JIRA-7)" }),
    agent: green("c"),
    morning: { conclusion: "success", calls: 1, pull: 1, green: true },
    async also(host) {
      const { number } = (await firstPull(host)) ?? {};
      expect(await host.as("octocat", `GET /pulls/${number}`)).toMatchObject({
        title: "Make the tests green (JIRA-7)",
      });
    },
  },
  {
    name: "somebody makes the green one a draft",
    day: async (host) => await setDraft(host, (await firstPull(host))?.node_id ?? "", true),
    morning: { conclusion: "skipped", pull: 1, green: false },
  },
  {
    name: "and retargets it",
    async day(host) {
      host.git.git("branch", "theirs/release", "main");
      await edit(host, { base: "theirs/release" });
    },
    morning: { conclusion: "skipped", pull: 1, green: false },
  },
  {
    name: "and back; a request for changes is dismissed",
    async day(host) {
      await edit(host, { base: "main" });
      await setDraft(host, (await firstPull(host))?.node_id ?? "", false);
      host.reviews.set("bea", "DISMISSED Once more");
    },
    morning: { conclusion: "skipped", pull: 1, green: true, says: "approving review" },
  },
  {
    name: "the branch is updated by its button",
    async day(host) {
      host.reviews.set("bea", "APPROVED");
      await commitOn(host, "main", { "x.md": "x\n" });
      updatesBranch(host);
    },
    morning: { conclusion: "skipped", pull: 1, green: true, says: "is green: merge it" },
  },
  {
    name: "closed and reopened",
    async day(host) {
      const { number } = (await firstPull(host)) ?? {};
      for (const state of ["closed", "open"]) await host.as("octocat", `PATCH /pulls/${number}`, { state });
    },
    morning: { conclusion: "skipped", pull: 1, green: true, says: "is green: merge it" },
  },
  {
    name: "the branch is reset to the base, which closes it",
    async day(host) {
      host.reviews.clear();
      host.git.git("update-ref", `refs/heads/${goal}`, "main");
      await edit(host, { state: "closed" });
    },
    agent: all,
    morning: { conclusion: "success", calls: 1, pull: 2, green: true },
  },
];

let undone = "";
const merged: readonly Night[] = [
  { name: "all is fixed", agent: all, morning: { conclusion: "success", calls: 1, pull: 1, green: true } },
  {
    name: "merged with a commit of a person",
    async day(host) {
      await commitOn(host, goal, { "z.md": "z\n" });
      await merges("squash", "d")(host);
      undone = host.git.git("rev-parse", "main");
    },
    agent: green("d"),
    morning: { conclusion: "success", calls: 1, pull: 2, green: true },
  },
  {
    name: "merged, and the base forced back to before",
    async day(host) {
      await merges("squash")(host);
      host.git.git("update-ref", "refs/heads/main", undone);
    },
    agent: green("d"),
    morning: { conclusion: "success", calls: 1, pull: 3, green: true },
  },
  {
    name: "merged while the agent works on a review",
    day: asks("Say g"),
    during: merges("squash"),
    agent: "echo g > g.md",
    morning: { conclusion: "success", calls: 1, pull: 4, green: true },
  },
];

const meanwhile: readonly Night[] = [
  { name: "all is fixed", agent: all, morning: { conclusion: "success", calls: 1, pull: 1, green: true } },
  {
    name: "merged while the agent finds nothing to do",
    day: asks("Is there anything else?"),
    during: merges("squash"),
    agent: "true",
    morning: { conclusion: "success", calls: 1, says: "#1 was merged" },
  },
  {
    name: "red",
    day: breaks("d"),
    agent: "echo try > notes.md",
    morning: { conclusion: "failure", calls: 1, pull: 2, green: false },
  },
  {
    name: "closed while the agent works",
    during: async (host) => await edit(host, { state: "closed" }),
    agent: `${green("d")}; rm -f notes.md`,
    morning: { conclusion: "success", calls: 1, says: "#2 was closed" },
  },
  { name: "it stays closed", morning: { conclusion: "skipped", says: "pull request #2 was closed" } },
];

const secrets: readonly Night[] = [
  { name: "all is fixed", agent: all, morning: { conclusion: "success", calls: 1, pull: 1, green: true } },
  {
    name: "the token was rotated",
    day: merges("squash", "d"),
    agent: green("d"),
    inputs: { "push-token": "ghp_rotated-0123456789abcdef0123456789abcdef" },
    morning: { conclusion: "failure", says: "push-token" },
  },
  {
    name: "the provider is out",
    agent: overloaded,
    inputs: { patience: "1s" },
    morning: { conclusion: "paused" },
  },
  {
    name: "the loop is edited and the workflow renamed meanwhile",
    async day(host) {
      const text = host.git.git("show", "main:.github/loops/fix-tests.yml");
      await commitOn(host, "main", { ".github/loops/fix-tests.yml": text.replace("Fix it", "Fix it well") });
    },
    github: { workflow_ref: "octocat/hello/.github/workflows/nightly.yml@refs/heads/main" },
    agent: green("d"),
    inputs: { patience: "1s" },
    morning: { conclusion: "success", calls: 1, pull: 2, green: true },
  },
  {
    name: "red",
    day: merges("merge", "e"),
    agent: "echo try > notes.md",
    morning: { conclusion: "failure", calls: 1, pull: 3, green: false },
  },
  {
    name: "the failed job is run again, without an id of the run",
    attempt: 2,
    agent: `${green("e")}; rm -f notes.md`,
    morning: { conclusion: "success", calls: 1, pull: 3, green: true },
  },
  {
    name: "another loop has the same branch",
    async day(host) {
      const text = host.git.git("show", "main:.github/loops/fix-tests.yml");
      await commitOn(host, "main", {
        ".github/loops/other.yml": text.replace("name: fix-tests", "name: other"),
      });
    },
    inputs: { workflow: "other", branch: goal },
    morning: { conclusion: "skipped", pull: 3, green: true, says: "is green" },
  },
  {
    name: "the clock of the runner is behind",
    day: merges("rebase", "f"),
    hours: -300,
    inputs: { cooldown: "6h" },
    agent: green("f"),
    morning: { conclusion: "success", calls: 1, pull: 4, green: true },
  },
];

/** The next so many pushes are carried out, and their answer is lost. */
const dropsPushes = (count: number) => (host: GitHubHost) => {
  let left = count;
  host.git.fault = ({ kind }) => (kind === "push" && left-- > 0 ? "drop" : undefined);
};

const troubled: readonly Night[] = [
  {
    name: "two of three errors are fixed",
    agent: `${green("a")}; ${green("b")}`,
    morning: { conclusion: "failure", calls: 1, pull: 1, green: false },
  },
  {
    name: "GraphQL is away when the draft becomes ready, and pushes are answered by nothing",
    during(host) {
      host.fault(/^POST \/graphql/, { status: 502 }, 2);
      dropsPushes(2)(host);
    },
    agent: green("c"),
    morning: { conclusion: "success", calls: 1, pull: 1, green: true },
  },
  {
    name: "a secondary rate limit in the middle of publishing",
    day: merges("squash", "d"),
    during(host) {
      const message = "You have exceeded a secondary rate limit. Please wait a few minutes.";
      host.fault(/^POST .*\/pulls$/, { status: 403, message, headers: { "retry-after": "1" } }, 2);
      host.fault(/^(PATCH|POST) .*\/git\/refs/, { status: 502 }, 2);
    },
    agent: green("d"),
    morning: { conclusion: "success", calls: 1, pull: 2, green: true },
  },
  {
    name: "checks become required on every branch",
    day(host) {
      asks("Say g")(host);
      host.rules.push({
        type: "required_status_checks",
        branches: /./,
        ruleset: { id: 8, name: "ci everywhere", current_user_can_bypass: "never" },
      });
    },
    agent: "echo g > g.md",
    morning: { conclusion: "failure", pull: 2, green: true, says: "Require status checks to pass" },
  },
  {
    name: "and are no more",
    day: (host) => host.rules.splice(0),
    agent: "echo g > g.md",
    morning: { conclusion: "success", calls: 1, pull: 2, green: true },
  },
];

test("trouble of GitHub in the middle of publishing", async () => {
  await playNights(troubled);
}, 1_800_000);

test("a pull request that people edit, move, update and reset keeps what they did", async () => {
  await playNights(edited);
}, 1_800_000);

test("a base that takes a merge with more, and is forced back", async () => {
  await playNights(merged);
}, 1_800_000);

test("a pull request that is merged or closed while the agent works is not opened again", async () => {
  await playNights(meanwhile);
}, 1_800_000);

test("secrets, files and clocks that change between two nights", async () => {
  await playNights(secrets);
}, 1_800_000);
