/** Exit codes of the command line; public. */
export const exit = { ok: 0, failed: 1, usage: 2, paused: 3, cancelled: 4, lost: 5 } as const;

export type ExitCode = (typeof exit)[keyof typeof exit];

/** Usage error: nothing was run. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Someone else decided first: nothing was changed. */
export class LateError extends Error {
  override readonly name = "LateError";
}

/** The exit code for the session's current state. */
export function exitOf({ end }: { readonly end: { readonly conclusion: string } | undefined }): ExitCode {
  switch (end?.conclusion) {
    case undefined:
      return exit.paused;
    case "success":
    case "skipped":
      return exit.ok;
    case "cancelled":
      return exit.cancelled;
    default:
      return exit.failed;
  }
}
