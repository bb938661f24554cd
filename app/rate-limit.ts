/** A rate limit per name: at most this many calls in a period; refused calls do not count. */
export function openRateLimit({ most, withinMs }: { readonly most: number; readonly withinMs: number }) {
  const passed = new Map<string, readonly number[]>();
  return (name: string, now = Date.now()): boolean => {
    for (const [other, times] of passed) if ((times.at(-1) ?? 0) <= now - withinMs) passed.delete(other);
    const recent = (passed.get(name) ?? []).filter((time) => time > now - withinMs);
    if (recent.length >= most) return false;
    passed.set(name, [...recent, now]);
    return true;
  };
}
