import type { Flow, Together } from "./flow.ts";

interface Driver<T> {
  /** Tells a branch from now on and reports its end. */
  start(flow: Flow<T>, ended: (value: T) => void): void;
  finish(ended: ReadonlyMap<string, T>): void;
}

/** Starts branches as those before them end, at a constant cost each: counters instead of looking for what is ready. */
export function driveTogether<T>({ branches, atMost, enough }: Together<T>, driver: Driver<T>): void {
  const ended = new Map<string, T>();
  const positions = new Map(branches.map(({ id }, position) => [id, position]));
  const missing = new Uint32Array(branches.length);
  const following: number[][] = branches.map(() => []);
  const ready: number[] = [];
  let next = 0;
  let underWay = 0;
  let stopped = false;

  for (const [position, { after }] of branches.entries()) {
    for (const id of after) {
      const before = positions.get(id);
      if (before === undefined) continue;
      following[before]?.push(position);
      missing[position] = (missing[position] ?? 0) + 1;
    }
    if (missing[position] === 0) ready.push(position);
  }
  pump();

  function pump() {
    while (!stopped && underWay < atMost && next < ready.length) {
      const position = ready[next++] ?? 0;
      const branch = branches[position];
      if (branch === undefined) continue;
      underWay += 1;
      driver.start(branch.begin(ended), (value) => settle(position, branch.id, value));
    }
    if (underWay === 0) driver.finish(ended);
  }

  function settle(position: number, id: string, value: T) {
    ended.set(id, value);
    underWay -= 1;
    stopped ||= enough?.(value) ?? false;
    for (const after of following[position] ?? []) {
      missing[after] = (missing[after] ?? 1) - 1;
      if (missing[after] === 0) ready.push(after);
    }
    pump();
  }
}
