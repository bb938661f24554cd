import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../src/local/clock.ts";

const none = new AbortController().signal;

test("the time is now, in ISO 8601", () => {
  expect(Math.abs(Date.now() - Date.parse(systemClock.now()))).toBeLessThan(1000);
  expect(systemClock.now()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});
test.each([-1, 1])("the time continues as before if the clock is set by %i day", (days) => {
  const before = Date.parse(systemClock.now());
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * 24 * 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const passed = Date.parse(systemClock.now()) - before;
  expect(passed).toBeGreaterThanOrEqual(0);
  expect(passed).toBeLessThan(3_600_000);
});
test("a sleep takes its time", async () => {
  const start = performance.now();
  await systemClock.sleep(30, none);
  expect(performance.now() - start).toBeGreaterThan(28);
});
test.each([0, 60_000, 30 * 24 * 3600 * 1000])(
  "a sleep of %i ms ends with the reason of its signal",
  async (ms) => {
    const abort = new AbortController();
    const reason = new Error("cancelled");
    const sleep = systemClock.sleep(ms, abort.signal);
    abort.abort(reason);
    if (ms === 0) await sleep.catch(() => {});
    else await expect(sleep).rejects.toBe(reason);
    await expect(systemClock.sleep(ms, abort.signal)).rejects.toBe(reason);
  },
);
