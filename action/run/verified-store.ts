import type { RecordedDecision } from "../../src/api/github.ts";
import {
  isCommandEvent,
  type LogEvent,
  type LogStore,
  parseLogEvent,
  speakerOf,
  wordsOf,
} from "../../src/api/runs.ts";
import type { GitHubApi } from "../job/github-api.ts";
import { RefusedError } from "../job/job.ts";

interface RunToVerify extends Pick<RecordedDecision, "run" | "workflow" | "pull"> {
  /** The events already read, which are verified immediately. */
  readonly lines: readonly string[];
}

/** A store that refuses recorded decisions that were not made by people. */
export async function verifyingStore(
  store: LogStore,
  { doubts }: GitHubApi,
  { lines, ...about }: RunToVerify,
): Promise<LogStore> {
  if (doubts === undefined) return store;
  const proven = new Set<string>();
  const startEvents: StartedEvent[] = [];
  const used = new Map<number, string>();
  const findDoubt = async ({ recorded, line }: ProvableDecision): Promise<string | undefined> =>
    usedTwice(used, recorded, line) ?? (await doubts({ ...recorded, ...about }));
  const prove = async (read: readonly string[]) => {
    for (const decision of decisionsIn(read, startEvents)) {
      if (proven.has(decision.line)) continue;
      const doubt = await findDoubt(decision);
      if (doubt !== undefined)
        throw new RefusedError(
          `run ${about.run} was not resumed: the recorded decision of ${decision.recorded.by} cannot be verified (${doubt})`,
        );
      proven.add(decision.line);
    }
    return read;
  };
  await prove(lines);
  return { ...store, read: async (runId, after) => await prove(await store.read(runId, after)) };
}

interface ProvableDecision {
  readonly recorded: DecisionRecord;
  readonly line: string;
}

/** The recorded decisions that must be verified. */
function decisionsIn(lines: readonly string[], startEvents: StartedEvent[]): readonly ProvableDecision[] {
  const events = lines.map(parseLogEvent);
  const acted = events.findLastIndex((event) => !isCommandEvent(event));
  return events.flatMap((event, at) => {
    if (event.type === "run.started" || event.type === "need.begun") startEvents.push(event);
    const recorded = decisionIn(event, startEvents);
    // A decision without a comment, by button or terminal, is verified until a process has continued after it.
    const isPast = recorded?.comment === undefined && (at < acted || event.type === "run.cancelled");
    return recorded === undefined || isPast ? [] : [{ recorded, line: lines[at] ?? "" }];
  });
}

type DecisionRecord = Omit<RecordedDecision, "run" | "workflow" | "pull">;
type StartedEvent = Extract<LogEvent, { readonly type: "run.started" | "need.begun" }>;

/** One comment decides one gate only. */
function usedTwice(used: Map<number, string>, { comment }: DecisionRecord, line: string): string | undefined {
  if (comment === undefined) return undefined;
  const before = used.get(comment.id);
  used.set(comment.id, line);
  return before === undefined || before === line
    ? undefined
    : `comment ${comment.id} is already recorded as another decision`;
}

function decisionIn(event: LogEvent, startEvents: readonly StartedEvent[]): DecisionRecord | undefined {
  if (!isCommandEvent(event)) return undefined;
  const { type, comment, at } = event;
  return {
    type,
    decision: event.type === "run.decided" ? event.decision : undefined,
    by: speakerOf(event),
    text: wordsOf(event),
    at,
    ...(comment && { comment }),
    ...(event.type === "run.decided" && sinceOf(event.gate, startEvents)),
  };
}

/** The start of the gate's iteration, else of the run: votes for the gate are not older. */
function sinceOf(gate: string, startEvents: readonly StartedEvent[]): Pick<DecisionRecord, "since"> {
  const place = gate.replace(/\?[^/]*$/, "");
  const isWithin = (path: string) => path === place || path.startsWith(`${place}/`);
  const first =
    startEvents.find((event) => event.type === "need.begun" && isWithin(event.path)) ?? startEvents[0];
  return first === undefined ? {} : { since: first.at };
}
