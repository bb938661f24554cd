/** The median. */
export const median = (figures: readonly number[]): number => percentile(figures, 50);

/** The percentile: the figure that this many percent do not exceed. */
export function percentile(figures: readonly number[], percent: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/** Duration of a function in milliseconds; garbage is collected before. */
export async function timed(work: () => unknown): Promise<number> {
  globalThis.gc?.();
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** Repeats a measurement sequentially. */
export async function repeated<T>(times: number, work: () => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  for (let round = 0; round < times; round += 1) results.push(await work());
  return results;
}

/** Alternates two measurements, so that a busy moment of the machine affects both; returns their medians. */
export async function byTurns(
  times: number,
  one: () => Promise<number>,
  other: () => Promise<number>,
): Promise<readonly [number, number]> {
  const ones: number[] = [];
  const others: number[] = [];
  for (let round = 0; round < times; round += 1) {
    if (round % 2 === 0) ones.push(await one());
    others.push(await other());
    if (round % 2 === 1) ones.push(await one());
  }
  return [median(ones), median(others)];
}

export const ms = (value: number): string => `${short(value)} ms`;
export const us = (value: number): string => `${short(value)} µs`;
export const mb = (bytes: number): string => `${short(bytes / 2 ** 20)} MiB`;
export const times = (ratio: number): string => `${ratio.toFixed(ratio < 10 ? 2 : 0)}x`;

const short = (value: number): string =>
  value.toLocaleString("en", {
    maximumFractionDigits: Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0,
  });
