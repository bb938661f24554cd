import { expect, test } from "vitest";
import { decideStart, type Holder, type StartView } from "../../src/series/decide-start.ts";
import { emptyRecord, type GoalRecord, withAttempt } from "../../src/series/record.ts";

const nights = 30;
const dayMs = 86_400_000;

/** Numbers between 0 and 1, alike for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** Runs that may pause, and people who may answer them. */
interface Scene {
  readonly random: () => number;
  /** How likely people answer within a day. */
  readonly answers: number;
  readonly stopAfter: number | undefined;
}

interface State {
  readonly record: GoalRecord;
  /** The run that has paused. */
  readonly holder: Extract<Holder, { state: "paused" }> | undefined;
  readonly begun: number;
  readonly givenUp: number;
  /** Why no run began. */
  readonly rested: readonly string[];
}

const timeOf = (night: number) => new Date(Date.UTC(2026, 0, 1 + night, 3)).toISOString();

/** A run at work: it ends, or pauses for a person or for a provider. */
function work(state: State, { run, at }: { run: string; at: number }, { random }: Scene): State {
  const what = random();
  const now = timeOf(at);
  const paused = { run, state: "paused" } as const;
  if (what < 0.5) return { ...state, holder: { ...paused, askingSince: now, wakeAt: undefined } };
  const wakeAt = new Date(Date.parse(now) + random() * 3 * dayMs).toISOString();
  if (what < 0.7) return { ...state, holder: { ...paused, askingSince: undefined, wakeAt } };
  return { ...state, holder: undefined, record: ended(state.record, run, at) };
}

const ended = (record: GoalRecord, run: string, night: number): GoalRecord =>
  withAttempt(record, {
    run,
    at: timeOf(night),
    file: "f",
    green: false,
    published: false,
    reason: "max-iterations",
    iterations: 1,
    usd: 1,
    tokens: 1,
  });

/** One night, in which a job decides until something begins or rests. */
function night(state: State, at: number, scene: Scene): State {
  const view: StartView = {
    record: state.record,
    branch: { work: undefined, pull: undefined, closed: undefined, open: 0 },
    limits: { stopAfter: scene.stopAfter },
    now: timeOf(at),
    base: `${at}`,
    file: "f",
    by: undefined,
    isAsked: false,
    holder: state.holder,
  };
  const start = decideStart(view);
  if ("givesUp" in start) {
    expect(start.givesUp).toBe(state.holder?.run);
    const record = ended(state.record, start.givesUp, at);
    return night({ ...state, record, holder: undefined, givenUp: state.givenUp + 1 }, at, scene);
  }
  if ("resumes" in start) {
    expect(start.resumes).toBe(state.holder?.run);
    return work(state, { run: start.resumes, at }, scene);
  }
  if ("rests" in start) return { ...state, rested: [...state.rested, start.rests] };
  // No other run is left open.
  expect(state.holder).toBeUndefined();
  return work({ ...state, begun: state.begun + 1 }, { run: `run-${at}`, at }, scene);
}

function series(scene: Scene): State {
  let state: State = { record: emptyRecord("g"), holder: undefined, begun: 0, givenUp: 0, rested: [] };
  let quiet = 0;
  for (let at = 0; at < nights; at++) {
    const before = state;
    state = night(before, at, scene);
    quiet = state.rested === before.rested ? 0 : quiet + 1;
    // The question of one night is over on the eighth.
    if (scene.stopAfter === undefined) expect(quiet).toBeLessThan(7);
    if (state.holder?.askingSince !== undefined && scene.random() < scene.answers)
      state = { ...state, holder: { ...state.holder, askingSince: undefined } };
  }
  return state;
}

test("in 1,000 series of 30 nights no paused run holds its goal for ever, and no two are open at once", () => {
  for (let seed = 1; seed <= 1_000; seed++) {
    const random = randomOf(seed);
    const {
      begun: started,
      givenUp,
      rested,
    } = series({ random, answers: (seed % 4) / 4, stopAfter: undefined });
    expect(started).toBeGreaterThan(0);
    expect(rested.every((why) => why === "in-progress")).toBe(true);
    if (seed % 4 === 0) expect(started + givenUp).toBeGreaterThan(1);
  }
});

test("runs that nobody answers end a series as other failures do", () => {
  const always = { random: () => 0, answers: 0, stopAfter: 2 };
  const { begun: started, givenUp, rested } = series(always);
  expect({ begun: started, givenUp }).toEqual({ begun: 2, givenUp: 2 });
  expect(rested.filter((why) => why === "in-progress")).toHaveLength(12);
  expect(rested.at(-1)).toBe("stop-after");
});
