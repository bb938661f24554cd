import { sweep } from "../../app/sweep.ts";
import { inMarkdown } from "../../src/index.ts";
import type { Ending } from "../ending/ending.ts";
import { siteOf } from "../hosting/app-site.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";

/** `command: sweep`: mends what a lost webhook or a dead job left undone at the runs of this repository. */
export async function sweepRuns(inputs: Inputs, job: Job): Promise<Ending> {
  const site = siteOf(inputs, job);
  if (site === undefined)
    throw new RefusedError(
      "`command: sweep` asks GitHub for its runs: run it in a job there, with `github-token`",
    );
  const { runs, started, dead, faults } = await sweep(site);
  const told = [
    `${runs} ${runs === 1 ? "run is" : "runs are"} kept here.`,
    ...(started.length === 0 ? [] : [`Started, as they were decided and nobody went on: ${names(started)}`]),
    ...(dead.length === 0 ? [] : [`Their job is gone, which their comments say: ${names(dead)}`]),
  ];
  const troubles = faults.map((fault) => job.withoutSecrets(fault));
  return {
    conclusion: faults.length === 0 ? "success" : "failure",
    stopReason: faults.length === 0 ? "completed" : "internal",
    page: ["### 🧹 until-green sweep", ...told, ...troubles.map((fault) => `- ${inMarkdown(fault)}`)].join(
      "\n\n",
    ),
    annotations: [
      { level: "notice", title: "until-green: sweep", message: told.join(" ") },
      ...troubles.map((message) => ({ level: "error" as const, title: "until-green", message })),
    ],
  };
}

/** The ids of runs hold nothing but letters, digits and hyphens. */
const names = (runs: readonly string[]) => runs.join(", ");
