import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { builtAction } from "../parts/built-action.ts";
import type { CompositeResult } from "../parts/composite/run-composite.ts";
import type { GitHubHost, GitHubHostOptions } from "../parts/github-host/host.ts";
import { annotationsOf } from "./checkout.ts";
import { eventFile, jobOf, openRepository } from "./github-job.ts";
import { commitOn } from "./source.ts";

export const goal = "until-green/fix-tests";
export const callUsd = 0.25;
export const overloaded = "overloaded";

/** What a night leaves behind, as people and the next night see it. */
interface Morning {
  readonly conclusion: string;
  /** Calls of an agent in this night; 0 by default. */
  readonly calls?: number;
  /** The open pull request, counted from 1, and whether it is green; none by default. */
  readonly pull?: number;
  readonly green?: boolean;
  /** Calls that could not be recorded, because GitHub stopped accepting writes; 0 by default. */
  readonly unrecorded?: number;
  /** In a notice, a warning or an error. */
  readonly says?: string;
}

type Inputs = Readonly<Record<string, string>>;

export interface Night {
  readonly name: string;
  /** What people, the host and the provider do the day before. */
  readonly day?: (host: GitHubHost) => unknown;
  /** What happens while the agent works, before it does anything. */
  readonly during?: (host: GitHubHost) => unknown;
  /** What the agent does, in bash; `overloaded` where its provider answers nothing else. */
  readonly agent?: string;
  readonly inputs?: Inputs | ((host: GitHubHost) => Inputs);
  /** Other fields of the `github` context. */
  readonly github?: Readonly<Record<string, unknown>>;
  /** Of the job of the night before, which is run again. */
  readonly attempt?: number;
  readonly schedules?: number;
  /** Hours since the night before; 24 by default. */
  readonly hours?: number;
  readonly morning: Morning;
  /** What else must hold in the morning. */
  readonly also?: (host: GitHubHost) => unknown;
}

export const green = (name: string) => `echo green > ${name}.txt`;
export const breaks = (name: string) => (host: GitHubHost) =>
  commitOn(host, "main", { [`${name}.txt`]: "red\n" });

/** Somebody merges the open pull request, then `main` breaks again. */
export const merges = (way: "squash" | "rebase" | "merge", name?: string) => async (host: GitHubHost) => {
  const [pull] = await openPulls(host);
  await host.as("octocat", `PUT /pulls/${pull?.number}/merge`, { merge_method: way });
  host.reviews.clear();
  if (name !== undefined) await breaks(name)(host);
};

export const openPulls = async (host: GitHubHost) =>
  (await host.as("octocat", "GET /pulls?state=open")) as {
    number: number;
    node_id: string;
    draft: boolean;
  }[];

/** Somebody makes a pull request a draft, or says that it is ready. */
export const setDraft = async (host: GitHubHost, id: string, isDraft: boolean) => {
  const name = isDraft ? "convertPullRequestToDraft" : "markPullRequestReadyForReview";
  const query = `mutation($id: ID!) { ${name}(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`;
  const headers = { authorization: `Bearer ${host.tokenOf("octocat")}`, "content-type": "application/json" };
  const body = JSON.stringify({ query, variables: { id } });
  await fetch(`${host.origin}/api/graphql`, { method: "POST", headers, body });
};

/** The default branch, which people may rename. */
const baseOf = (host: GitHubHost) => host.git.git("symbolic-ref", "--short", "HEAD");

export const recordOf = (host: GitHubHost) =>
  JSON.parse(host.git.git("show", `refs/until-green/goals/${goal}:goal.json`));

