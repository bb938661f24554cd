import type { RunEvent } from "../engine/event.ts";
import type { Need } from "../engine/flow.ts";
import type { Session } from "../engine/session.ts";
import { pursue } from "./pursue.ts";
import type { World } from "./world.ts";

/** The needs being met in this process, and the facts they bring. */
export interface UnderWay {
  /** Whether anything will still bring a fact. */
  readonly busy: boolean;
  has(path: string): boolean;
  /** `session` is that of the run as it stands when asked. */
  start(need: Need, session: () => Session): void;
  /** The facts that have arrived, waiting for the first; none when woken without any. Throws what broke. */
  next(): Promise<readonly RunEvent[]>;
  wake(): void;
  /** Stops what the run no longer needs: a cancelled run's agents, the branches of an ended one. */
  prune(needs: ReadonlyMap<string, Need>): Promise<void>;
  /** Stops everything; the facts that had arrived and nobody has taken, and what the stopped took. */
  stop(): Promise<readonly RunEvent[]>;
}

interface Work {
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

export function openUnderWay(world: World, artifacts: string): UnderWay {
  const work = new Map<string, Work>();
  let arrived: RunEvent[] = [];
  let broken: unknown;
  let wake = () => {};

  const arrive = (event: RunEvent) => {
    arrived.push(event);
    wake();
  };

  const take = () => {
    const facts = arrived;
    arrived = [];
    for (const fact of facts) if (isLast(fact)) work.delete(fact.path);
    return facts;
  };

  const halt = async (stopped: readonly (readonly [string, Work])[]) => {
    for (const [path, { stop }] of stopped) {
      work.delete(path);
      stop.abort(new Error("the run goes on without this"));
    }
    await Promise.all(stopped.map(([, { done }]) => done));
  };

  return {
    get busy() {
      return work.size > 0 || arrived.length > 0;
    },
    has: (path) => work.has(path),
    start(need, session) {
      const stop = new AbortController();
      const { facts, ledger } = session();
      const given = { runId: facts.run, artifacts, ledger, signal: stop.signal, arrive };
      const meeting = { ...given, ...asking(need, session) };
      const done = pursue(need, world, meeting).catch((error: unknown) => {
        if (stop.signal.aborted) return;
        broken = error;
        wake();
      });
      work.set(need.path, { stop, done });
    },
    async next() {
      if (arrived.length === 0 && broken === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      // What has arrived goes on record before the run stops for what broke.
      if (broken !== undefined && arrived.length === 0) throw broken;
      return take();
    },
    wake: () => wake(),
    async prune(needs) {
      arrived = arrived.filter((fact) => !("path" in fact) || needs.has(fact.path));
      await halt([...work].filter(([path]) => !needs.has(path)));
    },
    async stop() {
      const facts = take();
      await halt([...work]);
      return [...facts, ...take()];
    },
  };
}

/** What is asked of the run as it stands then. */
const asking = ({ path }: Need, session: () => Session) => ({
  inbox: () => session().inbox(path),
  usedUp: () => session().usedUp(),
});

/** Whether a fact is the last that its need brings. */
const isLast = (fact: RunEvent): fact is Extract<RunEvent, { type: "need.met" | "need.failed" }> =>
  fact.type === "need.met" || (fact.type === "need.failed" && fact.final);
