/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly figure: string;
  /** What the figure is compared with, measured in the same run. */
  readonly reference?: string;
  readonly ratio?: number;
  readonly goal?: string;
  /** True if the goal is reached; absent if there is none. */
  readonly ok?: boolean;
}

interface Measured {
  readonly value: number;
  /** What it is compared with, measured in the same run, and its name. */
  readonly than?: readonly [value: number, name: string];
  readonly goal?: readonly [text: string, isReached: boolean];
}

/** A line of the table for values of one unit. */
export const row = (what: string, unit: (value: number) => string, measured: Measured): Row => {
  const { value, than, goal } = measured;
  return {
    what,
    figure: unit(value),
    ...(than && { reference: `${unit(than[0])}, ${than[1]}`, ratio: value / than[0] }),
    ...(goal && { goal: goal[0], ok: goal[1] }),
  };
};

/** Runs a measurement of a bench in its own process and returns the result. */
export type InChild = <T>(measurement: string, ...args: readonly (string | number)[]) => Promise<T>;

/** Some rows of the table, and how to measure them. */
export interface Bench {
  /** Requests measurements and makes rows of them. */
  rows(inChild: InChild): Promise<readonly Row[]>;
  /** Measurements that run in their own process, by name; they return plain JSON. */
  readonly measurements: Readonly<Record<string, (...args: readonly string[]) => unknown>>;
}
