import { env } from "node:process";
import { expect, test } from "vitest";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { randomOf } from "../parts/random.ts";
import { annotationsOf } from "./checkout.ts";
import { callUsd, goal, openNights, openPulls, recordOf } from "./play-nights.ts";
import { hasBranch, type PeoplesFiles, randomNight } from "./random-night.ts";

type Jobs = Awaited<ReturnType<Awaited<ReturnType<typeof openNights>>["play"]>>;

interface Morning {
  readonly jobs: Jobs;
  readonly dies: boolean;
  /** Calls of agents: all until now, those of this night, and those that died before they reported a cost. */
  readonly calls: number;
  readonly called: number;
  readonly lost: number;
  readonly theirs: PeoplesFiles;
}

/** What is wrong in the morning, seen from outside. */
async function wrongIn(host: GitHubHost, morning: Morning): Promise<readonly string[]> {
  const { jobs, called, theirs } = morning;
  const open = await openPulls(host);
  const bodies: { body: string }[][] = await Promise.all(
    open.map(({ number }) => host.as("octocat", `GET /issues/${number}/comments`)),
  );
  const markers = bodies.flat().map(({ body }) => body.split("\n")[0]);
  const isIn = (branch: string, file: string) =>
    host.git.git("ls-tree", "--name-only", branch, file) === file;
  const gone = [...theirs].filter((file) => !isIn("main", file) && !(hasBranch(host) && isIn(goal, file)));
  return [
    ...(open.length > 1 ? [`${open.length} pull requests are open`] : []),
    ...(called > 1 ? [`${called} calls in one night`] : []),
    ...(new Set(markers).size < markers.length ? [`doubled comments: ${markers.join(", ")}`] : []),
    ...gone.map((file) => `${file} of a person is lost`),
    ...wrongMoney(host, morning),
    ...(morning.dies ? [] : jobs.flatMap(unclear)),
  ];
}

function wrongMoney(host: GitHubHost, { calls, lost }: Morning): readonly string[] {
  if (host.git.git("for-each-ref", `refs/until-green/goals/${goal}`) === "") return [];
  const { spent, claim } = recordOf(host);
  const usd = spent.reduce((sum: number, day: { usd: number }) => sum + day.usd, 0);
  // A run that is paused, or whose machine died, is counted when it ends.
  const least = (calls - lost - (claim === undefined ? 0 : 1)) * callUsd;
  const isRight = usd > least - 0.001 && usd < calls * callUsd + 0.001;
  return isRight ? [] : [`$${usd} are recorded for ${calls} calls, of which ${lost} died`];
}

/** Whoever reads only the summary and the messages of a job must know how it ended. */
function unclear(job: Jobs[number]): readonly string[] {
  const conclusion = job.outputs["conclusion"] ?? "";
  return [
    ...(["success", "failure", "paused", "skipped"].includes(conclusion)
      ? []
      : [`it ended as ${conclusion}`]),
    ...(job.summary.length > 20 ? [] : ["no summary"]),
    ...(conclusion === "failure" && annotationsOf(job, "error").length === 0 ? ["no error is shown"] : []),
  ];
}

const seeds = (env["UNTIL_GREEN_SEEDS"] ?? "5").split(",").map(Number);
const nights = Number(env["UNTIL_GREEN_ROUNDS"] ?? 10);

test.each(seeds)(
  "whatever happens in random nights, nothing is lost, doubled or unclear (seed %i)",
  async (seed) => {
    const { host, calls, play } = await openNights({});
    const [random, theirs] = [randomOf(seed), new Set<string>()];
    let lost = 0;
    for (let number = 1; number <= nights; number += 1) {
      const before = calls();
      const { night, dies } = randomNight(random, number, theirs);
      const jobs = await play(night);
      const called = calls() - before;
      if (dies) lost += called;
      const wrong = await wrongIn(host, { jobs, dies, calls: calls(), called, lost, theirs });
      const log = jobs.flatMap(({ log, summary }) => [...log, summary]).join("\n");
      expect(wrong, `${night.name}\n${log}`).toEqual([]);
    }
  },
  3_600_000,
);
