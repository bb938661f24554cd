import type { ToldEvent } from "../../src/index.ts";

/** What was heard of the snapshots of a run. */
export interface Iterations {
  hear(event: ToldEvent): void;
  readonly all: readonly { readonly number: number; readonly snapshot: string }[];
  /** The snapshot that the last checks looked at; `undefined` where the workflow went on after them. */
  readonly checked: string | undefined;
}

/** Hears which snapshots the iterations of a run ended with. */
export function openIterations(): Iterations {
  const all: { number: number; snapshot: string }[] = [];
  const overItems = new Set<string>();
  let checked: string | undefined;
  return {
    all,
    get checked() {
      return checked;
    },
    hear(event) {
      if (event.type === "loop.started" && event.mode === "for-each") overItems.add(event.path);
      if (goesOn(event)) checked = undefined;
      // Of a loop within a loop the outer one's iterations are enough.
      if (event.type !== "iteration.ended" || event.path.split("#").length !== 2) return;
      const { number, snapshot } = event;
      if (snapshot !== undefined) all.push({ number, snapshot });
      checked = overItems.has(event.path.replace(/#\d+$/, "")) ? undefined : snapshot;
    },
  };
}

const goesOn = (event: ToldEvent) =>
  event.type === "node.started" ||
  event.type === "iteration.started" ||
  event.type === "agent.asked" ||
  (event.type === "notice" && event.code === "KEPT_BEST");
