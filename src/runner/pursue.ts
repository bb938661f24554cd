import type { RunEvent } from "../engine/event.ts";
import type { Need } from "../engine/flow.ts";
import { type Meeting, meet } from "./meet.ts";
import type { World } from "./world.ts";

const attempts = 6;
const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

/**
 * Meets a need, again and again while what fails passes by itself; every event is handed over, the last one final.
 * Waits as long as the provider advises, else twice as long each time, with jitter so that many runs do not march in step.
 */
export async function pursue(need: Need, world: World, meeting: Meeting): Promise<void> {
  const { arrive } = meeting;
  for (let attempt = 1; ; attempt++) {
    const over = need.port === "agent" ? meeting.usedUp() : undefined;
    if (over !== undefined) return arrive(outOfBudget(need, world, over));
    const { event, retryAfterMs } = await meet(need, world, meeting);
    if (event.type !== "need.failed" || event.final) return arrive(event);
    if (attempt === attempts) {
      return arrive({ ...event, final: true, because: `${event.because} (after ${attempts} attempts)` });
    }
    arrive(event);
    const wait = Math.min(firstWaitMs * 2 ** (attempt - 1), longestWaitMs) * (0.8 + Math.random() * 0.4);
    await world.clock.sleep(retryAfterMs ?? wait, meeting.signal);
  }
}

/** It was asked, and is not asked again. The class is that of time that is up: older versions read no log with another. */
const outOfBudget = ({ path }: Need, { clock }: World, because: string): RunEvent => ({
  type: "need.failed",
  at: clock.now(),
  path,
  because,
  fault: "timeout",
  final: true,
});
