import type { RunEvent, RunEventBody } from "../../src/engine/run-events.ts";

/** Run events without the fields that every event has. */
export const eventBodies = (events: readonly RunEvent[]): readonly RunEventBody[] =>
  events.map(({ v, seq, at, run, ...body }) => body);
