import { expect, test } from "vitest";
import { openPlaces } from "../../src/render/open-places.ts";
import { applyEvent, startSummary } from "../../src/status/run-summary.ts";
import { eventsOf, iteration, loopStarted, runStarted } from "./run-events.ts";

const before = eventsOf(runStarted, loopStarted, ...iteration(1, 4));
const next = eventsOf(...iteration(2, 3)).slice(0, 1);
const summary = [...before, ...next].reduce(applyEvent, startSummary());

test("the innermost place is an iteration also if it started before the loop around it was read", () => {
  const places = openPlaces();
  for (const event of [...next, ...before]) places.follow(event, summary);
  expect(places.innermost()?.title).toBe("fix · iteration 2 of 10");
});

test("between two iterations it is the loop", () => {
  const places = openPlaces();
  expect(places.innermost()).toBeUndefined();
  for (const event of before) places.follow(event, summary);
  expect(places.innermost()?.title).toBe("fix");
});
