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
