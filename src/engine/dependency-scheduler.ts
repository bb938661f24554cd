import type { Branch, Operation, Parallel } from "./operation.ts";

interface Driver<T> {
  /** Starts a branch now and reports its end. */
  start(branch: { readonly id: string; readonly operation: Operation<T> }, ended: (value: T) => void): void;
  finish(ended: ReadonlyMap<string, T>): void;
}

/** Starts branches as their dependencies end, at constant cost each: in-degree counters, no search for ready ones. */
export function runBranches<T>({ branches, atMost, inOrder, enough }: Parallel<T>, driver: Driver<T>): void {
  const ended = new Map<string, T>();
  const { missing, release } = chainsOf(branches);
  const ready: number[] = [];
  let next = 0;
  let inFlight = 0;
  let stopped = false;

  for (const [position, count] of missing.entries()) if (count === 0) ready.push(position);
  pump();

  function pump() {
    while (!stopped && inFlight < atMost && next < ready.length) {
      const position = ready[next++] ?? 0;
      const branch = branches[position];
      if (branch === undefined) continue;
      inFlight += 1;
      const { id } = branch;
      driver.start({ id, operation: branch.begin(ended) }, (value) => settle(position, id, value));
    }
    if (inFlight === 0) driver.finish(ended);
  }

  function settle(position: number, id: string, value: T) {
    ended.set(id, value);
    inFlight -= 1;
    stopped ||= enough?.(value) ?? false;
    const known = ready.length;
    release(position, ready);
    if (inOrder && ready.length > known) sortFrom(ready, next);
    pump();
  }
}

/** Sorts the ready branches from index `start` on into list order. */
function sortFrom(ready: number[], start: number): void {
  const waiting = ready.splice(start).sort((a, b) => a - b);
  for (const position of waiting) ready.push(position);
}

/**
 * Dependents as linked lists in flat arrays: an array per branch would cost more than running ten thousand branches.
 */
function chainsOf(branches: readonly Pick<Branch<never>, "id" | "after">[]) {
  const positions = new Map<string, number>();
  for (const [position, { id }] of branches.entries()) positions.set(id, position);
  const missing = new Uint32Array(branches.length);
  const first = new Int32Array(branches.length).fill(-1);
  const reader: number[] = [];
  const next: number[] = [];

  // Built from the back, so that each chain lists dependents in file order.
  for (let position = branches.length - 1; position >= 0; position--) {
    for (const id of branches[position]?.after ?? []) {
      const before = positions.get(id);
      if (before === undefined) continue;
      next.push(first[before] ?? -1);
      first[before] = reader.push(position) - 1;
      missing[position] = (missing[position] ?? 0) + 1;
    }
  }

  return {
    /** How many dependencies each branch still waits for. */
    missing,
    /** Appends to `ready` the dependents for which this branch was the last dependency. */
    release(position: number, ready: number[]) {
      for (let edge = first[position] ?? -1; edge >= 0; edge = next[edge] ?? -1) {
        const waiting = reader[edge] ?? 0;
        missing[waiting] = (missing[waiting] ?? 1) - 1;
        if (missing[waiting] === 0) ready.push(waiting);
      }
    },
  };
}
