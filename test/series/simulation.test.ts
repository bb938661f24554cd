import { expect, test } from "vitest";
import { decideStart } from "../../src/series/decide-start.ts";
import { readinessOf } from "../../src/series/readiness.ts";
import { emptyRecord, type GoalRecord, readRecord, withUsed } from "../../src/series/record.ts";
import { openRepository } from "./series-people.ts";
import { callUsd, playSeries, randomOf, type Tally } from "./series-simulator.ts";

const hourMs = 3_600_000;
const nothing = (): Tally => ({
  nights: 0,
  attempts: 0,
  calls: 0,
  rests: {},
  paused: 0,
  lost: 0,
  resumed: 0,
  wrong: [],
});

test("in 1,000 series of 30 nights no green work is replaced, no call is made for nothing, caps hold, and every rest says why", () => {
  const tally = nothing();
  for (let seed = 1; seed <= 1_000; seed++) {
    const limits = {
      dayUsd: 1,
      pullUsd: 3,
      personUsd: 0.8,
      stopAfter: 1 + (seed % 6),
      cooldownMs: ([0, 6, 40][seed % 3] ?? 0) * hourMs,
      maxOpen: 1 + (seed % 4),
    };
    const { record } = playSeries({ seed, nights: 30, limits }, tally);
    const text = JSON.stringify(record);
    expect(readRecord(text, "until-green/fix")).toEqual(record);
    expect(text.length).toBeLessThan(64 * 1024);
  }
  expect(tally.wrong).toEqual([]);
  expect(tally.calls).toBeGreaterThan(1_000);
  // Nothing of what may happen is left out.
  const reasons = "cap closed cooldown green in-progress max-open stop-after waiting";
  expect(Object.keys(tally.rests).toSorted().join(" ")).toBe(reasons);
  expect(Math.min(tally.paused, tally.lost, tally.resumed)).toBeGreaterThan(100);
});

test("three bugs, fixed one a night, are green after three nights", () => {
  const repository = openRepository(3);
  const series = { seed: 1, nights: 3, limits: { dayUsd: callUsd / 2 } };
  const { record } = playSeries({ ...series, alone: repository }, nothing());
  expect(repository.branch).toMatchObject({ failing: 0 });
  expect(record.attempts.map(({ green }) => green)).toEqual([false, false, true]);
});

/** What checks and reviewers say of a head when an event comes. */
function heardAt(head: number, event: number, random: () => number) {
  const threads = random() < 0.3 ? [{ id: `T${event % 7}`, path: "a", line: 1, by: "ann", text: "x" }] : [];
  const checks = [{ name: "ci", state: random() < 0.5 ? ("failed" as const) : ("passed" as const) }];
  const requests =
    random() < 0.2 ? [{ id: `R${event % 5}`, by: "bea", isApp: event % 2 === 0, text: "y" }] : [];
  const seen = { head: `h${head}`, checks, needsApproval: false, threads, requests, isApproved: true };
  return readinessOf(seen, { untilChecks: true, untilReviews: true });
}

/** The record after an event that comes so often. */
function applyEvent(
  record: GoalRecord,
  readiness: ReturnType<typeof readinessOf>,
  copies: number,
): GoalRecord {
  let now = record;
  for (let copy = 0; copy < copies; copy++) {
    const pull = { number: 1, mergeable: true };
    const branch = { work: { green: true, commit: "h" }, pull, closed: undefined, open: 0, readiness };
    const start = decideStart({
      record: now,
      branch,
      limits: {},
      now: "2026-01-01T03:00:00.000Z",
      base: "base",
      file: "file",
      by: "octocat",
      isAsked: false,
      holder: undefined,
    });
    if (!("from" in start) || start.open === undefined) continue;
    expect(start.open.keys.some((key) => !now.used?.includes(key))).toBe(true);
    now = withUsed(now, start.open.keys);
  }
  return now;
}

test("in 200 rounds of lost, doubled and late events, what checks and reviewers say is worked on once each", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomOf(seed);
    let record = emptyRecord("g");
    let head = 1;
    for (let event = 0; event < 20; event++) {
      const readiness = heardAt(head, event, random);
      const before = record.used ?? [];
      record = applyEvent(record, readiness, Math.floor(random() * 4));
      // Nothing is worked on again by an event that comes late.
      const after = applyEvent(record, readiness, 1).used ?? [];
      const open = readiness.is === "open" ? readiness.keys : [];
      expect(new Set(after)).toEqual(new Set([...before, ...open]));
      record = applyEvent(record, readiness, 1);
      if (random() < 0.5) head += 1;
    }
  }
});
