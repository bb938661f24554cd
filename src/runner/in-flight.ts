import type { LogEvent } from "../engine/log-events.ts";
import type { Effect } from "../engine/operation.ts";
import type { RunSession } from "../engine/session.ts";
import { wallsAt } from "../plan/walls.ts";
import { type Postponed, performWithRetry } from "./retry-effect.ts";
import type { RunEnvironment } from "./run-environment.ts";
import { openSpendingMeter, type SpendingMeter } from "./spending.ts";

/** The effects this process is performing, and the events they produce. */
export interface InFlightEffects {
  /** True while an event is still expected. */
  readonly busy: boolean;
  /** The postponed effect that is due first; `undefined` if none is postponed. */
  readonly postponed: Postponed | undefined;
  has(path: string): boolean;
  /** `session` returns the current session. */
  start(effect: Effect, session: () => RunSession): void;
  /**
   * Returns the events that have arrived, or waits for the first one; empty after a wake-up. Throws environment
   * errors.
   */
  next(): Promise<readonly LogEvent[]>;
  wake(): void;
  /** Stops effects that the run no longer needs: agents of a cancelled run, branches of an ended one. */
  prune(effects: ReadonlyMap<string, Effect>): Promise<void>;
  /** Stops everything; returns events not yet taken, including the usage of stopped calls. */
  stop(): Promise<readonly LogEvent[]>;
}

interface Work {
  readonly stop: AbortController;
  readonly done: Promise<void>;
  readonly postponed?: Postponed;
}

interface Options {
  readonly artifacts: string;
  readonly patienceMs: number;
}

export function createInFlightEffects(environment: RunEnvironment, options: Options): InFlightEffects {
  const work = new Map<string, Work>();
  const spending = openSpendingMeter(environment);
  let arrived: LogEvent[] = [];
  let broken: unknown;
  let wake = () => {};

  const arrive = (event: LogEvent) => {
    arrived.push(event);
    spending.note(event);
    wake();
  };

  const take = () => {
    const events = arrived;
    arrived = [];
    for (const event of events) if (isLast(event)) work.delete(event.path);
    return events;
  };

  return {
    get busy() {
      return [...work.values()].some(({ postponed }) => postponed === undefined);
    },
    get postponed() {
      return firstOf(work.values());
    },
    has: (path) => work.has(path),
    start(effect, session) {
      const stop = new AbortController();
      const context = { ...options, ...asking(effect, session, spending), signal: stop.signal, arrive };
      const done = performWithRetry(effect, environment, context)
        .then((postponed) => {
          if (postponed !== undefined) work.set(effect.path, { stop, done, postponed });
          wake();
        })
        .catch((error: unknown) => {
          if (stop.signal.aborted) return;
          broken = error;
          wake();
        });
      work.set(effect.path, { stop, done });
    },
    async next() {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      if (arrived.length === 0 && broken === undefined) await promise;
      // Append events that arrived before reporting the error.
      if (broken !== undefined && arrived.length === 0) throw broken;
      return take();
    },
    wake: () => wake(),
    async prune(effects) {
      arrived = arrived.filter((event) => !("path" in event) || effects.has(event.path));
      await halt(work, (path) => !effects.has(path));
    },
    async stop() {
      const events = take();
      await halt(work, () => true);
      return [...events, ...take()];
    },
  };
}

/** Stops the effects at some paths, and waits until they have stopped. */
async function halt(work: Map<string, Work>, isMeant: (path: string) => boolean): Promise<void> {
  const stopped = [...work].filter(([path]) => isMeant(path));
  for (const [path, { stop }] of stopped) {
    work.delete(path);
    stop.abort(new Error("the run continues without this"));
  }
  await Promise.all(stopped.map(([, { done }]) => done));
}

const firstOf = (work: Iterable<Work>): Postponed | undefined =>
  [...work].flatMap(({ postponed }) => postponed ?? []).toSorted((a, b) => (a.wakeAt < b.wakeAt ? -1 : 1))[0];

/** The questions an effect can ask about the run's current state. */
const asking = ({ path }: Effect, session: () => RunSession, spending: SpendingMeter) => ({
  spending: spending.forCall(path, session),
  runId: session().facts.run,
  facts: session().facts,
  totals: session().totals,
  prices: session().plan.prices,
  fallback: session().plan.fallback,
  inbox: () => session().inbox(path),
  walls: (isCheck: boolean) => wallsAt(session().plan, path, { isCheck }),
  usedUp: () => spending.usedUp(session()),
});

/** True if an event is the last one of its effect. */
const isLast = (event: LogEvent): event is Extract<LogEvent, { type: "need.met" | "need.failed" }> =>
  event.type === "need.met" || (event.type === "need.failed" && event.final);
