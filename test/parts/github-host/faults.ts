/** What goes wrong: an answer of this status, no answer or half of one, or one that comes late. */
export interface Fault {
  readonly status?: number;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Carries the request out, then says nothing and closes. */
  readonly drop?: boolean;
  /** Carries the request out, and closes in the middle of the answer. */
  readonly halve?: boolean;
  /** Closes before anything is done. */
  readonly refuse?: boolean;
  readonly delayMs?: number;
}

export interface Faults {
  /** Breaks the requests that match (`POST /issues/*​/comments` as a pattern on method and path) so many times; for ever unless told. */
  fault(route: RegExp, what: Fault, times?: number): void;
  /** What happens to a request, if anything; counts it. */
  faultOf(line: string): Fault | undefined;
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
  return {
    fault: (route, what, times = Number.POSITIVE_INFINITY) => void planned.push({ route, what, left: times }),
    faultOf(line) {
      const found = planned.find(({ route, left }) => left > 0 && route.test(line));
      if (found !== undefined) found.left -= 1;
      return found?.what;
    },
    heal: () => {
      planned = [];
    },
  };
}
