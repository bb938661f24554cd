import { runBranches } from "./dependency-scheduler.ts";
import type { Effect, Operation, Parallel } from "./operation.ts";
import { failed, type Outcome } from "./outcome.ts";
import type { RunEventBody } from "./run-events.ts";
import type { RunTotals } from "./run-totals.ts";

/** What the operations of a run reach outside themselves. */
interface Surface {
  readonly ledger: RunTotals;
  tell(told: RunEventBody): void;
  open(need: Effect): void;
  end(outcome: Outcome): void;
}

interface Fiber {
  readonly flow: Operation<unknown>;
  /** The parent whose branch this is, and which branch. */
  readonly of?: OpenBranches;
  readonly id?: string;
  ended(value: unknown): void;
}

/** Branches that have not ended, and which of them have started. */
interface OpenBranches {
  // biome-ignore lint/suspicious/noExplicitAny: as in a step, what the branches bring is their parent's business
  readonly flows: Parallel<any>;
  readonly begun: Set<string>;
}

type Input = { readonly value: unknown } | { readonly error: Error };

/** Keeps the suspended operations of a run and passes each answer to the operation that waits for it. */
export interface Scheduler {
  begin(root: Operation<Outcome>): void;
  resume(path: string, input: Input): void;
  /** Resumes suspended operations in the order in which they were suspended. */
  wake(): void;
  /** Ends all operations at once. */
  stop(outcome: Outcome): void;
}

export function createScheduler(surface: Surface): Scheduler {
  const machine: Machine = {
    surface,
    waiting: new Map(),
    resting: [],
    queue: [],
    open: new Set(),
    stopped: false,
  };
  const push = (fiber: Fiber, input: Input) => {
    machine.queue.push({ fiber, input });
    run();
  };
  const run = () => {
    try {
      drain(machine);
    } catch (error) {
      const because = error instanceof Error ? error.message : String(error);
      stop(machine, failed("internal", `a defect in until-green: ${because}`));
    }
  };
  return {
    begin(root) {
      const ended = (value: unknown) => stop(machine, value as Outcome);
      push({ flow: root, ended }, { value: undefined });
    },
    resume(path, input) {
      const fiber = machine.waiting.get(path);
      machine.waiting.delete(path);
      if (fiber) push(fiber, input);
    },
    wake() {
      const rested = machine.resting.splice(0);
      machine.queue.push(...rested.map((fiber) => ({ fiber, input: { value: undefined } })));
      run();
    },
    stop: (outcome) => stop(machine, outcome),
  };
}

interface Machine {
  readonly surface: Surface;
  readonly waiting: Map<string, Fiber>;
  readonly resting: Fiber[];
  /** A queue instead of recursion: ten thousand nodes may end at once. */
  readonly queue: { readonly fiber: Fiber; readonly input: Input }[];
  readonly open: Set<OpenBranches>;
  stopped: boolean;
}

function stop(machine: Machine, outcome: Outcome): void {
  if (machine.stopped) return;
  machine.stopped = true;
  machine.queue.length = 0;
  machine.waiting.clear();
  machine.resting.length = 0;
  for (const branches of [...machine.open].reverse()) tellUnbegun(branches, machine);
  machine.open.clear();
  machine.surface.end(outcome);
}

function tellUnbegun({ flows: { branches, never }, begun }: OpenBranches, { surface }: Machine): void {
  if (never === undefined) return;
  for (const { id } of branches) {
    const told = begun.has(id) ? undefined : never(id);
    if (told !== undefined) surface.tell(told);
  }
}

function drain(machine: Machine): void {
  for (let head = 0; head < machine.queue.length; head++) {
    const next = machine.queue[head];
    if (next) advance(next.fiber, next.input, machine);
  }
  machine.queue.length = 0;
}

/** Runs an operation until it suspends or ends. */
function advance(fiber: Fiber, input: Input, machine: Machine): void {
  const { flow } = fiber;
  if (fiber.id !== undefined) fiber.of?.begun.add(fiber.id);
  let next = "error" in input ? flow.throw(input.error) : flow.next(input.value);
  while (!machine.stopped) {
    if (next.done) {
      fiber.ended(next.value);
      return;
    }
    const step = next.value;
    switch (step.step) {
      case "tell":
        machine.surface.tell(step.told);
        next = flow.next();
        break;
      case "ledger":
        next = flow.next(machine.surface.ledger);
        break;
      case "need":
        machine.surface.open(step.need);
        machine.waiting.set(step.need.path, fiber);
        return;
      case "rest":
        machine.resting.push(fiber);
        return;
      case "together":
        branch(step.together, fiber, machine);
        return;
      case "end":
        stop(machine, step.outcome);
        return;
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: as in a step, what the branches bring is their parent's business
function branch(flows: Parallel<any>, parent: Fiber, { queue, open }: Machine): void {
  const branches: OpenBranches = { flows, begun: new Set() };
  open.add(branches);
  runBranches(flows, {
    start: ({ id, flow }, ended) =>
      queue.push({ fiber: { flow, ended, id, of: branches }, input: { value: undefined } }),
    finish(value) {
      open.delete(branches);
      queue.push({ fiber: parent, input: { value } });
    },
  });
}
