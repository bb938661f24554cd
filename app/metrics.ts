import { type Counted, counted } from "../src/api/github.ts";

/** Prometheus metrics of the app. */
export interface Metrics {
  count(what: Counted | "deliveries"): void;
  /** Processing time of one delivery, in milliseconds. */
  took(ms: number): void;
  /** All metrics in Prometheus text format. */
  text(pending: number): string;
}

const bounds = [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];

export function openMetrics(): Metrics {
  const counts = new Map<string, number>(["deliveries", ...counted].map((name) => [name, 0]));
  const buckets = bounds.map(() => 0);
  let sum = 0;
  let all = 0;
  return {
    count: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
    took(ms) {
      sum += ms;
      all += 1;
      for (const [at, bound] of bounds.entries()) if (ms <= bound) buckets[at] = (buckets[at] ?? 0) + 1;
    },
    text(pending) {
      const totals = [...counts].flatMap(([name, value]) => {
        const metric = `until_green_${name}_total`;
        return [`# TYPE ${metric} counter`, `${metric} ${value}`];
      });
      const latency = "until_green_delivery_seconds";
      const rows = bounds.map((bound, at) => `${latency}_bucket{le="${bound / 1_000}"} ${buckets[at]}`);
      return [
        ...totals,
        "# TYPE until_green_pending gauge",
        `until_green_pending ${pending}`,
        `# TYPE ${latency} histogram`,
        ...rows,
        `${latency}_bucket{le="+Inf"} ${all}`,
        `${latency}_sum ${sum / 1_000}`,
        `${latency}_count ${all}`,
        "",
      ].join("\n");
    },
  };
}
