import { expect, test } from "vitest";
import { notUsedUp } from "../../src/decisions/commands/applies-to.ts";
import { decide } from "../../src/decisions/decide.ts";
import { viewOf } from "../../src/decisions/run-view.ts";
import { type LogEvent, parseLogEvent } from "../../src/engine/log-events.ts";
import type { RunSession } from "../../src/engine/session.ts";
import type { Refused } from "../../src/runner/append-decision.ts";
import { extendRun } from "../../src/runner/extend-run.ts";
import type { PendingAppend } from "../../src/runner/run-environment.ts";
import { runId, type Stage, stage } from "../parts/stage.ts";

const looping = (after = "") =>
  `name: t\nnodes:\n  - id: fix\n    loop: { prompt: go, until: DONE, max_iterations: 2 }\n${after}`;

/** A run whose agent gives the signal in the iteration of this number. */
const fixedIn = (iteration: number, after?: string) =>
  stage(looping(after), {
    agent: async (_, call) => (call === iteration ? "<promise>DONE</promise>" : "not yet"),
  });

const more = (it: Stage, iterations: number) =>
  extendRun({ store: it.store }, runId, (session) => {
    const at = it.world.clock.now();
    const command = { kind: "retry", by: "ann", at, since: 0, text: `${iterations}` } as const;
    return decide(viewOf(session), command) as { readonly record: LogEvent } | Refused;
  });

test("an extended run resumes where its iterations ended, and repeats none", async () => {
  const it = fixedIn(4);
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "max-iterations" });
  expect(await more(it, 1)).toBeUndefined();
  expect((await it.resume()).ended).toBe(true);
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "max-iterations", iterations: 3 });
  expect(await more(it, 3)).toBeUndefined();
  await it.resume();
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 4 });
  expect(it.prompts).toHaveLength(4);
  const extended = (await it.store.read(runId))
    .map(parseLogEvent)
    .filter(({ type }) => type === "run.extended");
  expect(extended).toMatchObject([{ iterations: 1, by: "ann" }, { iterations: 3 }]);
});

test("a run that has not ended, or ended for another reason, is given nothing", async () => {
  const it = fixedIn(1);
  await it.begin();
  expect((await more(it, 5))?.because).toContain(notUsedUp);
  await expect(it.resume()).rejects.toThrow("has ended");
});

test("a run that did more after its loop is given nothing, and its record stays as it was", async () => {
  const it = fixedIn(3, "  - { id: tidy, bash: tidy, depends_on: [fix], trigger_rule: all_done }\n");
  await it.begin();
  const before = await it.store.read(runId);
  expect((await more(it, 5))?.because).toContain("did more after its loop had ended");
  expect(await it.store.read(runId)).toEqual(before);
});

test("an extension is recorded with the status of the run, which waits to be resumed", async () => {
  const it = fixedIn(3);
  await it.begin();
  const described: unknown[] = [];
  const store = { ...it.store, describe: (...given: unknown[]) => void described.push(given) };
  const statusOf = ((session: RunSession, { events, work }: PendingAppend) => {
    const types = events.map(({ type }) => type);
    return { paused: session.paused, first: types[0], last: types.at(-1), work };
  }) as never;
  const record = { type: "run.extended", at: it.world.clock.now(), by: "ann", iterations: 1 } as const;
  expect(await extendRun({ store, statusOf }, runId, () => ({ record }))).toBeUndefined();
  const status = { paused: true, first: "run.started", last: "run.paused", work: undefined };
  expect(described).toEqual([[runId, status]]);
});
