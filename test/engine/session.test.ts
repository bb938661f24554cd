import { describe, expect, test } from "vitest";
import { type LogEvent, LogMismatchError, type RunStarted } from "../../src/engine/log-events.ts";
import { EmptyLogError, replay } from "../../src/engine/replay.ts";
import type { RunSession } from "../../src/engine/session.ts";
import type { AgentFault } from "../../src/ports/agent.ts";
import { planOf } from "../parts/stage.ts";

const source = `
name: t
interactive: true
nodes:
  - { id: work, prompt: Work. }
  - { id: ok, depends_on: [work], approval: { message: "Go?" } }
  - { id: ship, depends_on: [ok], bash: ship }
`;

/** The time of a run after this many minutes. */
const time = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

type Timed<T> = T extends LogEvent ? Omit<T, "at"> : never;
type Bare = Timed<LogEvent>;

const started = (text = source, limits: RunStarted["facts"]["limits"] = {}): Omit<RunStarted, "at"> => ({
  type: "run.started",
  v: 1,
  plan: planOf(text),
  facts: {
    run: "run-1",
    message: "fix it",
    inputs: {},
    artifacts: "/artifacts",
    base_branch: "main",
    docs_dir: "docs/",
    snapshots: false,
    warnings: [],
    limits,
  },
});

/** A session from a log with an event each minute. */
const sessionOf = (...events: readonly Bare[]): RunSession =>
  replay([started(), ...events].map((event, minute) => ({ ...event, at: time(minute) }) as LogEvent));

const begun = (path: string): Bare => ({ type: "need.begun", path });
const worked: Bare = { type: "need.met", path: "/work", port: "agent", answer: { text: "done" } };
const shipped: Bare = {
  type: "need.met",
  path: "/ship",
  port: "shell",
  answer: { exitCode: 0, stdout: "", tail: "" },
};
const paused: Bare = { type: "run.paused", stop_reason: "gate" };
const resumed: Bare = { type: "run.resumed", by: "ann" };
const decided = (more: object = {}): Bare => ({
  type: "run.decided",
  gate: "/ok",
  decision: "approve",
  by: "ann",
  text: "",
  ...more,
});
const ended: Bare = { type: "run.ended", conclusion: "success", stop_reason: "completed" };

const notices = (session: RunSession) =>
  session.take().flatMap((event) => (event.type === "notice" ? [`${event.code} ${event.message}`] : []));
const effects = ({ effects }: RunSession) => [...effects.values()].map(({ port, path }) => `${port} ${path}`);

describe("a log that does not fit its plan is refused", () => {
  test.each<[string, readonly Bare[], string]>([
    ["a start of nothing", [begun("/ship")], "the log begins /ship, which is not open"],
    ["an answer to nothing", [shipped], "the log answers /ship, which the plan never asked"],
    [
      "an answer of another kind",
      [{ ...shipped, path: "/work" } as Bare],
      "the log has a shell answer at /work, the plan a agent need",
    ],
  ])("%s", (_, events, message) => {
    expect(() => sessionOf(...events)).toThrow(new LogMismatchError(message));
  });

  test("one without a start", () => {
    expect(() => replay([])).toThrow(new EmptyLogError("the log does not begin with run.started"));
    expect(() => replay([{ ...resumed, at: time(0) } as LogEvent])).toThrow(EmptyLogError);
  });
});

describe("a gate", () => {
  const gate = { path: "/ok", message: expect.stringContaining("Go?"), question: "Go?" };

  test("is open from the answer before it until it is decided", () => {
    const open = sessionOf(begun("/work"), worked, paused);
    expect(open.gates()).toEqual([{ ...gate, need: "/ok", since: time(2) }]);
    expect([open.paused, open.ended, open.closed]).toEqual([true, false, false]);
    expect(effects(open)).toEqual(["human /ok"]);
    expect(open.take().at(-1)).toMatchObject({ type: "run.paused", stop_reason: "gate", gates: [gate] });
    const closed = sessionOf(begun("/work"), worked, paused, decided({ comment: { id: 7, sha256: "x" } }));
    expect(closed.gates()).toEqual([]);
    expect([...closed.decided]).toEqual([["/ok", { by: "ann", need: "/ok", since: time(2), comment: 7 }]]);
    expect(closed.paused).toBe(true);
    expect(effects(closed)).toEqual(["shell /ship"]);
  });

  test("takes no second decision, and other effects take none", () => {
    const twice = sessionOf(begun("/work"), worked, paused, decided(), decided({ by: "bob" }));
    expect(twice.decided.get("/ok")?.by).toBe("ann");
    const early = sessionOf(decided({ gate: "/work" }));
    expect([early.decided.size, effects(early)]).toEqual([0, ["agent /work"]]);
  });
});

test("a run ends once, and is closed once its log says so", () => {
  const all = [begun("/work"), worked, paused, decided(), resumed, begun("/ship"), shipped];
  const open = sessionOf(...all);
  expect([open.ended, open.closed, open.paused]).toEqual([true, false, false]);
  expect(open.end).toEqual({ type: "run.ended", conclusion: "success", stop_reason: "completed" });
  const closed = sessionOf(...all, resumed, ended);
  expect(closed.closed).toBe(true);
  expect(closed.take().map(({ type }) => type)).toEqual(open.take().map(({ type }) => type));
});

test("a cancelled run ends at once, and remembers why", () => {
  const session = sessionOf(begun("/work"), { type: "run.cancelled", by: "ann", because: "enough" });
  expect([session.cancelled, session.ended, effects(session)]).toEqual(["enough", true, []]);
  expect(session.take().at(-1)).toMatchObject({ conclusion: "cancelled", because: "enough" });
  expect(sessionOf().cancelled).toBeUndefined();
});

