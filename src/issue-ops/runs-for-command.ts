import { decisionOf } from "../decisions/answer.ts";
import type { RunCommand } from "../decisions/parse-comment.ts";
import type { RunStatus } from "../status/run-status.ts";

interface Run {
  readonly status: RunStatus;
}

/** The runs that a command without an id can be for. */
export function runsFor<T extends Run>(kind: RunCommand["kind"], runs: readonly T[]): readonly T[] {
  const answerable = runs.filter(({ status }) => isAnswerable(status, kind));
  return answerable.length > 0 ? answerable : justDecided(kind, runs);
}

function isAnswerable({ summary, gates }: RunStatus, kind: RunCommand["kind"]): boolean {
  if (kind === "status") return true;
  if (kind === "retry") return summary.state === "ended" && summary.stopReason === "max-iterations";
  if (summary.state === "ended") return false;
  return decisionOf(kind) === undefined || gates.length > 0;
}

/** A run that somebody was quicker to decide: the reply names that person. */
function justDecided<T extends Run>(kind: RunCommand["kind"], runs: readonly T[]): readonly T[] {
  if (decisionOf(kind) === undefined) return [];
  const decided = runs.filter(
    ({ status }) => status.summary.state !== "ended" && (status.decided ?? []).length > 0,
  );
  return decided.length === 1 ? decided : [];
}
