import { messageOf } from "../ports/message-of.ts";
import { runBranches } from "./dependency-scheduler.ts";
import type { Effect, Operation, Parallel } from "./operation.ts";
import { failed, type Outcome } from "./outcome.ts";
import type { RunEventBody } from "./run-events.ts";
import type { RunTotals } from "./run-totals.ts";

/** The scheduler's access to the rest of the session. */
interface SchedulerHost {
  readonly totals: RunTotals;
  emit(event: RunEventBody): void;
  open(effect: Effect): void;
  end(outcome: Outcome): void;
}

interface Fiber {
  readonly operation: Operation<unknown>;
  /** The parallel group that this branch belongs to, and its position there. */
  readonly of?: OpenBranches;
  readonly id?: string;
  ended(value: unknown): void;
}

/** Branches that have not ended, and which of them have started. */
interface OpenBranches {
  // biome-ignore lint/suspicious/noExplicitAny: the types of branch results are known only to the parent
  readonly parallel: Parallel<any>;
  readonly started: Set<string>;
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

export function createScheduler(host: SchedulerHost): Scheduler {
  const machine: Machine = {
    host,
    waiting: new Map(),
    suspended: [],
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
      const message = messageOf(error);
      stop(machine, failed("internal", `a defect in until-green: ${message}`));
    }
  };
  return {
    begin(root) {
      const ended = (value: unknown) => stop(machine, value as Outcome);
      push({ operation: root, ended }, { value: undefined });
    },
    resume(path, input) {
      const fiber = machine.waiting.get(path);
      machine.waiting.delete(path);
      if (fiber) push(fiber, input);
    },
    wake() {
      const rested = machine.suspended.splice(0);
      machine.queue.push(...rested.map((fiber) => ({ fiber, input: { value: undefined } })));
      run();
    },
    stop: (outcome) => stop(machine, outcome),
  };
}

interface Machine {
  readonly host: SchedulerHost;
  readonly waiting: Map<string, Fiber>;
  readonly suspended: Fiber[];
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
  machine.suspended.length = 0;
  for (const branches of [...machine.open].reverse()) emitNotStarted(branches, machine);
  machine.open.clear();
  machine.host.end(outcome);
}

function emitNotStarted(
  { parallel: { branches, never }, started: startedIds }: OpenBranches,
  { host: surface }: Machine,
): void {
  if (never === undefined) return;
  for (const { id } of branches) {
    const event = startedIds.has(id) ? undefined : never(id);
    if (event !== undefined) surface.emit(event);
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
  const { operation } = fiber;
  if (fiber.id !== undefined) fiber.of?.started.add(fiber.id);
  let next = "error" in input ? operation.throw(input.error) : operation.next(input.value);
  while (!machine.stopped) {
    if (next.done) {
      fiber.ended(next.value);
      return;
    }
    const step = next.value;
    switch (step.step) {
      case "emit":
        machine.host.emit(step.event);
        next = operation.next();
        break;
      case "totals":
        next = operation.next(machine.host.totals);
        break;
      case "perform":
        machine.host.open(step.effect);
        machine.waiting.set(step.effect.path, fiber);
        return;
      case "suspend":
        machine.suspended.push(fiber);
        return;
      case "parallel":
        branch(step.parallel, fiber, machine);
        return;
      case "end":
        stop(machine, step.outcome);
        return;
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the types of branch results are known only to the parent
function branch(parallel: Parallel<any>, parent: Fiber, { queue, open }: Machine): void {
  const branches: OpenBranches = { parallel, started: new Set() };
  open.add(branches);
  runBranches(parallel, {
    start: ({ id, operation }, ended) =>
      queue.push({ fiber: { operation, ended, id, of: branches }, input: { value: undefined } }),
    finish(value) {
      open.delete(branches);
      queue.push({ fiber: parent, input: { value } });
    },
  });
}
