/** Accepts deliveries immediately and processes them later: each once, a few at a time, up to a maximum. */
export interface DeliveryQueue {
  /** `false` for a delivery that was accepted before; throws `BusyError` if the queue is full. */
  take(delivery: string, work: () => Promise<void>): boolean;
  /** Number of deliveries that wait or are being processed. */
  readonly pending: number;
  /** Resolves when the queue is empty. */
  idle(): Promise<void>;
}

/** The queue is full: the host marks the delivery as failed, and it can be sent again. */
export class BusyError extends Error {
  override readonly name = "BusyError";
}

export interface DeliveryQueueOptions {
  readonly atOnce?: number;
  readonly mostWaiting?: number;
  /** Number of remembered deliveries; older ones are recognized by their recorded effects. */
  readonly mostSeen?: number;
  /** Receives errors of the work. */
  failed(error: unknown): void;
}

export function createDeliveryQueue(options: DeliveryQueueOptions): DeliveryQueue {
  const { atOnce = 8, mostWaiting = 1_000, mostSeen = 10_000, failed } = options;
  const seen = new Set<string>();
  const waiting: (() => Promise<void>)[] = [];
  let running = 0;
  let rested: (() => void)[] = [];
  const next = async (): Promise<void> => {
    for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) {
      await work().catch(failed);
    }
    running -= 1;
    if (running > 0) return;
    for (const rest of rested) rest();
    rested = [];
  };
  return {
    take(delivery, work) {
      if (seen.has(delivery)) return false;
      if (waiting.length >= mostWaiting) throw new BusyError("the queue is full: send this again later");
      seen.add(delivery);
      if (seen.size > mostSeen) seen.delete(seen.values().next().value ?? "");
      waiting.push(work);
      if (running < atOnce) {
        running += 1;
        // Respond to the host first.
        setImmediate(() => void next());
      }
      return true;
    },
    get pending() {
      return waiting.length + running;
    },
    async idle() {
      if (running > 0 || waiting.length > 0) await new Promise<void>((rest) => rested.push(rest));
    },
  };
}
