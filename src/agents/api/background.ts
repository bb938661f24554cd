import { setTimeout as sleep } from "node:timers/promises";
import { headAndTail } from "../../processes/bounded-output.ts";

/** Background commands; they end with the turn. */
export interface Background {
  /** Starts a command; returns its name. `run` settles when it ends. */
  start(
    command: string,
    run: (signal: AbortSignal, onText: (text: string) => void) => Promise<string>,
  ): string;
  /** The output since the last call, and whether the command is still running. */
  look(name: string): string;
  /** Resolves when a command has ended, or after `most.ms`. */
  wait(name: string, most: { readonly ms: number; readonly signal: AbortSignal }): Promise<void>;
  /** Ends a command; resolves once it has exited. */
  stop(name: string): Promise<void>;
  /** Ends all commands; resolves with those that were still running. */
  end(): Promise<readonly string[]>;
}

interface Started {
  readonly command: string;
  readonly halt: AbortController;
  readonly over: Promise<void>;
  fresh: ReturnType<typeof headAndTail>;
  how: string | undefined;
}

const mostFresh = 16 * 1024;

export function openBackground(): Background {
  const all = new Map<string, Started>();
  const named = (name: string) => {
    const command = all.get(name);
    if (command === undefined)
      throw new Error(`there is no ${name}; there are ${[...all.keys()].join(", ") || "none"}`);
    return command;
  };
  return {
    start(command, run) {
      const halt = new AbortController();
      const one: Started = {
        command,
        halt,
        over: Promise.resolve(),
        fresh: headAndTail(mostFresh),
        how: undefined,
      };
      const over = run(halt.signal, (text) => one.fresh.push(Buffer.from(text)))
        .catch((error: unknown) => (halt.signal.aborted ? "ended" : (error as Error).message))
        .then((how) => {
          one.how = how;
        });
      const name = `job-${all.size + 1}`;
      all.set(name, Object.assign(one, { over }));
      return name;
    },
    look(name) {
      const one = named(name);
      const text = one.fresh.text();
      one.fresh = headAndTail(mostFresh);
      return `${text === "" ? "(nothing new)" : text}\n(${one.how ?? "still running"})`;
    },
    async wait(name, { ms, signal }) {
      await Promise.race([named(name).over, sleep(ms, undefined, { signal, ref: false })]);
    },
    async stop(name) {
      const { halt, over } = named(name);
      halt.abort(new Error("ended"));
      await over;
    },
    async end() {
      const running = [...all.values()].filter(({ how }) => how === undefined);
      for (const { halt } of running) halt.abort(new Error("the turn is over"));
      await Promise.all(running.map(({ over }) => over));
      all.clear();
      return running.map(({ command }) => command);
    },
  };
}
