import type { LogEvent } from "../engine/log-events.ts";

/** What the runner needs to know about a log: the latest workspace snapshot, and who drove the run. */
export interface LogIndex {
  /** The last recorded snapshot of the workspace, not counting snapshots of items' own checkouts. */
  readonly commit: string | undefined;
  /** Everyone who has resumed the run, oldest first. */
  readonly drivers: readonly string[];
  /** Takes the next event; returns the snapshot it records. */
  take(event: LogEvent): string | undefined;
}

export function createLogIndex(events: readonly LogEvent[]): LogIndex {
  const drivers: string[] = [];
  const forks = new Set<string>();
  let commit: string | undefined;
  const take = (event: LogEvent) => {
    if (event.type === "run.resumed") drivers.push(event.by);
    if (event.type !== "need.met" || event.port !== "workspace") return undefined;
    const { path, answer } = event;
    const inside = [...forks].some((fork) => isBelow(path, fork));
    if (path.endsWith(fork)) forks.add(path.slice(0, -fork.length));
    // A join with conflicts does not change the workspace.
    if (inside || answer.commit === undefined || (answer.conflicts ?? []).length > 0) return undefined;
    commit = answer.commit;
    return commit;
  };
  for (const event of events) take(event);
  return {
    get commit() {
      return commit;
    },
    drivers,
    take,
  };
}

const fork = "!fork";

/** True if the effect ran inside a forked checkout (not the fork or join itself). */
const isBelow = (path: string, owner: string) =>
  path.startsWith(owner) &&
  /^[/~#?!]/.test(path.slice(owner.length)) &&
  !/^!(fork|join)$/.test(path.slice(owner.length));
