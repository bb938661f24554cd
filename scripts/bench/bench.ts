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

/** Runs a measurement of a bench in its own process and returns the result. */
export type InChild = <T>(measurement: string, ...args: readonly (string | number)[]) => Promise<T>;

/** Some rows of the table, and how to measure them. */
export interface Bench {
  /** Requests measurements and makes rows of them. */
  rows(inChild: InChild): Promise<readonly Row[]>;
  /** Measurements that run in their own process, by name; they return plain JSON. */
  readonly measurements: Readonly<Record<string, (...args: readonly string[]) => unknown>>;
}
