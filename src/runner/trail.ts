import type { RunEvent } from "../engine/event.ts";

/** What the runner itself remembers of a log: where the run's workspace stands, and who has driven the run. */
export interface Trail {
  /** The last snapshot of the workspace on record; those of an item's own checkout do not count. */
  readonly commit: string | undefined;
  /** Everybody who has resumed the run, oldest first. */
  readonly drivers: readonly string[];
  /** Takes the next event in; answers the snapshot it puts on record. */
  take(event: RunEvent): string | undefined;
}

export function openTrail(events: readonly RunEvent[]): Trail {
  const drivers: string[] = [];
  const forks = new Set<string>();
  let commit: string | undefined;
  const take = (event: RunEvent) => {
    if (event.type === "run.resumed") drivers.push(event.by);
    if (event.type !== "need.met" || event.port !== "workspace") return undefined;
    const { path, answer } = event;
    const inside = [...forks].some((fork) => isBelow(path, fork));
    if (path.endsWith(fork)) forks.add(path.slice(0, -fork.length));
    // A join with conflicts leaves the workspace as it was.
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

/** Whether a need is one of an item with a checkout of its own, and not about that checkout. */
const isBelow = (path: string, owner: string) =>
  path.startsWith(owner) &&
  /^[/~#?!]/.test(path.slice(owner.length)) &&
  !/^!(fork|join)$/.test(path.slice(owner.length));
