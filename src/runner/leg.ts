import type { RunEvent } from "../engine/event.ts";
import type { Need } from "../engine/flow.ts";
import { StaleLogError } from "../ports/store.ts";
import { type OpenRun, openRun, writeEvent } from "./log.ts";
import { pursue } from "./pursue.ts";
import type { World } from "./world.ts";

/** Another runner took the run over: this one stops, records nothing more and says nothing more. */
export class LostRunError extends Error {
  override readonly name = "LostRunError";
}

/** One process's stretch of a run: what is under way, what came of it, what is on record. */
export interface Leg {
  readonly run: OpenRun;
  /** Whether anything is under way that will bring an event. */
  readonly busy: boolean;
  /** Puts facts on record, tells what follows from them and begins the needs they open. */
  record(facts: readonly RunEvent[]): Promise<void>;
  /** Reads what others have put on record. */
  look(): Promise<void>;
  /** The facts that have arrived, waiting for the first; none when woken without any. Throws what broke. */
  next(): Promise<readonly RunEvent[]>;
  wake(): void;
  /** Stops all that is under way, and waits until it has stopped. */
  abandon(): Promise<void>;
}

interface UnderWay {
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

export function startLeg(opened: OpenRun, world: World, artifacts: string): Leg {
  const underWay = new Map<string, UnderWay>();
  let run = opened;
  let told = 0;
  let arrived: RunEvent[] = [];
  let broken: unknown;
  let wake = () => {};

  const arrive = (event: RunEvent) => {
    arrived.push(event);
    wake();
  };

  const start = (need: Need) => {
    const stop = new AbortController();
    const { facts, ledger } = run.session;
    const meeting = { runId: facts.run, artifacts, ledger, signal: stop.signal };
    const done = pursue(need, world, { meeting, arrive }).catch((error: unknown) => {
      if (stop.signal.aborted) return;
      broken = error;
      wake();
    });
    underWay.set(need.path, { stop, done });
  };

  /** Stops what the run no longer needs: a cancelled run's agents, the losers of a decision. */
  const prune = async () => {
    for (const [path, { stop, done }] of underWay) {
      if (run.session.needs.has(path)) continue;
      underWay.delete(path);
      stop.abort(new Error("the run no longer needs this"));
      await done;
    }
  };

  const tell = () => {
    for (const event of run.session.take()) {
      if (event.seq <= told) continue;
      told = event.seq;
      world.tell(event);
    }
  };

  const record = async (facts: readonly RunEvent[]): Promise<void> => {
    const { session } = run;
    const lines = [...facts];
    for (const fact of facts) session.feed(fact);
    const begin = [...session.needs.values()].filter(({ path, port }) => port !== "human" && !session.begun(path));
    for (const { path } of begin) {
      const begun = { type: "need.begun", at: world.clock.now(), path } as const;
      session.feed(begun);
      lines.push(begun);
    }
    if (session.end !== undefined && facts.length > 0) lines.push({ ...session.end, at: world.clock.now() });
    try {
      if (lines.length > 0) await world.store.append(session.facts.run, run.lines, lines.map(writeEvent));
    } catch (error) {
      if (!(error instanceof StaleLogError)) throw error;
      return await rebase(facts);
    }
    run.lines += lines.length;
    tell();
    await prune();
    // Begun by path: the session may have changed a need since it opened.
    for (const { path } of begin) {
      const need = session.needs.get(path);
      if (need !== undefined) start(need);
    }
  };

  /** Others wrote first: takes the run as it stands on record and adds what is still news. */
  const rebase = async (facts: readonly RunEvent[]): Promise<void> => {
    run = await openOwn();
    await record(facts.filter((fact) => !("path" in fact) || run.session.needs.has(fact.path)));
  };

  const openOwn = async (): Promise<OpenRun> => {
    const { facts } = run.session;
    const known = run.lines;
    const fresh = await openRun(world.store, facts.run, (event, line) => {
      if (line > known && event.type === "run.resumed" && event.by !== world.owner) throw lost(event.by);
    });
    return fresh;
  };

  return {
    get run() {
      return run;
    },
    get busy() {
      return underWay.size > 0 || arrived.length > 0;
    },
    record,
    async look() {
      const lines = await world.store.read(run.session.facts.run, run.lines);
      if (lines.length === 0) return;
      run = await openOwn();
      tell();
      await prune();
      await record([]);
    },
    async next() {
      if (arrived.length === 0 && broken === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (broken !== undefined) throw broken;
      const facts = arrived;
      arrived = [];
      for (const fact of facts) {
        if ("path" in fact && !(fact.type === "need.failed" && !fact.final)) underWay.delete(fact.path);
      }
      return facts;
    },
    wake: () => wake(),
    async abandon() {
      for (const { stop } of underWay.values()) stop.abort(new Error("the run stops here"));
      await Promise.all([...underWay.values()].map(({ done }) => done));
      underWay.clear();
      arrived = [];
    },
  };
}

const lost = (by: string) => new LostRunError(`the run was taken over by ${by}`);
