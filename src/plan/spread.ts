import type { Json } from "../ports/json.ts";
import type { Plan } from "./plan.ts";

/** One job's part of a list. */
export interface SpreadJob {
  /** Counted from 1, over all matrices. */
  readonly number: number;
  readonly items: readonly Json[];
}

/** The most jobs that GitHub takes in one matrix, and that the refs of one run can have in all. */
export const mostJobs = { matrix: 256, run: 9_999 } as const;

/** How a workflow's list is spread over jobs. */
export interface SpreadLoop {
  /** The loop's node. */
  readonly node: string;
  /** The input with the list. */
  readonly input: string;
  /** Items in one job. */
  readonly batch?: number;
  /** Jobs that run at the same time. */
  readonly maxParallel?: number;
}

/** The loop of a workflow that is spread over jobs; one at most is. */
export function spreadLoop({ body }: Plan): SpreadLoop | undefined {
  if (body.kind !== "graph") return undefined;
  const found = body.nodes.flatMap((node) =>
    node.kind === "for-each" && node.spread !== undefined ? [{ node: node.id, ...node.spread }] : [],
  );
  return found[0];
}

/** The matrices for a list. Without a batch the items are divided so that one matrix holds them. */
export function spreadItems(
  items: readonly Json[],
  batch: number = Math.max(1, Math.ceil(items.length / mostJobs.matrix)),
): readonly (readonly SpreadJob[])[] {
  const jobs = chunks(items, batch).map((part, at) => ({ number: at + 1, items: part }));
  return chunks(jobs, mostJobs.matrix);
}

function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) =>
    list.slice(at * size, (at + 1) * size),
  );
}
