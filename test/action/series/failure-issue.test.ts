import { expect, onTestFinished, test } from "vitest";
import { keepFailureIssue } from "../../../action/series/failure-issue.ts";
import { apiOf } from "../../../src/github/api.ts";
import { openGitHub } from "../../../src/github/client.ts";
import { goalRefs } from "../../../src/github/goal-ref.ts";
import { changeGoal } from "../../../src/series/change-goal.ts";
import { type PastAttempt, withAttempt } from "../../../src/series/record.ts";
import { startSummary } from "../../../src/status/run-summary.ts";
import { openGitHubHost } from "../../parts/github-host/host.ts";

const goal = "until-green/fix-tests";

async function series() {
  const host = await openGitHubHost();
  onTestFinished(() => host.close());
  const github = openGitHub({ token: host.token, repository: host.repository, apiUrl: host.url });
  const store = goalRefs({ api: apiOf(github), ...github.at });
  let night = 0;
  const ends = async (green: boolean) => {
    night += 1;
    const attempt: PastAttempt = {
      run: `fix-tests-${night}`,
      at: `2026-11-${10 + night}T03:00:00.000Z`,
      green,
      published: green,
      reason: green ? "until-bash" : "max-iterations",
      iterations: 1,
      usd: 1,
      tokens: 1,
    };
    const change = (record: Parameters<typeof withAttempt>[0]) => withAttempt(record, attempt);
    const record = await changeGoal(store, { goal, message: "ended", change });
    const check = {
      because: "exit 1",
      tail: `night ${night}`,
      failing: [{ name: `adds @octocat ${night}` }],
    };
    const summary = {
      ...startSummary(),
      workflow: "fix-tests",
      stopReason: "max-iterations" as const,
      check,
    };
    await keepFailureIssue({
      github,
      store,
      record,
      after: 2,
      summary,
      job: "https://github.test/job",
      clean: (text) => text.replaceAll("night", "n***t"),
    });
  };
  const loses = () => changeGoal(store, { goal, message: "lost", change: ({ issue: _, ...kept }) => kept });
  return { host, ends, loses, issues: () => host.as("octocat", "GET /issues?state=all") };
}

test("failed attempts are reported in one issue from the second on, which the next success closes", async () => {
  const { host, ends, issues } = await series();
  await ends(false);
  expect(await issues()).toEqual([]);
  await ends(false);
  await ends(false);
  const [issue, ...others] = await issues();
  expect(others).toEqual([]);
  expect(issue).toMatchObject({ state: "open", title: "until-green: fix-tests keeps failing" });
  expect(issue.body).toContain("3 attempts in a row");
  expect(issue.body).toContain("`adds @octocat 3`");
  expect(issue.body).toContain("n***t 3");
  expect(issue.body.match(/^\| `fix-tests-\d`/gm)).toHaveLength(3);
  // Codes are for programs.
  expect(issue.body).not.toContain("max-iterations");
  expect(issue.body.match(/the iteration limit was reached/g)).toHaveLength(4);
  await ends(true);
  await ends(true);
  expect(await host.as("octocat", `GET /issues/${issue.number}`)).toMatchObject({ state: "closed" });
  const comments = await host.as("octocat", `GET /issues/${issue.number}/comments`);
  expect(comments).toMatchObject([{ body: expect.stringContaining("succeeded") }]);
  await ends(false);
  await ends(false);
  expect(await issues()).toHaveLength(2);
});

test("an issue whose number was lost is found by its marker, and a deleted one is replaced", async () => {
  const { host, ends, issues, loses } = await series();
  await ends(false);
  await ends(false);
  await loses();
  await ends(false);
  expect(await issues()).toHaveLength(1);
  host.fault(/^PATCH .*\/issues\/1$/, { status: 410, message: "This issue was deleted" }, 1);
  await ends(false);
  expect(await issues()).toHaveLength(2);
});
