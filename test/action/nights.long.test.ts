import { test } from "vitest";
import { breaks, goal, green, merges, type Night, overloaded, playNights, recordOf } from "./play-nights.ts";
import { commitOn, writeGoal } from "./source.ts";

const nights: readonly Night[] = [
  {
    name: "the first attempt fixes one of three errors",
    agent: green("a"),
    morning: { conclusion: "failure", calls: 1, pull: 1, green: false },
  },
  {
    name: "GitHub answers 502 for a while",
    day: (host) => host.fault(/^GET .*\/pulls/, { status: 502 }, 2),
    agent: green("b"),
    morning: { conclusion: "failure", calls: 1, pull: 1, green: false },
  },
  {
    name: "the last error is fixed",
    agent: green("c"),
    morning: { conclusion: "success", calls: 1, pull: 1, green: true },
  },
  {
    name: "the pull request waits",
    morning: { conclusion: "skipped", pull: 1, green: true, says: "pull request #1 is green" },
  },
  {
    name: "a reviewer asks for more, and it gets worse",
    day: (host) => host.reviews.set("bea", "CHANGES_REQUESTED Once more"),
    agent: "echo red > a.txt",
    morning: { conclusion: "failure", calls: 1, pull: 1, green: true },
  },
  {
    name: "another one too",
    day: (host) => host.reviews.set("ann", "CHANGES_REQUESTED And once"),
    agent: "echo red > b.txt",
    morning: { conclusion: "failure", calls: 1, pull: 1, green: true },
  },
  {
    name: "merged by squash",
    day: merges("squash", "d"),
    agent: green("d"),
    morning: { conclusion: "success", calls: 1, pull: 2, green: true },
  },
  {
    name: "merged by rebase, and the branch left there: red work is a new draft",
    day: merges("rebase", "e"),
    agent: "echo try > notes.md",
    morning: { conclusion: "failure", calls: 1, pull: 3, green: false },
  },
  {
    name: "which is continued",
    agent: `${green("e")}; rm notes.md`,
    morning: { conclusion: "success", calls: 1, pull: 3, green: true },
  },
  {
    name: "merged by a merge commit and the branch deleted: the base is green",
    async day(host) {
      await merges("merge")(host);
      host.git.git("update-ref", "-d", `refs/heads/${goal}`);
    },
    morning: { conclusion: "skipped" },
  },
  {
    name: "broken again, and the agent is lost",
    day: breaks("f"),
    agent: "echo try > notes.md",
    morning: { conclusion: "failure", calls: 1, pull: 4, green: false },
  },
  {
    name: "the pull request is closed",
    day: (host) => host.as("octocat", "PATCH /pulls/4", { state: "closed" }),
    morning: { conclusion: "skipped", says: "pull request #4 was closed" },
  },
  {
    name: "the base changes",
    day: (host) => commitOn(host, "main", { "x.md": "x\n" }),
    agent: "echo try > notes.md",
    morning: { conclusion: "failure", calls: 1, pull: 5, green: false },
  },
  {
    name: "the base is rewritten",
    day(host) {
      const root = host.git.git("commit-tree", "main^{tree}", "-m", "Rewritten");
      host.git.git("update-ref", "refs/heads/main", root);
    },
    agent: "echo more > notes.md",
    morning: { conclusion: "failure", calls: 1, pull: 5, green: false },
  },
  {
    name: "a person pushes to the branch what the base changes too",
    async day(host) {
      await commitOn(host, goal, { "f.txt": "red\ntheirs\n" });
      await commitOn(host, "main", { "f.txt": "red\nours\n" });
    },
    agent: "grep -q '<<<<' f.txt && echo green > f.txt",
    morning: { conclusion: "success", calls: 1, pull: 5, green: true },
  },
  {
    name: "changes are requested",
    day: (host) => host.reviews.set("bea", "CHANGES_REQUESTED Please say h"),
    agent: "echo h > h.txt",
    morning: { conclusion: "success", calls: 1, pull: 5, green: true },
  },
  {
    name: "the base conflicts with the green work",
    day: (host) => commitOn(host, "main", { "f.txt": "red\nagain\n" }),
    agent: "grep -q '<<<<' f.txt && echo green > f.txt",
    morning: { conclusion: "success", calls: 1, pull: 5, green: true },
  },
  {
    name: "a person and the base change a file that no check reads",
    async day(host) {
      await commitOn(host, goal, { "h.md": "theirs\n" });
      await commitOn(host, "main", { "h.md": "ours\n" });
    },
    agent: "grep -q '<<<<' h.md && echo both > h.md",
    morning: { conclusion: "success", calls: 1, pull: 5, green: true },
  },
  {
    name: "the setting for pull requests is off",
    async day(host) {
      await merges("squash", "i")(host);
      const message = "GitHub Actions is not permitted to create or approve pull requests.";
      host.fault(/^POST .*\/pulls$/, { status: 403, message });
    },
    agent: green("i"),
    morning: { conclusion: "failure", calls: 1, says: "Allow GitHub Actions to create" },
  },
  {
    name: "and on again: what is missing is opened, and no agent asked",
    morning: { conclusion: "skipped", pull: 6, green: true },
  },
  {
    name: "too many requests",
    async day(host) {
      await merges("squash", "j")(host);
      host.fault(/^POST .*\/pulls$/, { status: 429, headers: { "retry-after": "1" } }, 1);
    },
    agent: green("j"),
    morning: { conclusion: "success", calls: 1, pull: 7, green: true },
  },
  {
    name: "the answer to the new pull request is lost",
    async day(host) {
      await merges("rebase", "k")(host);
      host.fault(/^POST .*\/pulls$/, { drop: true }, 1);
    },
    agent: green("k"),
    morning: { conclusion: "success", calls: 1, pull: 8, green: true },
  },
  {
    name: "rules forbid the branch",
    async day(host) {
      await merges("squash", "l")(host);
      host.rules.push({
        type: "update",
        branches: /^until-green\//,
        ruleset: { id: 7, name: "protect all", current_user_can_bypass: "never" },
      });
    },
    agent: green("l"),
    morning: { conclusion: "failure", says: "rules forbid" },
  },
  {
    name: "two schedules at once",
    day: (host) => host.rules.splice(0),
    agent: `sleep 2; ${green("l")}`,
    schedules: 2,
    morning: { conclusion: "success", calls: 1, pull: 9, green: true },
  },
  {
    name: "a job died and left its claim",
    async day(host) {
      await merges("merge", "m")(host);
      const record = recordOf(host);
      const claim = { run: "gone-run", at: new Date().toISOString(), job: { run: 5, attempt: 1 } };
      await writeGoal(host, goal, JSON.stringify({ ...record, claim }));
      host.runs.set(5, { id: 5, status: "completed" });
    },
    agent: "echo try > notes.md",
    inputs: { "run-id": "nightly-25" },
    morning: { conclusion: "failure", calls: 1, pull: 10, green: false },
  },
  {
    name: "the failed job is run again",
    agent: green("m"),
    inputs: { "run-id": "nightly-25" },
    attempt: 2,
    morning: { conclusion: "success", calls: 1, pull: 10, green: true },
  },
  {
    name: "and again",
    inputs: { "run-id": "nightly-25" },
    attempt: 3,
    morning: { conclusion: "success", pull: 10, green: true },
  },
  {
    name: "the provider is out",
    day: merges("squash", "o"),
    agent: overloaded,
    inputs: { patience: "1s" },
    morning: { conclusion: "paused" },
  },
  {
    name: "and is back: the night resumes the paused run",
    agent: green("o"),
    inputs: { patience: "1s" },
    morning: { conclusion: "success", calls: 1, pull: 11, green: true },
  },
  {
    name: "the money of the day is spent",
    day: merges("squash", "p"),
    hours: 0,
    inputs: { "day-usd": "0.25" },
    morning: { conclusion: "skipped", says: "may cost $0.25 a day, which is used up" },
  },
  {
    name: "the next day has its own",
    agent: green("p"),
    inputs: { "day-usd": "0.25" },
    morning: { conclusion: "success", calls: 1, pull: 12, green: true },
  },
];

test("thirty-one nights of a scheduled loop: one branch, one pull request, one comment, each call paid once", async () => {
  await playNights(nights);
}, 1_800_000);
