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

const maxRunning = 8;
const maxWaiting = 1_000;
/** Number of remembered deliveries; older ones are recognized by their recorded effects. */
const maxRemembered = 10_000;

/** `failed` receives errors of the work. */
export function createDeliveryQueue(failed: (error: unknown) => void): DeliveryQueue {
  const seen = new Set<string>();
  const waiting: (() => Promise<void>)[] = [];
  let running = 0;
  let waiters: (() => void)[] = [];
  const next = async (): Promise<void> => {
    for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) {
      await work().catch(failed);
    }
    running -= 1;
    if (running > 0) return;
    for (const resolve of waiters) resolve();
    waiters = [];
  };
  return {
    take(delivery, work) {
      if (seen.has(delivery)) return false;
      if (waiting.length >= maxWaiting) throw new BusyError("the queue is full: send this again later");
      seen.add(delivery);
      if (seen.size > maxRemembered) seen.delete(seen.values().next().value ?? "");
      waiting.push(work);
      if (running < maxRunning) {
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
      if (running > 0 || waiting.length > 0) await new Promise<void>((resolve) => waiters.push(resolve));
    },
  };
}
