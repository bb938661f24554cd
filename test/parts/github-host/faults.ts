/** A fault: a response with this status, no response, half of one, or a late one. */
export interface Fault {
  readonly status?: number;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Executes the request, then closes without a response. */
  readonly drop?: boolean;
  /** Executes the request, and closes in the middle of the response. */
  readonly halve?: boolean;
  /** Closes before anything is done. */
  readonly refuse?: boolean;
  readonly delayMs?: number;
}

export interface Faults {
  /**
   * Adds a fault for matching requests (`POST /issues/*​/comments` as a pattern on method and path), this many times;
   * default always.
   */
  fault(route: RegExp, what: Fault, times?: number): void;
  /** Returns and counts the fault of a request, if any. */
  faultOf(line: string): Fault | undefined;
  /** Renames the repository: requests with its old name are redirected, like those of GitHub. */
  rename(name: string): void;
  /** The repository's new name, such as `octocat/hi`. */
  renamed(): string | undefined;
  /** Ends all faults. */
  heal(): void;
}

interface Planned {
  readonly route: RegExp;
  readonly what: Fault;
  left: number;
}

export function openFaults(): Faults {
  let planned: Planned[] = [];
  let newName: string | undefined;
  return {
    rename(name) {
      newName = name;
    },
    renamed: () => newName,
    fault: (route, what, times = Number.POSITIVE_INFINITY) => void planned.push({ route, what, left: times }),
    faultOf(line) {
      const fault = planned.find(({ route, left }) => left > 0 && route.test(line));
      if (fault !== undefined) fault.left -= 1;
      return fault?.what;
    },
    heal: () => {
      planned = [];
    },
  };
}
