import { deepen } from "../../git/deepen.ts";
import type { ObjectFormat } from "../../git/objects.ts";
import type { RefUpdateCommand } from "../../git/push-commands.ts";
import type { Remote } from "../../git/remote.ts";
import { fetchObjects, hasCommit, listRefs, openRetries, pushOnce } from "../../git/remote-calls.ts";
import { type LogCommit, readLogCommits, type Step, writeLogCommit } from "./commit-log.ts";
import type { StateKey } from "./sign.ts";

/** The operations a run's log needs from git and its host. The simulator implements them without either. */
export interface LogHost {
  /** The refs that match some patterns, by name; throws `RemoteError` when patience ends. */
  listRefs(patterns: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Brings a ref's commits here; those before `known` are here already. */
  fetch(ref: string, known: string | undefined): Promise<void>;
  /** Moves refs, once. What it answers says why, never whether; empty if git said that it went well. */
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
  /** Whether the host can still serve a commit that one of its refs names; throws `RemoteError` when patience ends. */
  hasCommit(id: string): Promise<boolean>;
  /** Brings the history that the host lacks of a shallow checkout; `false` if that cannot be. */
  deepen(): Promise<boolean>;
  /** Waits before each further try; throws when patience ends. */
  retries(): { next(text: string): Promise<void> };
}

/** Time as the store needs it. */
export interface Timer {
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  /** Calls `ring` once after `ms`, unless cancelled. Keeps no process alive. */
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

/** A host reached by git, from a private repository. */
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
