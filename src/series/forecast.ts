import type { GoalRecord } from "./record.ts";

/** The probable cost of the next attempt, estimated from the last 30: an 80 % range. */
export interface Forecast {
  readonly attempts: number;
  readonly usd: readonly [number, number];
  readonly iterations: readonly [number, number];
}

/** A forecast from the recorded attempts in which an agent worked; `undefined` if there are fewer than three. */
export function forecastOf({ attempts }: GoalRecord): Forecast | undefined {
  const worked = attempts.filter(({ iterations }) => iterations > 0);
  if (worked.length < 3) return undefined;
  return {
    attempts: worked.length,
    usd: range(worked.map(({ usd }) => usd)),
    iterations: range(worked.map(({ iterations }) => iterations)),
  };
}

/** P10 and P90, interpolated between the nearest values; never outside the observed range. */
function range(values: readonly number[]): readonly [number, number] {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => {
    // n sorted values divide the range into n + 1 equally likely parts.
    const rank = Math.min(sorted.length, Math.max(1, share * (sorted.length + 1))) - 1;
    const [low = 0, high = low] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
    return low + (high - low) * (rank - Math.floor(rank));
  };
  return [at(0.1), at(0.9)];
}

/** A forecast in a sentence. */
export function forecastText({ attempts, usd, iterations }: Forecast): string {
  const [cheap, expensive] = usd.map((value) => `$${value.toFixed(2)}`);
  const [few, many] = iterations.map((value) => String(Math.round(value)));
  const count =
    few === many ? `${few} ${few === "1" ? "iteration" : "iterations"}` : `${few} to ${many} iterations`;
  const cost = expensive === "$0.00" ? "" : ` and ${cheap} to ${expensive}`;
  return `Forecast from ${attempts} earlier runs of this goal: ${count}${cost} (P10–P90)`;
}
