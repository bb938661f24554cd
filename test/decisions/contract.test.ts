import { describe, expect, test } from "vitest";
import { type Decision, decide } from "../../src/decisions/decide.ts";
import { viewOf } from "../../src/decisions/run-view.ts";
import type { RunSession } from "../../src/engine/session.ts";
import { applyDecision, type DecisionInput } from "../../src/issue-ops/apply-decision.ts";
import { appendDecision } from "../../src/runner/append-decision.ts";
import { openRun } from "../../src/runner/open-run.ts";
import { createRunProjection } from "../../src/status/run-projection.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import type { Tip } from "../../src/stores/rest/tip.ts";
import { runId, stage } from "../parts/stage.ts";

const gated = (nodes: string) => `name: t\ninteractive: true\nnodes:\n${nodes}`;
const oneGate = gated("  - { id: a, approval: { message: one } }\n");
const twoGates = gated(
  "  - { id: a, approval: { message: one } }\n  - { id: b, approval: { message: two } }\n",
);
const inOrder = gated(
  "  - { id: a, approval: { message: one } }\n  - { id: b, approval: { message: two }, depends_on: [a] }\n",
);
const thenWork = gated(
  "  - { id: a, approval: { message: one } }\n  - { id: b, prompt: work, depends_on: [a] }\n",
);
const nested = `name: t
interactive: true
nodes:
  - id: first
    approval: { message: one }
  - id: fix
    depends_on: [first]
    loop:
      max_iterations: 2
      until: DONE
      nodes:
        - { id: write, prompt: write }
        - { id: test, prompt: test, depends_on: [write] }
`;

const short = "name: t\nnodes:\n  - { id: fix, loop: { prompt: go, until: DONE, max_iterations: 1 } }\n";

/** Where a run stands when somebody speaks. */
const situations = {
  "at a gate": () => startRun(oneGate),
  "at two gates": () => startRun(twoGates),
  "at a second gate, the first decided by ann": async () => {
    const it = await startRun(inOrder);
    await it.decide("approve");
    return it;
  },
  "out of time, with a gate beside its work": () =>
    startRun(
      "name: t\ninteractive: true\nnodes:\n  - { id: a, approval: { message: one } }\n  - { id: b, prompt: go }\n",
      AbortSignal.abort(),
    ),
  "running, its gate decided by bob": () => recorded(thenWork, "approve"),
  "running, and cancelled by bob": () => recorded(twoGates, "cancel"),
  "ended, decided by ann": async () => {
    const it = await startRun(oneGate);
    await it.decide("approve");
    return it;
  },
  "ended, with no iterations left": () => startRun(short),
  "running, with steps in a loop": () => recorded(nested, "approve"),
  "at a gate before a loop": () => startRun(nested),
} satisfies Record<string, () => Promise<{ readonly store: ReturnType<typeof stage>["store"] }>>;

async function startRun(file: string, timeLimit?: AbortSignal) {
  const it = stage(file);
  await it.begin(timeLimit && { timeLimit });
  return it;
}

/** A word of bob's on record, with which no job has gone on yet. */
async function recorded(file: string, what: "approve" | "cancel") {
  const { store } = await startRun(file);
  const at = "2026-01-01T00:01:00.000Z";
  await appendDecision({ store }, runId, (session) => ({
    record:
      what === "cancel"
        ? { type: "run.cancelled", at, by: "bob", because: "cancelled by bob" }
        : {
            type: "run.decided",
            at,
            gate: session.gates()[0]?.need ?? "",
            decision: "approve",
            by: "bob",
            text: "",
          },
  }));
  return { store };
}

interface Input extends Partial<DecisionInput> {
  /** When it was said, in milliseconds after the newest gate opened, or after the last of them was decided. */
  readonly after?: number;
}

type Outcome =
  | { readonly record: object }
  | { readonly resumes: true }
  | { readonly refused: "late" | "wrong"; readonly because: RegExp; readonly waits?: true };

const decided = (gate: string, decision: string, text = "") => ({
  record: { type: "run.decided", gate: expect.stringContaining(gate), decision, by: "ada", text },
});
const messaged = (to: string, text: string) => ({ record: { type: "run.messaged", to, text, from: "ada" } });
const cancelled = (because: string) => ({ record: { type: "run.cancelled", by: "ada", because } });
const wrong = (because: RegExp) => ({ refused: "wrong", because }) as const;
const waits = { ...wrong(/waits for a person: approve or reject/), waits: true } as const;
const late = (because: RegExp) => ({ refused: "late", because }) as const;

