import { relative, resolve } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { durations } from "../../scripts/gate/durations.ts";

const root = resolve(import.meta.dirname, "../..");

/** Seconds of a file that was never measured. */
const unknown = 5;

/** Starts the longest files of each project first, and cuts shards that take the same time. */
export class ByDuration extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted(
      (a, b) => projects(a).localeCompare(projects(b)) || secondsOf(b) - secondsOf(a) || compareNames(a, b),
    );
  }

  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard ?? { index: 1, count: 1 };
    const shards = cut(files.toSorted(compareNames), secondsOf, count);
    return [...(shards[index - 1] ?? [])];
  }
}

/** Cuts items into shards of about the same sum, the largest items first. */
export function cut<T>(
  items: readonly T[],
  size: (item: T) => number,
  count: number,
): readonly (readonly T[])[] {
  const shards = Array.from({ length: count }, () => ({ sum: 0, items: [] as T[] }));
  for (const item of items.toSorted((a, b) => size(b) - size(a))) {
    const least = shards.reduce((best, shard) => (shard.sum < best.sum ? shard : best));
    least.items.push(item);
    least.sum += size(item);
  }
  return shards.map((shard) => shard.items);
}

const nameOf = ({ moduleId }: TestSpecification) => relative(root, moduleId);
const projects = ({ project }: TestSpecification) => project.name;
const secondsOf = (file: TestSpecification) => durations.seconds[nameOf(file)] ?? unknown;
const compareNames = (a: TestSpecification, b: TestSpecification) => nameOf(a).localeCompare(nameOf(b));
