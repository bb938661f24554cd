import { createHmac, randomUUID } from "node:crypto";

/** Sends signed webhooks, the emulator's and those of tests. */
export interface Webhooks {
  /** The target URL; none until it is set. */
  url: string | undefined;
  /** Returns the receiver's status. */
  deliver(event: string, payload: unknown, delivery?: string): Promise<number>;
  /** One that the emulator sent. */
  relay(event: string, payload: unknown): Promise<void>;
  readonly sent: readonly Sent[];
}

export interface Sent {
  readonly event: string;
  readonly payload: unknown;
  readonly delivery: string;
  readonly status: number;
}

interface Setting {
  readonly secret: string;
  correct(payload: unknown): unknown;
}

export function openWebhooks({ secret, correct }: Setting): Webhooks {
  const sent: Sent[] = [];
  const webhooks: Webhooks = {
    url: undefined,
    sent,
    async deliver(event, payload, delivery = randomUUID()) {
      const status =
        webhooks.url === undefined
          ? 0
          : await post(webhooks.url, { event, delivery, secret, body: JSON.stringify(payload) });
      sent.push({ event, payload, delivery, status });
      return status;
    },
    relay: async (event, payload) => void (await webhooks.deliver(event, correct(payload))),
  };
  return webhooks;
}

interface Delivery {
  readonly event: string;
  readonly delivery: string;
  readonly secret: string;
  readonly body: string;
}

async function post(url: string, { event, delivery, secret, body }: Delivery): Promise<number> {
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const headers = {
    "content-type": "application/json",
    "user-agent": "GitHub-Hookshot/test",
    "x-github-event": event,
    "x-github-delivery": delivery,
    "x-hub-signature-256": `sha256=${signature}`,
  };
  try {
    return (await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(10_000) })).status;
  } catch {
    return 0;
  }
}