test("the time of a run counts while it works, and not while it waits", () => {
  const all = [begun("/work"), worked, paused, decided(), resumed, begun("/ship")];
  const minutes = all.map((_, index) => sessionOf(...all.slice(0, index + 1)).totals.activeMs / 60_000);
  expect(minutes).toEqual([1, 2, 3, 3, 3, 4]);
});

test("what people do on other machines does not measure the time of the run", () => {
  const told: Bare = { type: "run.messaged", to: "work", from: "ann", text: "hurry" };
  const extended: Bare = { type: "run.extended", by: "ann" };
  expect(sessionOf(begun("/work"), told).totals.activeMs).toBe(60_000);
  expect(sessionOf(begun("/work"), told, worked).totals.activeMs).toBe(180_000);
  expect(sessionOf(begun("/work"), extended).paused).toBe(true);
});

test("the messages for a step wait in the inbox of its call, and no other has one", () => {
  const told: Bare = { type: "run.messaged", to: "work", from: "ann", text: "hurry" };
  const session = sessionOf(told, begun("/work"));
  expect(session.inbox("/work")).toEqual([{ from: "ann", text: "hurry" }]);
  expect(session.inbox("/none")).toEqual([]);
  const gate = sessionOf({ ...told, to: "ok" } as Bare, begun("/work"), worked);
  expect(gate.inbox("/ok")).toEqual([]);
});

test("the budget is the lower of the file's and the starter's, and says when it is used up", () => {
  const text = source.replace("nodes:", "budget: { usd: 2, tokens: 10 }\nnodes:");
  const answer = { text: "done", usage: { input_tokens: 1, output_tokens: 0, cost_usd: 1 } };
  const events = [started(text, { usd: 1, tokens: 20 }), begun("/work"), { ...worked, answer } as Bare];
  const session = replay(events.map((event, minute) => ({ ...event, at: time(minute) }) as LogEvent));
  expect(session.budget).toEqual({ usd: 1, tokens: 10 });
  expect(session.usedUp()).toBe("the budget of 1 USD is used up (1.00 USD spent)");
  expect(sessionOf().usedUp()).toBeUndefined();
});

describe("work that a kill interrupted", () => {
  const note =
    "Note: an earlier attempt at this step was cut off before it could answer. Its changes may already be in the workspace: look before you repeat anything.\n\n";
  const prompt = (session: RunSession) => {
    const effect = session.effects.get("/work");
    return effect?.port === "agent" ? effect.ask.prompt : undefined;
  };

  test("starts again with a notice, and the agent is told once, however often that happens", () => {
    const session = sessionOf(begun("/work"), resumed, begun("/work"), resumed, begun("/work"));
    const text = "BEGUN_AGAIN work was in progress when the run was interrupted; it starts again";
    expect(prompt(session)).toBe(`${note}Work.`);
    expect(notices(session)).toEqual([text, text]);
    expect(session.hasStarted("/work")).toBe(true);
  });

  test("is known to have started only since the last resume", () => {
    const session = sessionOf(begun("/work"), resumed);
    expect([session.hasStarted("/work"), prompt(session)]).toEqual([false, `${note}Work.`]);
  });

  test("without a record of its start, leads to a notice, unless the run was paused", () => {
    const text = "CUT_OFF the run was interrupted; work after its last recorded event may be repeated";
    expect(notices(sessionOf(resumed))).toEqual([text]);
    expect(notices(sessionOf(paused, resumed))).toEqual([]);
    expect(notices(sessionOf(begun("/work"), worked, resumed))).toEqual([]);
  });

  test("was not interrupted if the run paused because a provider refused it", () => {
    const wait: Bare = { type: "run.paused", stop_reason: "rate-limit", wake_at: time(60) };
    const session = sessionOf(begun("/work"), wait, resumed, begun("/work"));
    expect(prompt(session)).toBe("Work.");
    expect(session.take().filter(({ type }) => type === "run.paused")).toMatchObject([
      { stop_reason: "rate-limit", gates: [], wake_at: time(60) },
    ]);
    expect(notices(sessionOf(begun("/work"), wait, resumed, begun("/work")))).toEqual([]);
  });
});

describe("a call that failed", () => {
  const failing = (more: object): Bare => ({
    type: "need.failed",
    path: "/work",
    because: "no",
    final: false,
    ...more,
  });
  const usage = { input_tokens: 1, output_tokens: 2, cost_usd: 0.5 };

  test("is reported with each attempt, and counts what it took", () => {
    const session = sessionOf(
      begun("/work"),
      failing({ fault: "overloaded", usage, tag: "late" }),
      failing({ fault: "network" }),
      failing({}),
    );
    expect(session.totals.usage).toEqual(usage);
    expect([...session.totals.tags]).toEqual([["late", 1]]);
    expect(
      session
        .take()
        .slice(3)
        .map(({ v, seq, at, run, ...event }) => event),
    ).toEqual([
      { type: "agent.failed", path: "/work", because: "no", fault: "overloaded", usage },
      { type: "node.retried", path: "/work", attempt: 2, reason: "no", fault: "overloaded" },
      { type: "node.retried", path: "/work", attempt: 3, reason: "no", fault: "network" },
    ]);
    expect(effects(session)).toEqual(["agent /work"]);
  });

  test.each<[AgentFault | undefined, string]>([
    ["idle", "idle"],
    ["timeout", "timeout"],
    ["auth", "agent-error"],
    ["overloaded", "agent-error"],
    [undefined, "internal"],
  ])("for good, by %s, ends its run as %s", (fault, reason) => {
    const session = sessionOf(
      begun("/work"),
      failing({ final: true, ...(fault === undefined ? {} : { fault }) }),
    );
    expect(session.end).toEqual({ type: "run.ended", conclusion: "failure", stop_reason: reason });
  });
});
