import { expect, onTestFinished, test } from "vitest";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import { goalRefs } from "../../src/github/goal-ref.ts";
import { changeGoal, readGoal } from "../../src/series/change-goal.ts";
import { openGitHubHost } from "../parts/github-host/host.ts";

async function open() {
  const host = await openGitHubHost();
  onTestFinished(() => host.close());
  const github = openGitHub({
    token: host.token,
    repository: host.repository,
    apiUrl: host.url,
    secondMs: 10,
  });
  const store = goalRefs({ api: apiOf(github), ...github.at });
  const note = (goal: string, issue: number) =>
    changeGoal(store, { goal, message: "m", change: (record) => ({ ...record, issue }) });
  return { host, store, note };
}

test("the record of a goal is read as it was written, whoever else writes meanwhile", async () => {
  const { store, note } = await open();
  await Promise.all([1, 2, 3].map((issue) => note("until-green/fix", issue)));
  await note("until-green/fix", 7);
  expect(await readGoal(store, "until-green/fix")).toMatchObject({ goal: "until-green/fix", issue: 7 });
});

test.each([
  ["fix", "fix/tests"],
  ["fix/tests", "fix"],
])("where the record of %s forbids a ref for %s, the error names it", async (there, goal) => {
  const { note } = await open();
  await note(there, 1);
  const error = await note(goal, 2).catch((error: Error) => error);
  expect(error).toMatchObject({
    message: `the record of the goal ${goal} was not written: its ref cannot exist beside that of the goal ${there}. If that goal is over, \`git push origin --delete refs/until-green/goals/${there}\`; or set another \`branch\``,
  });
});