/** A repository with a loop whose agent does what a script outside of it says, for 25 cents a call. */
export async function openNights(options: Omit<GitHubHostOptions, "files">) {
  const folder = mkdtempSync(join(tmpdir(), "nights-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [calls, script, session] = [
    join(folder, "calls"),
    join(folder, "agent.sh"),
    join(folder, "session.yml"),
  ];
  const usage = { input_tokens: 100, output_tokens: 10, cost_usd: callUsd };
  const run = `echo x >> ${calls}; bash ${script}`;
  const answers = (agent: string) =>
    agent === overloaded ? { error: overloaded } : { run, say: "Done.", usage };
  const host = await openRepository({
    ...options,
    files: {
      "a.txt": "red\n",
      "b.txt": "red\n",
      "c.txt": "red\n",
      ".github/loops/fix-tests.yml": [
        "name: fix-tests\ndescription: d\nnodes:\n  - id: fix\n    loop:",
        "      prompt: Fix it",
        "      until_bash: \"! grep -qx red *.txt && ! grep -q '<<<<' *.txt\"",
        "      check: { baseline: true }",
        "      max_iterations: 1\n",
      ].join("\n"),
    },
  });
  const action = builtAction();
  let id = 100;
  // The first night is at noon in UTC, so that nights without hours between them are of one day.
  let hoursAhead = 12 - ((Date.now() / 3_600_000) % 24);
  const job = async ({ inputs = {}, github = {}, attempt = 1 }: Night) =>
    await jobOf(host, {
      // A job that is run again belongs to the same workflow run.
      id: attempt === 1 ? ++id : id,
      hoursAhead,
      action,
      inputs: {
        workflow: "fix-tests",
        agent: `scripted:${session}`,
        publish: "pull-request",
        "push-token": host.tokenOf("octocat"),
        "failure-issue": "3",
        "until-reviews": "true",
        ...(typeof inputs === "function" ? inputs(host) : inputs),
      },
      github: {
        ...eventFile("schedule", { schedule: "17 3 * * *", repository: { default_branch: baseOf(host) } }),
        ref: `refs/heads/${baseOf(host)}`,
        ref_name: baseOf(host),
        sha: host.git.git("rev-parse", baseOf(host)),
        run_attempt: String(attempt),
        ...github,
      },
    });
  return {
    host,
    calls: () => (existsSync(calls) ? readFileSync(calls, "utf8").length / 2 : 0),
    async play(night: Night): Promise<readonly CompositeResult[]> {
      hoursAhead += night.hours ?? 24;
      const { agent = "exit 9" } = night;
      const [waits, goes] = [join(folder, "waits"), join(folder, "goes")];
      const pause =
        night.during === undefined ? "" : `touch ${waits}; until [ -e ${goes} ]; do sleep 0.1; done; `;
      writeFileSync(script, `${pause}${agent}`);
      writeFileSync(session, JSON.stringify({ otherwise: answers(agent) }));
      await night.day?.(host);
      const working = Promise.all(Array.from({ length: night.schedules ?? 1 }, () => job(night)));
      if (night.during !== undefined) {
        const begun = vi.waitFor(() => readFileSync(waits), { timeout: 120_000, interval: 50 });
        // A job may end without calling its agent.
        if ((await Promise.race([begun, working.then(() => undefined)])) !== undefined)
          await night.during(host);
        begun.catch(() => undefined);
        writeFileSync(goes, "");
      }
      const jobs = await working;
      for (const file of [waits, goes]) rmSync(file, { force: true });
      host.heal();
      return jobs;
    },
  };
}

const rank = ["success", "paused", "failure", "skipped"];

/** Plays nights one after another: one branch, one pull request, one comment, each call paid once. */
export async function playNights(
  nights: readonly Night[],
  options: Omit<GitHubHostOptions, "files"> = {},
): Promise<void> {
  const { host, calls, play } = await openNights(options);
  let paid = 0;
  let unrecorded = 0;
  for (const [index, night] of nights.entries()) {
    const { morning } = night;
    const jobs = await play(night);
    const name = `night ${index + 1}, ${night.name}`;
    const log = `${name}\n${jobs.flatMap(({ log }) => log).join("\n")}`;
    const [first, ...others] = jobs.toSorted(
      (one, other) =>
        rank.indexOf(one.outputs["conclusion"] ?? "") - rank.indexOf(other.outputs["conclusion"] ?? ""),
    );
    expect(first?.outputs, log).toMatchObject({ conclusion: morning.conclusion });
    expect(
      others.every(({ outputs }) => outputs["conclusion"] === "skipped"),
      log,
    ).toBe(true);
    if (morning.says !== undefined) {
      const messages = ["notice", "warning", "error"].flatMap((level) =>
        jobs.flatMap((one) => annotationsOf(one, level)),
      );
      expect(messages.map(({ message }) => message).join("\n"), log).toContain(morning.says);
    }
    // Money: each call is made and recorded once.
    paid += morning.calls ?? 0;
    expect(calls(), log).toBe(paid);
    const record = recordOf(host);
    const spent = record.spent.reduce((sum: number, { usd }: { usd: number }) => sum + usd, 0);
    unrecorded += morning.unrecorded ?? 0;
    expect(spent, log).toBeCloseTo((paid - unrecorded) * callUsd);
    const isOpen = morning.conclusion === "paused" || (morning.unrecorded ?? 0) > 0;
    expect(record.claim === undefined, log).toBe(!isOpen);
    // One branch, one pull request.
    const branches = host.git
      .git("for-each-ref", "--format=%(refname:short)", "refs/heads")
      .split("\n")
      .filter((name) => !name.startsWith("theirs/"));
    const base = baseOf(host);
    expect([base, `${base},${goal}`, `${goal},${base}`], log).toContain(branches.join());
    const all: { number: number }[] = await host.as("octocat", "GET /pulls?state=all");
    const numbers = all.map(({ number }) => number).toSorted((one, other) => one - other);
    const open = await openPulls(host);
    expect(
      open.map(({ number, draft }) => [numbers.indexOf(number) + 1, !draft]),
      log,
    ).toEqual(morning.pull === undefined ? [] : [[morning.pull, morning.green]]);
    // One comment for each purpose.
    for (const { number } of open) {
      const comments: { body: string }[] = await host.as("octocat", `GET /issues/${number}/comments`);
      const markers = comments.map(({ body }) => body.split("\n")[0]);
      expect(new Set(markers).size, `${log}\n${markers.join("\n")}`).toBe(markers.length);
    }
    const reported = (await host.as("octocat", "GET /issues?state=open")).filter(
      (one: { pull_request?: unknown }) => one.pull_request === undefined,
    );
    expect(reported.length, log).toBe(record.issue === undefined ? 0 : 1);
    await night.also?.(host);
  }
}
