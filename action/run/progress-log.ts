import { heartbeatMs, openStopwatch, openTranscript } from "../../src/api/github.ts";
import {
  createRunProjection,
  type LiveEvent,
  type RunEnvironment,
  type RunEvent,
  type RunStatus,
  type Summary,
} from "../../src/api/runs.ts";
import type { Job } from "../job/job.ts";
import { statusJob } from "../job/run-origin.ts";

/** Follows a run's events: prints its progress, and collects what the result needs. */
export interface ProgressLog
  extends Pick<Required<RunEnvironment>, "onLive" | "recall" | "statusOf" | "emit"> {
  readonly summary: Summary;
  /** The whole final message. */
  readonly output: string;
  /** Number of events in this job. */
  readonly emitted: number;
  /** Closes the open group in the log. */
  end(): void;
}

export function createProgressLog(job: Job, before?: RunStatus): ProgressLog {
  const timeOf = openStopwatch();
  const transcript = openTranscript({ ...job.log, line: job.log.say });
  const beat = setInterval(() => transcript.heartbeat(new Date().toISOString()), heartbeatMs).unref();
  const follower = createRunProjection({
    job: statusJob(job),
    head: job.hosting?.site?.pull?.headSha,
    before,
  });
  let output = "";
  let emitted = 0;
  return {
    get summary() {
      return follower.summary;
    },
    get output() {
      return output;
    },
    get emitted() {
      return emitted;
    },
    statusOf: follower.statusOf,
    recall(events) {
      follower.recall(events);
      for (const event of events) timeOf(event);
      for (const event of events) output = outputOf(event) || output;
    },
    emit(event) {
      emitted += 1;
      follower.emit(event);
      output = outputOf(event) || output;
      transcript.emit(event, follower.summary, timeOf(event));
    },
    onLive: (event: LiveEvent) => transcript.live(event, follower.summary),
    end() {
      clearInterval(beat);
      transcript.end();
    },
  };
}

function outputOf(event: RunEvent): string {
  const has = event.type === "iteration.ended" || event.type === "run.ended";
  return has || (event.type === "node.ended" && event.status === "completed")
    ? event.output.trim() && event.output
    : "";
}
