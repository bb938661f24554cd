import { type LogStore, type RunEvent, readEvent } from "../../src/index.ts";
import type { Host, Said } from "../job/host.ts";
import { RefusedError } from "../job/job.ts";

interface Known extends Pick<Said, "run" | "workflow" | "pull"> {
  /** What was read of the run before: it is proved at once. */
  readonly lines: readonly string[];
}

/** The same store, in which nothing is read that people are on record to have said but did not. */
export async function provenStore(
  store: LogStore,
  { doubts }: Host,
  { lines, ...about }: Known,
): Promise<LogStore> {
  if (doubts === undefined) return store;
  const proven = new Set<string>();
  const begun: Begun[] = [];
  const used = new Map<number, string>();
  const doubtOf = async ({ said, line }: Word): Promise<string | undefined> =>
    usedTwice(used, said, line) ?? (await doubts({ ...said, ...about }));
  const prove = async (read: readonly string[]) => {
    for (const word of wordsIn(read, begun)) {
      if (proven.has(word.line)) continue;
      const doubt = await doubtOf(word);
      if (doubt !== undefined)
        throw new RefusedError(
          `what ${word.said.by} is on record to have said to run ${about.run} does not stand: ${doubt}`,
        );
      proven.add(word.line);
    }
    return read;
  };
  await prove(lines);
  return { ...store, read: async (runId, after) => await prove(await store.read(runId, after)) };
}

interface Word {
  readonly said: OnRecord;
  readonly line: string;
}

/** What people said, as far as it is to be proved. */
function wordsIn(lines: readonly string[], begun: Begun[]): readonly Word[] {
  const events = lines.map(readEvent);
  const acted = events.findLastIndex(({ type }) => !words.has(type));
  return events.flatMap((event, at) => {
    if (event.type === "run.started" || event.type === "need.begun") begun.push(event);
    const said = saidIn(event, begun);
    // What was said without a comment, by a button or at a terminal, is proved while nobody has gone on from it.
    const isPast = said?.comment === undefined && (at < acted || event.type === "run.cancelled");
    return said === undefined || isPast ? [] : [{ said, line: lines[at] ?? "" }];
  });
}

const words = new Set<string>(["run.decided", "run.messaged", "run.cancelled"]);

type OnRecord = Omit<Said, "run" | "workflow" | "pull">;
type Begun = Extract<RunEvent, { readonly type: "run.started" | "need.begun" }>;

/** One comment says one thing: it does not open a second gate. */
function usedTwice(used: Map<number, string>, { comment }: OnRecord, line: string): string | undefined {
  if (comment === undefined) return undefined;
  const before = used.get(comment.id);
  used.set(comment.id, line);
  return before === undefined || before === line
    ? undefined
    : `comment ${comment.id} stands for something else already`;
}

function saidIn(event: RunEvent, begun: readonly Begun[]): OnRecord | undefined {
  const { type } = event;
  if (type !== "run.decided" && type !== "run.messaged" && type !== "run.cancelled") return undefined;
  const { comment, at } = event;
  return {
    type,
    decision: event.type === "run.decided" ? event.decision : undefined,
    by: event.type === "run.messaged" ? event.from : event.by,
    text: event.type === "run.cancelled" ? event.because : event.text,
    at,
    ...(comment && { comment }),
    ...(event.type === "run.decided" && sinceOf(event.gate, begun)),
  };
}

/** When the iteration of a gate began, else the run: no vote for the gate is older. */
function sinceOf(gate: string, begun: readonly Begun[]): Pick<OnRecord, "since"> {
  const place = gate.replace(/\?[^/]*$/, "");
  const isWithin = (path: string) => path === place || path.startsWith(`${place}/`);
  const first = begun.find((event) => event.type === "need.begun" && isWithin(event.path)) ?? begun[0];
  return first === undefined ? {} : { since: first.at };
}
