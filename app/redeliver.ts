import { z } from "zod";
import type { Api } from "../src/api/github.ts";

/** Results of redelivering failed deliveries. */
export interface Redelivered {
  /** Ids of deliveries requested again. */
  readonly again: readonly string[];
  /** Those that failed every time, and are not requested any more. */
  readonly lost: readonly string[];
}

const list = z.array(
  z.object({
    id: z.number(),
    guid: z.string(),
    delivered_at: z.string(),
    status_code: z.number(),
    event: z.string(),
  }),
);
type Delivery = z.infer<typeof list>[number];

/**
 * Requests redelivery of webhooks that failed and have not succeeded since. Authenticated as the app. Several
 * processes may request the same one: a repeated delivery has no second effect. `now` is in milliseconds since 1970.
 */
export async function redeliver(api: Api, now: number): Promise<Redelivered> {
  const tries = await recentTries(api, now - dayMs);
  const again: string[] = [];
  const lost: string[] = [];
  for (const [guid, made] of tries) {
    const [newest] = made;
    if (newest === undefined || made.some(cameThrough) || !delivered.has(newest.event)) continue;
    if (made.length >= mostTries) {
      lost.push(guid);
      continue;
    }
    await api.request("POST /app/hook/deliveries/{id}/attempts", { id: newest.id });
    again.push(guid);
  }
  return { again, lost };
}

/** How far back deliveries are checked, in milliseconds; the host keeps them for three days. */
const dayMs = 24 * 60 * 60_000;
const mostTries = 5;
const mostPages = 20;
const delivered = new Set(["issue_comment", "check_run", "workflow_run", "push"]);
const cameThrough = ({ status_code: status }: Delivery) => status >= 200 && status < 300;

/** All tries of each delivery, newest first. */
async function recentTries(api: Api, since: number): Promise<ReadonlyMap<string, readonly Delivery[]>> {
  const tries: Delivery[] = [];
  let pages = 0;
  for await (const { data } of api.paginate.iterator("GET /app/hook/deliveries", { per_page: 100 })) {
    const deliveries = list.parse(data);
    const recent = deliveries.filter((one) => Date.parse(one.delivered_at) >= since);
    tries.push(...recent);
    pages += 1;
    if (pages === mostPages || recent.length < deliveries.length) break;
  }
  return Map.groupBy(tries, ({ guid }) => guid);
}
