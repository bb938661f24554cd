import { duration, shortened } from "../status/format.ts";

/** Where a transcript goes. */
export interface TranscriptOutput {
  line(text: string): void;
  /** Starts a group of lines. Groups do not nest. */
  group(title: string): void;
  endGroup(): void;
}

/** Parallel work: one lane writes immediately, the others are buffered, so that their lines never mix. */
export interface Lanes {
  has(path: string): boolean;
  paths(): readonly string[];
  open(path: string, title: string, since: string): void;
  write(path: string, text: string): void;
  close(path: string): void;
  /** Writes a line outside of any lane, to the current output. */
  line(text: string): void;
  /**
   * Call it every `heartbeatMs`: if nothing was written for a minute, reports what is still running, or the place where
   * the run is.
   */
  heartbeat(now: string, place?: Silent): void;
}

type Silent = Pick<Lane, "title" | "since">;

interface Lane {
  readonly title: string;
  readonly since: string;
  waiting: string[];
  /** The last line written; empty until its group has started. */
  last: string;
}

/** How often to check for a silent run; four times per minute. */
export const heartbeatMs = 15_000;
const beatsInMinute = 4;

/** Maximum number of lines that a buffered lane keeps. */
const mostWaiting = 500;

export function openLanes(output: TranscriptOutput): Lanes {
  const lanes = new Map<string, Lane>();
  let owner: Lane | undefined;
  let silentBeats = 0;

  const put = (lane: Lane, text: string) => {
    if (lane.last === "") output.group(lane.title);
    lane.last = text;
    output.line(text);
  };
  const own = (lane: Lane | undefined) => {
    owner = lane;
    for (const text of lane?.waiting.splice(0) ?? []) if (lane !== undefined) put(lane, text);
  };
  const hasGroup = () => owner !== undefined && owner.last !== "";
  /** Writes all lines of a lane that never owned the output. */
  const putWhole = (lane: Lane) => {
    if (hasGroup()) output.endGroup();
    for (const text of lane.waiting) put(lane, text);
    output.endGroup();
    if (hasGroup()) output.group(`${owner?.title} (continued)`);
  };

  return {
    has: (path) => lanes.has(path),
    paths: () => [...lanes.keys()],
    open(path, title, since) {
      if (!lanes.has(path)) lanes.set(path, { title, since, waiting: [], last: "" });
    },
    write(path, text) {
      const lane = lanes.get(path);
      if (lane === undefined) return;
      silentBeats = 0;
      owner ??= lane;
      if (owner === lane) put(lane, text);
      else if (lane.waiting.length < mostWaiting) lane.waiting.push(text);
    },
    close(path) {
      const lane = lanes.get(path);
      lanes.delete(path);
      if (lane === undefined) return;
      if (lane !== owner) {
        if (lane.waiting.length > 0) putWhole(lane);
        return;
      }
      if (hasGroup()) output.endGroup();
      own([...lanes.values()].find(({ waiting }) => waiting.length > 0));
    },
    line(text) {
      silentBeats = 0;
      if (hasGroup() && owner !== undefined) put(owner, text);
      else output.line(text);
    },
    heartbeat(now, place) {
      const [lane = place && { ...place, last: "" }] = owner === undefined ? lanes.values() : [owner];
      silentBeats += 1;
      if (silentBeats < beatsInMinute || lane === undefined) return;
      output.line(stillRunning(lane, now));
      silentBeats = 0;
    },
  };
}

function stillRunning({ title, since, last }: Silent & { readonly last: string }, now: string): string {
  const suffix = last === "" ? "" : `: ${shortened(last.trim(), 100)}`;
  return `${title}: still running, ${duration(Date.parse(now) - Date.parse(since))}${suffix}`;
}
