import { describe, expect, test } from "vitest";
import { createRunProjection } from "../../src/status/run-projection.ts";
import { buildRunStatus, gateNonce, maxStatusBytes, type StatusSource } from "../../src/status/run-status.ts";
import { parseRunStatus } from "../../src/status/run-status-schema.ts";
import { applyEvent, type Summary, startSummary, summarizeEvents } from "../../src/status/run-summary.ts";
import { fc } from "../parts/random.ts";
import { stage } from "../parts/stage.ts";

const gated = `name: t
interactive: true
nodes:
  - id: fix
    loop: { prompt: go, until: DONE, max_iterations: 4, interactive: true, gate_message: "Look at it" }
`;

const origin = { repository: "o/r", pull: 7, head: "a".repeat(40) };
const job = { run: 12, attempt: 2 };

const pausedRun = async () => {
  const it = stage(gated, { facts: { origin } });
  const session = await it.begin();
  return { it, session, summary: summarizeEvents(it.events) };
};

const longText = (character: string) => character.repeat(40_000);

function hugeSummary(character: string): Summary {
  const text = longText(character);
  let summary = startSummary();
  let seq = 0;
  const apply = (event: object) => {
    seq += 1;
    summary = applyEvent(summary, {
      v: 1,
      seq,
      at: "2026-01-01T00:00:00Z",
      run: "run-001",
      ...event,
    } as never);
  };
  apply({ type: "run.started", workflow: text, dialect: "native", agent: text, message: text });
  for (let loop = 0; loop < 120; loop += 1) {
    const path = `/${loop}${text}`;
    apply({ type: "loop.started", path, node: text, mode: "for-each" });
    for (let number = 1; number <= 4; number += 1) {
      apply({ type: "iteration.started", path: `${path}#${number}`, node: text, number, item: text });
      apply({
        type: "stop.tested",
        path: `${path}#${number}?1`,
        kind: "judge",
        verdict: "go-on",
        because: text,
      });
      const diff = { files: 50, added: 1, removed: 1, paths: Array.from({ length: 50 }, () => text) };
      apply({ type: "iteration.ended", path: `${path}#${number}`, node: text, number, output: text, diff });
    }
    apply({ type: "notice", code: "X", message: text, path });
    apply({ type: "message.sent", from: text, to: text, text });
  }
  return summary;
}

describe("the status of a run", () => {
  test("says its gates, each with a name of its own, and is read back as it was written", async () => {
    const { session, summary } = await pausedRun();
    const status = buildRunStatus({ summary, gates: session.gates(), origin, job, work: "b".repeat(40) });
    expect(status).toMatchObject({
      v: 1,
      summary: { state: "paused", workflow: "t", gates: [{ path: "/fix#1!gate" }] },
      gates: [{ path: "/fix#1!gate", head: origin.head, nonce: expect.stringMatching(/^[0-9a-z]{10}$/) }],
      job,
    });
    expect(status.gates[0]?.question).toContain("Look at it");
    expect(parseRunStatus(JSON.parse(JSON.stringify(status)))).toEqual(status);
  });

  test.each(["x", "🟢", "\u0000", '"'])(
    "stays small whatever people and agents write, such as much of %j",
    (character) => {
      const text = longText(character);
      const gates = Array.from({ length: 300 }, (_, at) => ({
        need: `/gate-${at}`,
        path: `/gate-${at}`,
        message: text,
        question: text,
        since: "2026-01-01T00:00:00Z",
      }));
      const stand: StatusSource = {
        summary: hugeSummary(character),
        gates,
        origin,
        job,
        work: "b".repeat(40),
      };
      const status = buildRunStatus(stand);
      expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThanOrEqual(maxStatusBytes);
      expect(status.gates.length).toBeGreaterThan(0);
      expect(parseRunStatus(JSON.parse(JSON.stringify(status)))).toBeDefined();
    },
  );

  test("that is forged is read as none, and never throws", () => {
    for (const value of [undefined, null, 1, "x", [], {}, { v: 2 }, { v: 1, summary: {} }])
      expect(parseRunStatus(value)).toBeUndefined();
    fc.assert(
      fc.property(fc.jsonValue(), (value) => void parseRunStatus(value)),
      { numRuns: 200 },
    );
  });

  test("counts what is about to be recorded, and events before this process", async () => {
    const { it, session } = await pausedRun();
    const follower = createRunProjection({ job });
    follower.recall(it.events.slice(0, 2));
    const status = parseRunStatus(
      follower.statusOf(session, { events: it.events.slice(2), work: undefined }),
    );
    expect(status).toMatchObject({ summary: { state: "paused", iterations: 1 }, origin, job });
    expect(follower.summary.state).toBe("running");
  });
});

test("a gate keeps its name on every machine, and no other gate has it", () => {
  const gate = { need: "/fix#1", since: "2026-01-01T00:00:00Z" };
  expect(gateNonce("run-001", gate)).toBe(gateNonce("run-001", { ...gate }));
  const names = new Set<string>();
  for (let run = 0; run < 40; run += 1)
    for (let round = 0; round < 50; round += 1)
      names.add(gateNonce(`run-${run}`, { ...gate, need: `/fix#${round}` }));
  expect(names.size).toBe(2_000);
});

test("who decided is reported by the gate's own name, also of a gate that was shown again before this process", async () => {
  const { it, session } = await pausedRun();
  const [gate] = session.gates();
  const shown = { path: "/before", by: "bob", nonce: "shownanew0" };
  const before = parseRunStatus(
    createRunProjection().statusOf(session, { events: it.events, work: undefined }),
  );
  if (before === undefined || gate === undefined) throw new Error("the run does not stand at a gate");
  session.apply({
    type: "run.decided",
    at: "2026-01-02T00:00:00.000Z",
    gate: gate.need,
    decision: "approve",
    by: "ada",
    text: "",
  });
  const follower = createRunProjection({
    before: { ...before, decided: [shown, { path: "/older", by: "eve" }] },
  });
  const status = parseRunStatus(follower.statusOf(session, { events: it.events, work: undefined }));
  expect(status?.decided).toEqual([shown, { path: gate.path, by: "ada", nonce: before.gates[0]?.nonce }]);
});
