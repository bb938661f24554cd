import { deepen } from "../../git/deepen.ts";
import type { ObjectFormat } from "../../git/objects.ts";
import type { RefUpdateCommand } from "../../git/push-commands.ts";
import type { Remote } from "../../git/remote.ts";
import { fetchObjects, hasCommit, listRefs, openRetries, pushOnce } from "../../git/remote-calls.ts";
import { type LogCommit, readLogCommits, type Step, writeLogCommit } from "./commit-log.ts";
import type { StateKey } from "./sign.ts";

/** What a run's log needs from git and its host. The simulator implements it without either. */
export interface LogHost {
  /** The refs that match some patterns, by name; throws `RemoteError` when patience runs out. */
  listRefs(patterns: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Fetches a ref's commits; those up to `known` are already here. */
  fetch(ref: string, known: string | undefined): Promise<void>;
  /** Pushes ref updates, once. Returns the error message, or nothing; it does not tell whether the refs have moved. */
  push(updates: readonly RefUpdateCommand[], atomic: boolean): Promise<string>;
  writeCommit(step: Step): LogCommit;
  /** Reads and verifies the commits after `before` up to `tip`. */
  readCommits(
    run: string,
    range: {
      readonly before: LogCommit | undefined;
      readonly tip: string;
      readonly key?: StateKey | undefined;
    },
  ): Promise<readonly LogCommit[]>;
  /**
   * Whether the host can still serve a commit that one of its refs names; throws `RemoteError` if patience runs out.
   */
  hasCommit(id: string): Promise<boolean>;
  /** Fetches the missing history of a shallow checkout, so that it can be pushed too; `false` if that is impossible. */
  deepen(): Promise<boolean>;
  /** Waits before each retry; throws when patience runs out. */
  retries(): { next(text: string): Promise<void> };
}

/** The clock and timers that the store needs. */
export interface Timer {
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  /** Calls `ring` once after `ms`; returns a function that cancels it. Does not keep the process alive. */
  after(ms: number, ring: () => void): () => void;
}

export const systemTimer: Timer = {
  elapsed: () => performance.now(),
  after(ms, ring) {
    const timer = setTimeout(ring, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A host that is reached through git, from a private repository. */
export const gitLogHost = (remote: Remote, gitDir: string, format: ObjectFormat): LogHost => ({
  listRefs: (patterns) => listRefs(remote, { gitDir, patterns }),
  fetch: (ref, known) => {
    const options = known === undefined ? [] : [`--negotiation-tip=${known}`];
    return fetchObjects(remote, { gitDir, what: [ref], options });
  },
  push: (updates, atomic) => pushOnce(remote, { gitDir, updates, atomic }),
  writeCommit: (step) => writeLogCommit(gitDir, format, step),
  readCommits: (run, range) => readLogCommits(gitDir, run, range),
  hasCommit: (id) => hasCommit(remote, format, id),
  deepen: () => deepen(remote, gitDir),
  retries: () => openRetries(remote, gitDir),
});
