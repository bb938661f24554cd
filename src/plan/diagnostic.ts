/** The diagnostic codes; stable, see the docs. */
export const diagnosticCodes = [
  "MISSING_NAME",
  "NO_NODES",
  "BAD_ID",
  "DUPLICATE_ID",
  "UNKNOWN_DEPENDENCY",
  "CYCLE",
  "UNKNOWN_FIELD",
  "DUPLICATE_KEY",
  "BAD_VALUE",
  "BAD_YAML",
  "TOO_LARGE",
  "UNKNOWN_DIALECT",
  "ONE_KIND",
  "UNKNOWN_REFERENCE",
  "BAD_EXPRESSION",
  "LOOP_NO_STOP",
  "LOOP_BLANK_STOP",
  "LOOP_MAX_MISSING",
  "LOOP_MAX_RANGE",
  "LOOP_MODE_CONFLICT",
  "LOOP_EMPTY_LIST",
  "LOOP_EMPTY_BODY",
  "LOOP_NESTED",
  "LOOP_SELF_REFERENCE",
  "LOOP_RETRY",
  "GATE_MESSAGE_MISSING",
  "JUDGE_UNKNOWN",
  "JUDGE_SCHEMA",
  "CARRY_SOURCE_UNKNOWN",
  "UNKNOWN_AGENT",
  "UNKNOWN_WORKFLOW",
  "CALL_CYCLE",
  "CODE_REJECTED",
  "BAD_OPERATOR",
  "IGNORED_FIELD",
  "INTERACTIVE_NOT_DECLARED",
  "LIMIT",
  "BAD_SHELL",
  "SHORT_DURATION",
  "STRICT_SHELL",
  "GLOB_NO_MATCH",
] as const;

export type DiagnosticCode = (typeof diagnosticCodes)[number];

/** A fault in a document, at a place given as a path of keys. */
export interface Fault {
  readonly code: DiagnosticCode;
  readonly message: string;
  /** Keys and indexes from the root. The position is that of the value, or of the key if `onKey`. */
  readonly at: readonly (string | number)[];
  readonly onKey?: boolean;
  /** An offset inside the text at that place. */
  readonly offset?: number;
  readonly hint?: string;
  /** The place of the first occurrence, if the fault is a repetition; the message names its line. */
  readonly first?: readonly (string | number)[];
  /** True if the file can still run. */
  readonly warning?: boolean;
  /** Not a fault if the caller of the workflow passes this input. */
  readonly unlessGiven?: string;
}

/** A fault in a workflow file, for its author; lines and columns from 1. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly hint?: string;
  readonly warning?: boolean;
}
