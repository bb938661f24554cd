import type { RunEvent } from "../../src/api/runs.ts";

/** The snapshots of a run seen so far. */
export interface Iterations {
  record(event: RunEvent): void;
  readonly all: readonly { readonly number: number; readonly snapshot: string }[];
  /** The snapshot that the last checks tested; `undefined` if the workflow continued after them. */
  readonly checked: string | undefined;
  /** The agents' last notes, oldest first. */
  readonly notes: readonly string[];
}

/** Records the final snapshot of each iteration. */
export function openIterations(): Iterations {
  const all: { number: number; snapshot: string }[] = [];
  const overItems = new Set<string>();
  const notes: string[] = [];
  let checked: string | undefined;
  return {
    all,
    notes,
    get checked() {
      return checked;
    },
    record(event) {
      if (event.type === "loop.started" && event.mode !== "repeat") overItems.add(event.path);
      if (isContinued(event)) checked = undefined;
      notes.push(...notesIn(event));
      notes.splice(0, notes.length - mostNotes);
      // For nested loops, the outer loop's iterations are enough.
      if (event.type !== "iteration.ended" || event.path.split("#").length !== 2) return;
      const { number, snapshot, attempt } = event;
      // Only the best attempt's work is published, and the workspace contains it at the end.
      if (snapshot !== undefined && attempt === undefined) all.push({ number, snapshot });
      checked = overItems.has(event.path.replace(/#\d+$/, "")) ? undefined : snapshot;
    },
  };
}

const notesIn = (event: RunEvent) =>
  event.type === "agent.answered" && event.note !== undefined ? [event.note] : [];

/** Maximum number of notes passed to a later run. */
const mostNotes = 5;

const isContinued = (event: RunEvent) =>
  event.type === "node.started" ||
  event.type === "iteration.started" ||
  event.type === "agent.asked" ||
  (event.type === "notice" && event.code === "KEPT_BEST");
