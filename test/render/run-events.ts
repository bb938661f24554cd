import { afterCheck } from "../../src/checks/after-check.ts";
import type { RunEvent, RunEventBody } from "../../src/engine/run-events.ts";

// As the plan of a run with a check does.
await afterCheck.load();

/** Events as a run tells them, `secondsApart` after each other, or at the second given with one. */
export function eventsOf(
  ...events: readonly (RunEventBody | readonly [second: number, event: RunEventBody])[]
): readonly RunEvent[] {
  let second = 0;
  return events.map((each, at) => {
    const [when, event] = isTimed(each) ? each : [second + 1, each];
    second = when;
    return { v: 1, seq: at + 1, at: new Date(when * 1000).toISOString(), run: "fix-tests-7f3a", ...event };
  });
}

const isTimed = (
  each: RunEventBody | readonly [number, RunEventBody],
): each is readonly [number, RunEventBody] => Array.isArray(each);

export const runStarted: RunEventBody = {
  type: "run.started",
  workflow: "fix-tests",
  dialect: "native",
  agent: "claude",
  message: "",
};

export const loopStarted: RunEventBody = {
  type: "loop.started",
  path: "/fix",
  node: "fix",
  mode: "repeat",
  max: 10,
};

export const usage = { input_tokens: 1000, output_tokens: 234, cost_usd: 0.021 };

/** One iteration of the loop `/fix`, with the check's exit and how many tests it saw fail. */
export function iteration(number: number, failing: number): readonly RunEventBody[] {
  const path = `/fix#${number}`;
  return [
    { type: "iteration.started", path, node: "fix", number },
    { type: "agent.answered", path, text: "Tried.", usage },
    {
      type: "stop.tested",
      path: `${path}?1`,
      kind: "until-bash",
      verdict: failing === 0 ? "done" : "go-on",
      because: `\`npm test\` exited with ${failing === 0 ? 0 : 1}`,
      tail: `# pass 3\n# fail ${failing}\n`,
    },
    {
      type: "iteration.ended",
      path,
      node: "fix",
      number,
      output: `Tried number ${number}.`,
      snapshot: `${number}`.repeat(8),
      since: `${number - 1}`.repeat(8),
      diff: { files: number, added: 10 * number, removed: number, paths: ["src/a.js"] },
    },
  ];
}

export function loopEnded(iterations: number): RunEventBody {
  return {
    type: "loop.ended",
    path: "/fix",
    node: "fix",
    status: "completed",
    stop_reason: "until-bash",
    iterations,
  };
}

export function runEnded(iterations: number): RunEventBody {
  return {
    type: "run.ended",
    conclusion: "success",
    stop_reason: "until-bash",
    output: "All green.",
    results: {},
    iterations,
    usage: { input_tokens: 1000 * iterations, output_tokens: 234 * iterations, cost_usd: 0.021 * iterations },
  };
}

/** A run of three iterations that ends green. */
export const greenRun = eventsOf(
  runStarted,
  loopStarted,
  {
    type: "stop.tested",
    path: "/fix?1",
    kind: "until-bash",
    verdict: "go-on",
    because: "`npm test` exited with 1",
    tail: "# fail 7",
  },
  ...iteration(1, 4),
  ...iteration(2, 1),
  ...iteration(3, 0),
  loopEnded(3),
  runEnded(3),
);

/** The event of a gate whose text is the question alone. */
export const gateOpened = (path: string, question: string, message = question): RunEventBody => ({
  type: "gate.opened",
  path,
  node: path.slice(1),
  message,
  question,
});

/** A run that waits at a gate after its first iteration. */
export const waitingRun = (question: string, { path = "/fix#1!gate", message = question } = {}) =>
  eventsOf(runStarted, loopStarted, ...iteration(1, 4), gateOpened(path, question, message), {
    type: "run.paused",
    stop_reason: "gate",
    gates: [{ path, message, question }],
  });
