import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { followRun } from "../../src/report/follow.ts";
import { gateNonce, mostStanding, type Stand, standingOf } from "../../src/report/standing.ts";
import { readStanding } from "../../src/report/standing-schema.ts";
import { observe, type Summary, startSummary, summarise } from "../../src/report/summary.ts";
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
  return { it, session, summary: summarise(it.told) };
};

const longText = (character: string) => character.repeat(40_000);

function hugeSummary(character: string): Summary {
  const text = longText(character);
  let summary = startSummary();
  let seq = 0;
  const tell = (event: object) => {
    seq += 1;
    summary = observe(summary, { v: 1, seq, at: "2026-01-01T00:00:00Z", run: "run-001", ...event } as never);
  };
  tell({ type: "run.started", workflow: text, dialect: "native", agent: text, message: text });
  for (let loop = 0; loop < 120; loop += 1) {
    const path = `/${loop}${text}`;
    tell({ type: "loop.started", path, node: text, mode: "for-each" });
    for (let number = 1; number <= 4; number += 1) {
      tell({ type: "iteration.started", path: `${path}#${number}`, node: text, number, item: text });
      tell({
        type: "stop.tested",
        path: `${path}#${number}?1`,
        kind: "judge",
        verdict: "go-on",
        because: text,
      });
      const diff = { files: 50, added: 1, removed: 1, paths: Array.from({ length: 50 }, () => text) };
      tell({ type: "iteration.ended", path: `${path}#${number}`, node: text, number, output: text, diff });
    }
    tell({ type: "notice", code: "X", message: text, path });
    tell({ type: "message.sent", from: text, to: text, text });
  }
  return summary;
}

describe("where a run stands", () => {
  test("says its gates, each with a name of its own, and is read back as it was written", async () => {
    const { session, summary } = await pausedRun();
    const standing = standingOf({ summary, gates: session.gates(), origin, job, work: "b".repeat(40) });
    expect(standing).toMatchObject({
      v: 1,
      summary: { state: "paused", workflow: "t", gates: [{ path: "/fix#1!gate" }] },
      gates: [{ path: "/fix#1!gate", head: origin.head, nonce: expect.stringMatching(/^[0-9a-z]{10}$/) }],
      job,
    });
    expect(standing.gates[0]?.message).toContain("Look at it");
    expect(readStanding(JSON.parse(JSON.stringify(standing)))).toEqual(standing);
  });

  test.each(["x", "🟢", "\u0000", '"'])(
    "stays small whatever people and agents write, such as much of %j",
    (character) => {
      const text = longText(character);
      const gates = Array.from({ length: 300 }, (_, at) => ({
        need: `/gate-${at}`,
        path: `/gate-${at}`,
        message: text,
        since: "2026-01-01T00:00:00Z",
      }));
      const stand: Stand = { summary: hugeSummary(character), gates, origin, job, work: "b".repeat(40) };
      const standing = standingOf(stand);
      expect(Buffer.byteLength(JSON.stringify(standing))).toBeLessThanOrEqual(mostStanding);
      expect(standing.gates.length).toBeGreaterThan(0);
      expect(readStanding(JSON.parse(JSON.stringify(standing)))).toBeDefined();
    },
  );

  test("that others made up is read as none, and never throws", () => {
    for (const value of [undefined, null, 1, "x", [], {}, { v: 2 }, { v: 1, summary: {} }])
      expect(readStanding(value)).toBeUndefined();
    fc.assert(
      fc.property(fc.jsonValue(), (value) => void readStanding(value)),
      { numRuns: 200 },
    );
  });

  test("counts what is about to be put on record, and what was told before this process came", async () => {
    const { it, session } = await pausedRun();
    const follower = followRun({ job });
    follower.recall(it.told.slice(0, 2));
    const standing = readStanding(follower.standing(session, { events: it.told.slice(2), work: undefined }));
    expect(standing).toMatchObject({ summary: { state: "paused", iterations: 1 }, origin, job });
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

test("who decided is told by the gate's own name, also of a gate that was shown anew before this process came", async () => {
  const { it, session } = await pausedRun();
  const [gate] = session.gates();
  const shown = { path: "/before", by: "bob", nonce: "shownanew0" };
  const before = readStanding(followRun().standing(session, { events: it.told, work: undefined }));
  if (before === undefined || gate === undefined) throw new Error("the run does not stand at a gate");
  session.feed({
    type: "run.decided",
    at: "2026-01-02T00:00:00.000Z",
    gate: gate.need,
    decision: "approve",
    by: "ada",
    text: "",
  });
  const follower = followRun({ before: { ...before, decided: [shown, { path: "/older", by: "eve" }] } });
  const standing = readStanding(follower.standing(session, { events: it.told, work: undefined }));
  expect(standing?.decided).toEqual([shown, { path: gate.path, by: "ada", nonce: before.gates[0]?.nonce }]);
});
