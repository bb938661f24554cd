import { expect, test } from "vitest";
import { whyResume } from "../../src/cli/resume-hint.ts";

const session = { ended: false, paused: true, facts: { run: "run-001" } } as Parameters<typeof whyResume>[1];
const answered = { stopReason: "gate", gates: [] } as unknown as Parameters<typeof whyResume>[2];
const store = (isHeld?: boolean) =>
  (isHeld === undefined ? {} : { isHeld: async () => isHeld }) as unknown as Parameters<typeof whyResume>[0];

test.each([
  ["a store that knows no driver", store(), true],
  ["a store where a process drives it", store(true), false],
  ["a store where none does", store(false), true],
])("an answered run that is still paused, in %s: to be resumed or not", async (_, it, isHinted) => {
  const why = await whyResume(it, session, answered);
  expect(why).toBe(isHinted ? "it was answered, but no process has resumed it" : undefined);
});

test.each([store(), store(true)])("a run that another process may drive needs nobody", async (it) => {
  expect(await whyResume(it, { ...session, paused: false }, answered)).toBeUndefined();
});