const table: readonly (readonly [keyof typeof situations, Input & Pick<DecisionInput, "kind">, Outcome])[] = [
  ["at a gate", { kind: "approve" }, decided("/a", "approve")],
  ["at a gate", { kind: "reject" }, decided("/a", "reject")],
  ["at a gate", { kind: "approve", text: "go on" }, decided("/a", "approve", "go on")],
  ["at a gate", { kind: "reject", text: "not yet\nreally" }, decided("/a", "reject", "not yet\nreally")],
  ["at a gate", { kind: "approve", gate: "/a" }, decided("/a", "approve")],
  ["at a gate", { kind: "reject", gate: "/a", text: "no" }, decided("/a", "reject", "no")],
  ["at a gate", { kind: "approve", gate: "/b" }, wrong(/gate is not open.*open now: .*\/a/)],
  ["at a gate", { kind: "approve", after: -5_000 }, wrong(/older than the gate .*\/a/)],
  ["at a gate", { kind: "reject", after: -5_000 }, wrong(/older than the gate .*\/a/)],
  ["at a gate", { kind: "approve", gate: "/a", after: -5_000 }, wrong(/older than the gate .*\/a/)],
  ["at a gate", { kind: "cancel" }, cancelled("cancelled by ada")],
  ["at a gate", { kind: "cancel", text: "too dear" }, cancelled("cancelled by ada: too dear")],
  ["at a gate", { kind: "cancel", after: -5_000 }, cancelled("cancelled by ada")],
  ["at a gate", { kind: "tell", step: "nobody", text: "hi" }, wrong(/has no step .*nobody.*; it has .*a/)],
  ["at a gate", { kind: "tell", step: "a", text: "hi" }, messaged("a", "hi")],
  ["at a gate", { kind: "tell", step: "", text: "hi" }, wrong(/needs a step and a text/)],
  ["at a gate", { kind: "tell", step: "a", text: "" }, wrong(/needs a step and a text/)],
  ["at a gate", { kind: "resume" }, waits],
  ["at two gates", { kind: "approve" }, decided("/a", "approve")],
  ["at two gates", { kind: "approve", gate: "/b" }, decided("/b", "approve")],
  ["at two gates", { kind: "reject", gate: "/b", text: "no" }, decided("/b", "reject", "no")],
  ["at two gates", { kind: "approve", gate: "/c" }, wrong(/gate is not open.*\/a.*\/b/)],
  ["at two gates", { kind: "approve", after: -60_000 }, wrong(/older than the gate/)],
  ["at two gates", { kind: "cancel" }, cancelled("cancelled by ada")],
  ["at two gates", { kind: "resume" }, waits],
  ["at a second gate, the first decided by ann", { kind: "approve" }, decided("/b", "approve")],
  ["at a second gate, the first decided by ann", { kind: "reject", gate: "/b" }, decided("/b", "reject")],
  [
    "at a second gate, the first decided by ann",
    { kind: "approve", gate: "/a" },
    late(/already decided by ann.*open now: .*\/b/),
  ],
  [
    "at a second gate, the first decided by ann",
    { kind: "reject", after: -5_000 },
    late(/already decided by ann.*open now: .*\/b/),
  ],
  ["at a second gate, the first decided by ann", { kind: "tell", step: "b", text: "x" }, messaged("b", "x")],
  ["running, its gate decided by bob", { kind: "approve" }, late(/^already decided by bob$/)],
  ["running, its gate decided by bob", { kind: "reject" }, late(/^already decided by bob$/)],
  ["running, its gate decided by bob", { kind: "reject", gate: "/a" }, late(/^already decided by bob$/)],
  ["running, its gate decided by bob", { kind: "approve", gate: "/zz" }, wrong(/gate is not open/)],
  ["running, its gate decided by bob", { kind: "cancel" }, cancelled("cancelled by ada")],
  ["running, its gate decided by bob", { kind: "resume" }, { resumes: true }],
  ["running, and cancelled by bob", { kind: "cancel" }, late(/^run \S+ was cancelled by bob$/)],
  ["running, and cancelled by bob", { kind: "approve" }, late(/^run \S+ was cancelled by bob$/)],
  [
    "running, and cancelled by bob",
    { kind: "tell", step: "a", text: "hi" },
    late(/^run \S+ was cancelled by bob$/),
  ],
  ["running, and cancelled by bob", { kind: "resume" }, late(/^run \S+ was cancelled by bob$/)],
  ["ended, decided by ann", { kind: "approve" }, late(/already decided by ann; run .* has ended/)],
  ["ended, decided by ann", { kind: "reject", gate: "/a" }, late(/already decided by ann; run .* has ended/)],
  ["ended, decided by ann", { kind: "approve", gate: "/b" }, wrong(/has ended already/)],
  ["ended, decided by ann", { kind: "cancel" }, wrong(/has ended already/)],
  ["ended, decided by ann", { kind: "tell", step: "a", text: "hi" }, wrong(/has ended already/)],
  ["ended, decided by ann", { kind: "tell", step: "zz", text: "hi" }, wrong(/has ended already/)],
  [
    "ended, decided by ann",
    { kind: "resume" },
    wrong(/^run \S+ has ended; there is nothing to resume: start a new run$/),
  ],
  [
    "ended, with no iterations left",
    { kind: "resume" },
    wrong(/start a new run, or give it more: .*(?:resume test-run --more-iterations|retry test-run) 5/),
  ],
  ["out of time, with a gate beside its work", { kind: "resume" }, { resumes: true }],
  ["out of time, with a gate beside its work", { kind: "approve" }, decided("/a", "approve")],
  ["ended, decided by ann", { kind: "retry" }, wrong(/has ended, but not because its iterations/)],
  ["at a gate", { kind: "retry" }, wrong(/has not ended: .*resume test-run/)],
  ["ended, with no iterations left", { kind: "retry" }, { record: { type: "run.extended", by: "ada" } }],
  [
    "ended, with no iterations left",
    { kind: "retry", text: "5" },
    { record: { type: "run.extended", by: "ada", iterations: 5 } },
  ],
  ["ended, with no iterations left", { kind: "retry", text: "0" }, wrong(/takes a number of iterations/)],
  [
    "ended, with no iterations left",
    { kind: "retry", text: "please" },
    wrong(/takes a number of iterations: .*\/workflow retry test-run 5/),
  ],
  [
    "running, with steps in a loop",
    { kind: "tell", step: "write", text: "short" },
    messaged("write", "short"),
  ],
  [
    "running, with steps in a loop",
    { kind: "tell", step: "/fix#1/test", text: "x" },
    messaged("/fix#1/test", "x"),
  ],
  [
    "running, with steps in a loop",
    { kind: "tell", step: "fix", text: "x" },
    wrong(/.*fix.* accepts no messages: name a step inside it: .*write.*test/),
  ],
  ["running, with steps in a loop", { kind: "tell", step: "no-such-step", text: "x" }, wrong(/has no step/)],
  ["at a gate before a loop", { kind: "tell", step: "test", text: "x" }, messaged("test", "x")],
  ["at a gate before a loop", { kind: "tell", step: "tset", text: "x" }, wrong(/has no step/)],
];

