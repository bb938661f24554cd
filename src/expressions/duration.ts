const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The JSON schema of a positive duration. */
export const durationMeta = {
  type: ["string", "number"],
  pattern: /^\s*(?:\d+|(?:\d+(?:\.\d+)?(?:ms|[smhd]))+)\s*$/.source,
  exclusiveMinimum: 0,
};

/** A duration in milliseconds. Numbers are milliseconds; texts are like `10m`, `1h30m`, `500ms`, `2d`, or digits. */
export function parseDuration(value: number | string): number | undefined {
  if (typeof value === "number") return whole(value);
  const text = value.trim();
  if (/^\d+$/.test(text)) return whole(Number(text));
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) {
    ms += Number(amount) * (unitMs[unit ?? ""] ?? Number.NaN);
  }
  return whole(ms);
}

/** Formats a duration: `10m`, `1h30m`, `1.5s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${Math.round(ms / 100) / 10}s`;
  const seconds = Math.round(ms / 1_000);
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  return parts.map(([amount, unit]) => (amount === 0 ? "" : `${amount}${unit}`)).join("");
}

function whole(ms: number): number | undefined {
  const rounded = Math.round(ms);
  return Number.isSafeInteger(rounded) && ms >= 0 ? rounded : undefined;
}
