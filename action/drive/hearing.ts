import {
  followRun,
  openStopwatch,
  progressLine,
  type Standing,
  type Summary,
  type ToldEvent,
  type World,
} from "../../src/index.ts";
import type { Job } from "../job/job.ts";
import { standingJob } from "../job/origin.ts";

/** Hears what a run tells: prints its progress, and keeps what is to be said of it in the end. */
export interface Hearing extends Pick<Required<World>, "recall" | "standing" | "tell"> {
  readonly summary: Summary;
  /** The last that was said, whole. */
  readonly output: string;
  /** How many events were told in this job. */
  readonly told: number;
}

export function openHearing(job: Job, before?: Standing): Hearing {
  const timeOf = openStopwatch();
  const follower = followRun({ job: standingJob(job), head: job.hosting?.site?.pull?.headSha, before });
  let output = "";
  let told = 0;
  return {
    get summary() {
      return follower.summary;
    },
    get output() {
      return output;
    },
    get told() {
      return told;
    },
    standing: follower.standing,
    recall(events) {
      follower.recall(events);
      for (const event of events) output = outputOf(event) || output;
    },
    tell(event) {
      told += 1;
      follower.tell(event);
      output = outputOf(event) || output;
      const line = progressLine(event, timeOf(event));
      if (line !== undefined) job.log.say(line);
    },
  };
}

function outputOf(event: ToldEvent): string {
  const has = event.type === "iteration.ended" || event.type === "run.ended";
  return has || (event.type === "node.ended" && event.status === "completed")
    ? event.output.trim() && event.output
    : "";
}
