import { driveTogether } from "./together.ts";
import { failed, type Outcome } from "./outcome.ts";
import type { Flow, Need } from "./flow.ts";
import type { Ledger } from "./ledger.ts";
import type { Told } from "./told.ts";

/** What the flows of a run reach outside themselves. */
interface Surface {
  readonly ledger: Ledger;
  tell(told: Told): void;
  open(need: Need): void;
  end(outcome: Outcome): void;
}

interface Fiber {
  readonly flow: Flow<unknown>;
  ended(value: unknown): void;
}

type Input = { readonly value: unknown } | { readonly error: Error };

/** Keeps the told flows of a run alive and hands each fact to the flow that waits for it. */
export interface Fibers {
  begin(root: Flow<Outcome>): void;
  resume(path: string, input: Input): void;
  /** Ends all flows at once. */
  stop(outcome: Outcome): void;
}

export function startFibers(surface: Surface): Fibers {
  const waiting = new Map<string, Fiber>();
  let queue: { readonly fiber: Fiber; readonly input: Input }[] = [];
  let stopped = false;

  const stop = (outcome: Outcome) => {
    if (stopped) return;
    stopped = true;
    queue = [];
    waiting.clear();
    surface.end(outcome);
  };

  // A queue instead of calls: ten thousand nodes that end at once must not nest.
  const drain = () => {
    for (let head = 0; head < queue.length; head++) {
      const next = queue[head];
      if (next) advance(next.fiber, next.input);
    }
    queue = [];
  };

  const advance = (fiber: Fiber, input: Input) => {
    const { flow } = fiber;
    let next = "error" in input ? flow.throw(input.error) : flow.next(input.value);
    while (!stopped) {
      if (next.done) return fiber.ended(next.value);
      const step = next.value;
      switch (step.step) {
        case "tell":
          surface.tell(step.told);
          next = flow.next();
          break;
        case "ledger":
          next = flow.next(surface.ledger);
          break;
        case "need":
          surface.open(step.need);
          waiting.set(step.need.path, fiber);
          return;
        case "together":
          driveTogether(step.together, {
            start: (inner, ended) => queue.push({ fiber: { flow: inner, ended }, input: { value: undefined } }),
            finish: (value) => queue.push({ fiber, input: { value } }),
          });
          return;
        case "end":
          return stop(step.outcome);
      }
    }
  };

  const push = (fiber: Fiber, input: Input) => {
    queue.push({ fiber, input });
    try {
      drain();
    } catch (error) {
      stop(failed("internal", `a defect in until-green: ${error instanceof Error ? error.message : error}`));
    }
  };

  return {
    begin: (root) => push({ flow: root, ended: (value) => stop(value as Outcome) }, { value: undefined }),
    resume(path, input) {
      const fiber = waiting.get(path);
      waiting.delete(path);
      if (fiber) push(fiber, input);
    },
    stop,
  };
}
