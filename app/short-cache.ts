/** Looks something up by name, or returns a recent result. */
export type ShortCache<T> = (name: string, find: () => Promise<T>) => Promise<T>;

/** Many viewers of the same thing cost one request; failures are not cached. */
export function openShortCache<T>(forMs: number, most = 1_000): ShortCache<T> {
  const kept = new Map<string, { readonly until: number; readonly value: Promise<T> }>();
  return (name, find) => {
    const known = kept.get(name);
    if (known !== undefined && known.until > performance.now()) return known.value;
    const value = find();
    kept.delete(name);
    kept.set(name, { until: performance.now() + forMs, value });
    value.catch(() => kept.delete(name));
    if (kept.size > most) kept.delete(kept.keys().next().value ?? "");
    return value;
  };
}
