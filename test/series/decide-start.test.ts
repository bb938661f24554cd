import { describe, expect, test } from "vitest";
import {
  decideStart,
  type Holder,
  type SeriesLimits,
  type StartView,
} from "../../src/series/decide-start.ts";
import { emptyRecord, failuresOf, withAttempt } from "../../src/series/record.ts";

const viewWith = (more: Partial<StartView>): StartView => ({
  record: emptyRecord("g"),
  branch: { work: undefined, pull: undefined, closed: undefined, open: 0 },
  limits: {},
  now: "2026-11-22T03:00:00Z",
  base: "b",
  file: "f",
  by: undefined,
  isAsked: false,
  holder: undefined,
  ...more,
});

describe("a goal that a run holds", () => {
  const paused = (more: Partial<Extract<Holder, { state: "paused" }>>): Holder => ({
    run: "r1",
    state: "paused",
    askingSince: undefined,
    wakeAt: undefined,
    ...more,
  });

  test.each<[string, Holder, boolean, string]>([
    ["in progress", { run: "r1", state: "running" }, true, "run r1 works on it"],
    [
      "waiting for a person",
      paused({ askingSince: "2026-11-15T03:00:01Z" }),
      false,
      "run r1 waits for a person to answer it, until 2026-11-22T03:00:01",
    ],
    ["paused by a person", paused({ isHeld: true }), false, "to continue it, comment `/workflow resume r1`"],
    ["not due", paused({ wakeAt: "2026-11-22T04:00:00Z" }), false, "run r1 waits for 2026-11-22T04:00:00Z"],
    ["due, while a person asks for something else", paused({}), true, "run r1 waits for its next job"],
  ])("begins no other run while that one is %s", (...[, holder, isAsked, because]) => {
    expect(decideStart(viewWith({ holder, isAsked }))).toEqual({
      rests: "in-progress",
      because: expect.stringContaining(because),
    });
  });

  test.each([undefined, "2026-11-22T02:59:00Z"])("resumes that run once it is due (%s)", (wakeAt) => {
    expect(decideStart(viewWith({ holder: paused({ wakeAt }) }))).toEqual({ resumes: "r1" });
  });

  test.each([
    [{}, "2026-11-15T03:00:00Z", false],
    [{}, "2026-11-01T00:00:00Z", true],
    [{ gateTimeoutMs: 3_600_000 }, "2026-11-22T02:00:00Z", false],
  ])("is freed, by %j, from a run that has waited for a person since %s", (limits, askingSince, isAsked) => {
    expect(decideStart(viewWith({ holder: paused({ askingSince }), limits, isAsked }))).toEqual({
      givesUp: "r1",
      because: `nobody answered the question that it asked on ${askingSince} in time`,
    });
  });

  test("starts a run if no other holds it", () => {
    expect(decideStart(viewWith({}))).toMatchObject({ from: "base" });
  });
});

test("a run that was given more and ended again is one attempt, and its cost counts once", () => {
  const ended = { run: "r1", at: "2026-11-22T03:00:00Z", by: "ann", green: false, published: true };
  const first = { ...ended, reason: "max-iterations", iterations: 2, usd: 1, tokens: 10 };
  const record = withAttempt(withAttempt(emptyRecord("g"), first, 1), { ...first, usd: 1.5, tokens: 14 }, 1);
  expect(record.attempts).toHaveLength(1);
  expect(record).toMatchObject({
    attempts: [{ usd: 1.5, published: true }],
    spent: [{ usd: 1.5, tokens: 14, people: { ann: 1.5 } }],
    pull: { usd: 1.5 },
  });
});

test("a cancelled attempt is no failed one, and one whose question nobody answered is", () => {
  const of = (...reasons: readonly string[]) =>
    reasons.reduce(
      (record, reason, at) =>
        withAttempt(record, {
          run: `r${at}`,
          at: "2026-11-20T03:00:00Z",
          base: "b",
          file: "f",
          green: reason === "signal",
          published: false,
          reason,
          iterations: 1,
          usd: 1,
          tokens: 1,
        }),
      emptyRecord("g"),
    );
  const start = (record: StartView["record"]) =>
    decideStart(viewWith({ record, limits: { stopAfter: 2 }, base: "b" }));
  expect(start(of("max-iterations", "cancelled", "cancelled"))).toMatchObject({ from: "base" });
  expect(start(of("max-iterations", "cancelled", "unanswered"))).toEqual({
    rests: "stop-after",
    because: expect.stringContaining("2 attempts in a row have failed"),
  });
  expect(failuresOf(of("max-iterations", "signal", "cancelled"))).toBe(0);
});

test.each<[SeriesLimits, boolean | undefined, [string, string]]>([
  [{ untilMergeable: true }, undefined, ["waiting", "GitHub does not say yet whether it can be merged"]],
  [{ untilMergeable: true }, true, ["green", "merge it"]],
  [{}, undefined, ["green", "merge it"]],
])(
  "by %j, green work of a pull request that GitHub calls mergeable: %s ends as %j",
  (limits, mergeable, [rests, because]) => {
    const work = { commit: "c", green: true, failing: 0, lines: 1 };
    const branch = { work, pull: { number: 7, mergeable }, closed: undefined, open: 1 };
    expect(decideStart(viewWith({ branch, limits }))).toEqual({
      rests,
      because: expect.stringContaining(because),
    });
  },
);

test("an attempt that a clock far ahead recorded does not start a cooldown, one a minute ahead does", () => {
  const at = (hours: number) => {
    const ended = new Date(Date.parse(viewWith({}).now) + hours * 3_600_000).toISOString();
    const how = { green: false, published: false, reason: "max-iterations" };
    const attempt = { run: "r", at: ended, ...how, iterations: 1, usd: 0, tokens: 0 };
    const record = withAttempt(emptyRecord("g"), attempt);
    return decideStart(viewWith({ record, limits: { cooldownMs: 6 * 3_600_000 } }));
  };
  expect(at(-5)).toMatchObject({ rests: "cooldown" });
  expect(at(-6)).toMatchObject({ from: "base" });
  expect(at(300)).toMatchObject({ from: "base" });
  expect(at(1 / 60)).toMatchObject({ rests: "cooldown" });
});
