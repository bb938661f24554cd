import { z } from "zod";

/** The API, authenticated as the app; links to more pages are in `Link` headers. */
export interface Asker {
  request(
    route: string,
    parameters?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly data: unknown; readonly headers?: { readonly link?: string | undefined } }>;
}

/** Results of redelivering failed deliveries. */
export interface Redelivered {
  /** Ids of deliveries requested again. */
  readonly again: readonly string[];
  /** Those that failed every time, and are not requested any more. */
  readonly lost: readonly string[];
}

export interface RedeliverOptions {
  /** Now, in milliseconds since 1970. */
  readonly now: number;
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
 * processes may request the same one: a repeated delivery has no second effect.
 */
export async function redeliver(api: Asker, { now }: RedeliverOptions): Promise<Redelivered> {
  const since = now - dayMs;
  const tries = await recentTries(api, since);
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
async function recentTries(api: Asker, since: number): Promise<ReadonlyMap<string, readonly Delivery[]>> {
  const tries = new Map<string, Delivery[]>();
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const { data, headers } = await api.request("GET /app/hook/deliveries", {
      per_page: 100,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const deliveries = list.parse(data);
    const recent = deliveries.filter((one) => Date.parse(one.delivered_at) >= since);
    for (const one of recent) tries.set(one.guid, [...(tries.get(one.guid) ?? []), one]);
    cursor = /[?&]cursor=([\w-]+)[^>]*>; rel="next"/.exec(headers?.link ?? "")?.[1];
    if (cursor === undefined || recent.length < deliveries.length) break;
  }
  return tries;
}
