/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly figure: string;
  /** What the figure is held against, measured in the same run. */
  readonly reference?: string;
  readonly ratio?: number;
  readonly goal?: string;
  /** Whether the goal is reached; left out where there is none. */
  readonly ok?: boolean;
}

/** Runs a measurement of a bench in a process of its own and answers what it found. */
export type InChild = <T>(measurement: string, ...words: readonly (string | number)[]) => Promise<T>;

/** Some rows of the table, and how their figures are found. */
export interface Bench {
  /** Asks for measurements and makes rows of them. */
  rows(inChild: InChild): Promise<readonly Row[]>;
  /** What runs in a process of its own, by name; answers plain JSON. */
  readonly measurements: Readonly<Record<string, (...words: readonly string[]) => unknown>>;
}
