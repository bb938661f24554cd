import type { LogEvent } from "../../../src/engine/log-events.ts";
import { type History, play } from "./history.ts";
import { faultsOf } from "./oracles.ts";
import { playUndisturbed } from "./undisturbed.ts";
import { partsOf } from "./workflow.ts";

/** The violations of a history; empty if its workflow cannot lose those parts. */
export async function faultsWithout(
  seed: number,
  left: ReadonlySet<string>,
  judge: (history: History, undisturbed: readonly LogEvent[]) => readonly string[] = faultsOf,
): Promise<readonly string[]> {
  try {
    return judge(await play(seed, left), await playUndisturbed(seed, left));
  } catch {
    return [];
  }
}

/** Minimizes a failing history: returns the names of the parts that can be left out. Each try plays it again. */
export async function minimise(seed: number, judge = faultsOf): Promise<ReadonlySet<string>> {
  let left: ReadonlySet<string> = new Set();
  for (let before = -1; before < left.size; ) {
    before = left.size;
    for (const part of partsOf(seed)) {
      const more = new Set([...left, part]);
      if (more.size > left.size && (await faultsWithout(seed, more, judge)).length > 0) left = more;
    }
  }
  return left;
}
