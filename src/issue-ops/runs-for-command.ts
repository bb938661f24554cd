import { decisionOf } from "../decisions/answer.ts";
import { type RunCommandName, runCommand } from "../decisions/commands/table.ts";
import type { RunStatus } from "../status/run-status.ts";

interface Run {
  readonly status: RunStatus;
}

/** The runs that a command without an id can be for. */
export function runsFor<T extends Run>(kind: RunCommandName, runs: readonly T[]): readonly T[] {
  const answerable = runs.filter(({ status }) => isAnswerable(status, kind));
  return answerable.length > 0 ? answerable : justDecided(kind, runs);
}

const isAnswerable = ({ summary, gates }: RunStatus, kind: RunCommandName): boolean =>
  runCommand(kind).appliesTo.fits({ ...summary, gates });

/** A run that somebody was quicker to decide: the reply names that person. */
function justDecided<T extends Run>(kind: RunCommandName, runs: readonly T[]): readonly T[] {
  if (decisionOf(kind) === undefined) return [];
  const decided = runs.filter(
    ({ status }) => status.summary.state !== "ended" && (status.decided ?? []).length > 0,
  );
  return decided.length === 1 ? decided : [];
}
