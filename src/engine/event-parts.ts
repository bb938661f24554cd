/** What an iteration changed. */
export interface Diff {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  readonly paths: readonly string[];
}

/** A message for people. */
export interface Notice {
  readonly type: "notice";
  readonly code: string;
  readonly message: string;
  readonly path?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly hint?: string;
}

/** The tests of a check. `gone` and `new` are names, compared with the tests that ran before the first iteration. */
export interface TestCounts {
  readonly ran: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly gone: readonly string[];
  readonly new: readonly string[];
}

export interface CleanResult {
  readonly result: "passed" | "failed" | "unavailable";
  readonly ms?: number;
}
