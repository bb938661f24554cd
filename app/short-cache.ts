/** Finds something by its name, or answers what was found a moment ago. */
export type ShortCache<T> = (name: string, find: () => Promise<T>) => Promise<T>;

/** Many who look at the same thing cost what one of them costs; what could not be found out is not kept. */
export function openMemory<T>(forMs: number, most = 1_000): ShortCache<T> {
  const kept = new Map<string, { readonly until: number; readonly found: Promise<T> }>();
  return (name, find) => {
    const known = kept.get(name);
    if (known !== undefined && known.until > performance.now()) return known.found;
    const found = find();
    kept.delete(name);
    kept.set(name, { until: performance.now() + forMs, found });
    found.catch(() => kept.delete(name));
    if (kept.size > most) kept.delete(kept.keys().next().value ?? "");
    return found;
  };
}
