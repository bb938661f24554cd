/** Wilson score interval at 95 %, which is valid for few trials too; `undefined` for none. */
export function intervalOf(successes: number, trials: number): readonly [number, number] | undefined {
  if (trials === 0) return undefined;
  const z = 1.959964;
  const [rate, share] = [successes / trials, z ** 2 / trials];
  const middle = rate + share / 2;
  const margin = z * Math.sqrt((rate * (1 - rate)) / trials + share / (4 * trials));
  return [Math.max(0, (middle - margin) / (1 + share)), Math.min(1, (middle + margin) / (1 + share))];
}
