import type { Json } from "../ports/json.ts";
import type { Plan } from "./plan.ts";

/** One job's part of a list. */
export interface SpreadJob {
  /** Counted from 1, across all matrices. */
  readonly number: number;
  readonly items: readonly Json[];
}

/**
 * GitHub's maximum number of jobs in one matrix, and the maximum for one run, which is limited by the names of its
 * refs.
 */
export const mostJobs = { matrix: 256, run: 9_999 } as const;

/** A for-each loop whose items are spread over jobs. */
export interface SpreadLoop {
  /** The loop's node. */
  readonly node: string;
  /** The input with the list. */
  readonly input: string;
  /** Number of items per job. */
  readonly batch?: number;
  /** Maximum number of parallel jobs. */
  readonly maxParallel?: number;
}

/** The loop of a workflow that is spread over jobs. There is at most one. */
export function spreadLoop({ body }: Plan): SpreadLoop | undefined {
  if (body.kind !== "graph") return undefined;
  const loops = body.nodes.flatMap((node) =>
    node.kind === "for-each" && node.spread !== undefined ? [{ node: node.id, ...node.spread }] : [],
  );
  return loops[0];
}

/** The matrices for a list. Without `batch`, the items are divided so that one matrix holds them. */
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