/** As the command line says it, over the log. */
function byCommandLine(session: RunSession, input: DecisionInput): Outcome {
  return shown(decide(viewOf(session), input));
}

/** As the app says it, over what the tip of the run's ref tells. */
function byApp(tip: Tip, input: DecisionInput): Outcome {
  const result = applyDecision(tip, input);
  if ("lines" in result) return { record: JSON.parse(result.lines[0] ?? "") };
  return shown(result as Decision);
}

const shown = (decision: Decision): Outcome => {
  if ("record" in decision || "resumes" in decision) return decision;
  if ("refused" in decision) return { ...decision, because: decision.because as never };
  throw new Error(JSON.stringify(decision));
};

async function stand(situation: keyof typeof situations) {
  const { store } = await situations[situation]();
  const lines = await store.read(runId);
  const { session } = await openRun(memoryStore({ [runId]: lines }), runId);
  const status = createRunProjection().statusOf(session, { events: session.take(), work: undefined });
  const tip = { run: runId, state: { status }, lines: [] } as unknown as Tip;
  const opened = session.gates().map(({ since }) => Date.parse(since));
  const newest = opened.length === 0 ? Date.parse("2026-01-01T00:02:00.000Z") : Math.max(...opened);
  return { session, tip, newest };
}

test("the table has at least 40 cases", () => {
  expect(table.length).toBeGreaterThanOrEqual(40);
});

describe.each(table)("%s, %o", (situation, words, outcome) => {
  test.each([
    [
      "the command line",
      ({ session }: Awaited<ReturnType<typeof stand>>, command: DecisionInput) =>
        byCommandLine(session, command),
    ],
    ["the app", ({ tip }: Awaited<ReturnType<typeof stand>>, command: DecisionInput) => byApp(tip, command)],
  ] as const)("%s decides as the contract says", async (_, ask) => {
    const it = await stand(situation);
    const { after = 5_000, ...rest } = words;
    const since = it.newest + after;
    const at = new Date(Math.max(since, it.newest) + 1_000).toISOString();
    const input: DecisionInput = { text: "", by: "ada", source: "1", since, at, ...rest };
    const decision = ask(it, input);
    if ("refused" in outcome)
      expect(decision).toEqual({ ...outcome, because: expect.stringMatching(outcome.because) });
    else expect(decision).toMatchObject(outcome);
  });
});
