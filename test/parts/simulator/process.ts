import type { Clock } from "../../../src/ports/clock.ts";
import type { LogStore } from "../../../src/ports/store.ts";
import type { OpenGitRun } from "../../../src/stores/git/open-run.ts";
import { logStoreOver } from "../../../src/stores/git-ref.ts";
import { startMachine, stopMachine } from "./disk.ts";
import type { FakeRemote } from "./remote.ts";
import type { Sim } from "./sim.ts";

/** One process on a simulated machine: once it is killed, nothing that it waits for arrives. */
export interface SimProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly store: LogStore;
  /** Does something after `ms`, if it is still alive. */
  live<T>(ms: number, act: () => T): Promise<T>;
  alive(): boolean;
  /** The lines of a run that it has read remotely. */
  read(runId: string): readonly string[];
  /** The first line of the run that it drives, which identifies the run among those with its id. */
  first(runId: string): string | undefined;
  /** Kills it; with a power cut, its machine loses unsynced data. */
  kill(losesPower?: boolean): void;
}

interface Machine {
  readonly sim: Sim;
  readonly remote: FakeRemote;
  /** Its disk, which the next process finds. */
  readonly dir: string;
}

export function startProcess({ sim, remote, dir }: Machine, name: string): SimProcess {
  let isAlive = true;
  const after = (ms: number, ring: () => void) => sim.after(ms, () => isAlive && ring());
  const live = <T>(ms: number, act: () => T) =>
    new Promise<T>((resolve, reject) => {
      after(ms, () => {
        try {
          const value = act();
          // It may have been killed by its own action.
          if (isAlive) resolve(value);
        } catch (error) {
          reject(error);
        }
      });
    });
  const clock: Clock = {
    now: () => new Date(Date.UTC(2026, 0, 1) + sim.now()).toISOString(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const cancel = after(ms, resolve);
        signal.addEventListener("abort", () => {
          cancel();
          if (isAlive) reject(signal.reason);
        });
      }),
    every(ms, ring) {
      let cancel = after(ms, again);
      function again() {
        ring();
        cancel = after(ms, again);
      }
      return () => cancel();
    },
  };
  const runs = new Map<string, Promise<OpenGitRun>>();
  const opened = new Map<string, OpenGitRun>();
  const open = (runId: string) => {
    const run = runs.get(runId) ?? Promise.resolve(openRunOf(runId));
    runs.set(runId, run);
    return run;
  };
  startMachine(dir);
  const openRunOf = (runId: string): OpenGitRun => {
    let last: Promise<unknown> = Promise.resolve();
    const run: OpenGitRun = {
      record: {
        runId,
        remote: { name: "remote", admitted: new Set(["read", "write"]) } as never,
        host: remote.host(live, name),
        timer: { elapsed: () => sim.now(), after },
        dir,
        gitDir: dir,
        format: "sha1",
        space: "refs/until-green",
        looked: undefined,
        tip: undefined,
        work: undefined,
        lines: [],
        counts: new Map(),
        pending: [],
        undone: [],
        inFlight: undefined,
        key: undefined,
      },
      held: undefined,
      alone(work) {
        const next = last.then(work, work);
        last = next;
        return next;
      },
      baggage: () => ({ owner: name, sources: [], notice: () => undefined }),
      folder: { packed: () => ({}), marked: () => undefined, filled: async () => "/artifacts" } as never,
      described: undefined,
      status: undefined,
    };
    opened.set(runId, run);
    return run;
  };
  return {
    name,
    clock,
    live,
    store: { ...logStoreOver(open), artifacts: async () => "/artifacts", list: async () => [] },
    alive: () => isAlive,
    read: (runId) => opened.get(runId)?.record.lines ?? [],
    first(runId) {
      const { lines = [], pending = [] } = opened.get(runId)?.record ?? {};
      return lines[0] ?? pending[0];
    },
    kill(losesPower = false) {
      if (!isAlive) return;
      isAlive = false;
      stopMachine(dir, losesPower);
    },
  };
}
