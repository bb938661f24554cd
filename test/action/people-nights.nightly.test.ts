import { expect, test } from "vitest";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { breaks, goal, green, type Night, openPulls, playNights, setDraft } from "./play-nights.ts";
import { commitOn } from "./source.ts";

/** The branch as somebody amends it and pushes it with force: the message stays, the committer is another. */
const amends = (host: GitHubHost) => {
  const message = host.git.git("log", "-1", "--format=%B", goal);
  const person = ["-c", "user.name=bea", "-c", "user.email=bea@example.com"];
  const tip = host.git.git(...person, "commit-tree", `${goal}^{tree}`, "-p", "main", "-m", message);
  host.git.git("update-ref", `refs/heads/${goal}`, tip);
};

const nights: readonly Night[] = [
  {
    name: "all is fixed",
    agent: `${green("a")}; ${green("b")}; ${green("c")}`,
    morning: { conclusion: "success", calls: 1, pull: 1, green: true },
  },
  {
    name: "somebody amends the commit, and pushes with force",
    day: amends,
    morning: { conclusion: "skipped", pull: 1, green: true, says: "pull request #1 is green" },
  },
  {
    name: "somebody pushes a new fault, and makes it a draft",
    async day(host) {
      const [pull] = await openPulls(host);
      await commitOn(host, goal, { "d.txt": "red\n" });
      await setDraft(host, pull?.node_id ?? "", true);
    },
    agent: green("d"),
    morning: { conclusion: "success", calls: 1, pull: 1, green: true },
  },
  {
    name: "the conversation is locked, and the attempt is worse",
    day(host) {
      host.reviews.set("bea", "CHANGES_REQUESTED Once more");
      const message = "Unable to create comment because issue is locked.";
      host.fault(/^(POST|PATCH) .*\/comments(\/\d+)?$/, { status: 403, message });
    },
    agent: "echo red > a.txt",
    morning: { conclusion: "failure", calls: 1, pull: 1, green: true, says: "issue is locked" },
  },
  {
    name: "the branch is deleted, which closes its pull request",
    async day(host) {
      const [pull] = await openPulls(host);
      await host.as("octocat", `PATCH /pulls/${pull?.number}`, { state: "closed" });
      host.git.git("update-ref", "-d", `refs/heads/${goal}`);
      host.reviews.clear();
    },
    morning: { conclusion: "skipped", says: "was closed" },
  },
  {
    name: "the base changes, and the attempt is red",
    day: breaks("e"),
    agent: "echo try > notes.md",
    morning: { conclusion: "failure", calls: 1, pull: 2, green: false },
  },
  {
    name: "somebody says that the red draft is ready",
    async day(host) {
      const [pull] = await openPulls(host);
      await setDraft(host, pull?.node_id ?? "", false);
    },
    agent: `${green("a")}; ${green("b")}`,
    morning: { conclusion: "failure", calls: 1, pull: 2, green: false },
  },
  {
    name: "somebody closes it, and pushes to the branch all the same",
    async day(host) {
      const [pull] = await openPulls(host);
      await host.as("octocat", `PATCH /pulls/${pull?.number}`, { state: "closed" });
      await commitOn(host, goal, { "c.txt": "green\n" });
    },
    agent: `${green("e")}; rm -f notes.md`,
    morning: { conclusion: "success", calls: 1, pull: 3, green: true },
  },
];

const labelled: readonly Night[] = [
  {
    name: "all is fixed",
    agent: `${green("a")}; ${green("b")}; ${green("c")}`,
    morning: { conclusion: "success", calls: 1, pull: 1, green: true },
  },
  {
    name: "somebody takes its label off, and asks for more",
    async day(host) {
      const [pull] = await openPulls(host);
      await host.as("octocat", `DELETE /issues/${pull?.number}/labels/bot`);
      host.reviews.set("cleo", "CHANGES_REQUESTED Say g");
    },
    agent: "echo g > g.md",
    morning: { conclusion: "success", calls: 1, pull: 1, green: true },
    async also(host) {
      const [pull] = await openPulls(host);
      expect(await host.as("octocat", `GET /issues/${pull?.number}/labels`)).toEqual([]);
    },
  },
];

/** Somebody renames the default branch: GitHub moves open pull requests along. */
const renames = (from: string, to: string) => async (host: GitHubHost) => {
  host.git.git("branch", "-m", from, to);
  host.git.git("symbolic-ref", "HEAD", `refs/heads/${to}`);
  for (const { number } of await openPulls(host))
    await host.as("octocat", `PATCH /pulls/${number}`, { base: to });
  await host.as("octocat", "PATCH ", { default_branch: to });
};

const renamed: readonly Night[] = [
  {
    name: "two of three errors are fixed",
    agent: `${green("a")}; ${green("b")}`,
    morning: { conclusion: "failure", calls: 1, pull: 1, green: false },
  },
  {
    name: "the base is renamed",
    day: renames("main", "trunk"),
    agent: green("c"),
    morning: { conclusion: "success", calls: 1, pull: 1, green: true },
    async also(host) {
      const [pull] = await openPulls(host);
      expect(await host.as("octocat", `GET /pulls/${pull?.number}`)).toMatchObject({
        base: { ref: "trunk" },
      });
    },
  },
  {
    name: "it is green, and waits",
    morning: { conclusion: "skipped", pull: 1, green: true, says: "pull request #1 is green" },
  },
];

const withLabel = (all: readonly Night[]) =>
  all.map((night) => ({ ...night, inputs: { labels: "bot", ...night.inputs } }));

test("nights after days on which people do what they like", async () => {
  await playNights(withLabel(nights));
}, 1_800_000);

test("a label that a person removes stays removed", async () => {
  await playNights(withLabel(labelled));
}, 600_000);

test("a base that is renamed between two nights", async () => {
  await playNights(renamed);
}, 900_000);
