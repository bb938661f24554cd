/** Archon's keys that are ignored with a warning. */
export const ignoredInDocument: ReadonlySet<string> = new Set([
  "sandbox",
  "worktree",
  "container",
  "tags",
  "requires",
  "persist_sessions",
  "mutates_checkout",
  "version",
  "additionalDirectories",
  "deprecated",
]);

export const ignoredInNode: ReadonlySet<string> = new Set([
  "always_run",
  "output_type",
  "sandbox",
  "persist_session",
  "pi",
  "plugins",
  "settingSources",
]);

export const ignoredInBudget: ReadonlySet<string> = new Set(["max_work_units"]);
