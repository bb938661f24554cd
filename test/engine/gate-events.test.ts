import { expect, test } from "vitest";
import { type Stage, stage } from "../parts/stage.ts";

const loop = (keys: string) => `
name: t
interactive: true
nodes:
  - id: fix
    loop:
      prompt: "said [$LOOP_USER_INPUT]"
      interactive: true
      gate_message: "Look at it, $LOOP_ITERATION."
${keys.trim().replace(/^ */gm, "      ")}
`;

const gates = (it: Stage) => it.of("gate.opened").map(({ path, question }) => `${path} ${question}`);

const howToAnswer = `Run: test-run
  until-green approve test-run [text]       or comment: /workflow approve test-run [text]
  until-green reject test-run [reason]      or comment: /workflow reject test-run [reason]
  until-green cancel test-run               or comment: /workflow cancel test-run`;

test("a gate shows its question, the output, what the check said and printed, and how to answer", async () => {
  const it = stage(loop("until: DONE\nuntil_bash: npm test\nuntil_mode: all\nmax_iterations: 2"), {
    agent: () => "draft",
    shell: () => ({ exitCode: 1, tail: "2 failing\n" }),
  });
  await it.begin();
  const gate = {
    path: "/fix#1!gate",
    message: `Look at it, 1.

> draft

no DONE yet
the check failed (exit 1)

The check's last lines:
    2 failing

${howToAnswer}`,
    question: "Look at it, 1.\n\ndraft\n\nno DONE yet",
  };
  expect(it.of("gate.opened", "run.paused").map(({ v, seq, at, run, ...event }) => event)).toEqual([
    { type: "gate.opened", node: "fix", ...gate },
    { type: "run.paused", stop_reason: "gate", gates: [gate] },
  ]);
});

test("a gate's question reads the iteration that has just ended", async () => {
  const it = stage(
    `
name: t
interactive: true
nodes:
  - id: fix
    loop:
      nodes: [{ id: write, prompt: Write. }]
      until: DONE
      max_iterations: 2
      interactive: true
      gate_message: "$LOOP_ITERATION: $write.output, before: $LOOP_PREV.write.output. $LOOP_USER_INPUT"
`,
    { agent: (_, call) => `draft ${call}` },
  );
  await it.begin();
  await it.decide("approve", "shorter");
  expect(gates(it)).toEqual([
    "/fix#1!gate 1: draft 1, before: .\n\ndraft 1\n\nno DONE yet",
    "/fix#2!gate 2: draft 2, before: draft 1. shorter\n\ndraft 2\n\nno DONE yet\n\nThis was the last allowed iteration: approve with feedback to grant one more.",
  ]);
});

test("where finished work waits too, a gate says what approval does", async () => {
  const it = stage(loop("until: DONE\nmax_iterations: 1\nsignal_completes: false"), {
    agent: () => "Here.\n<promise>DONE</promise>",
  });
  await it.begin();
  expect(gates(it)).toEqual([
    "/fix#1!gate Look at it, 1.\n\nHere.\n\nthe agent said DONE\n\nThe loop says it is done: approve without text to accept it, with text for another iteration.",
  ]);
  await it.decide("approve", "shorter");
  expect(it.prompts.map(({ prompt }) => prompt)).toEqual(["said []", "said [shorter]"]);
  await it.decide("approve");
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "approved", output: "Here." });
});

test("a gate's question reads why the check that has just run failed", async () => {
  const source = loop("until_bash: npm test\nmax_iterations: 2").replace(
    "Look at it, $LOOP_ITERATION.",
    "$LOOP_CHECK_OUTPUT",
  );
  const it = stage(source, { shell: (_, call) => ({ exitCode: call, tail: `${call} failing` }) });
  await it.begin();
  await it.decide("approve", "shorter");
  expect(it.of("gate.opened").map(({ message }) => message.split("\n\n")[0])).toEqual([
    "exit 1\n1 failing",
    "exit 2\n2 failing",
  ]);
});

test.each([
  ["approve", "", "max-iterations", "fix was not done after 1 iteration: no DONE yet"],
  ["reject", "", "rejected", "rejected by ann"],
  ["reject", "too long", "rejected", "rejected by ann: too long"],
] as const)(
  "to %s the last iteration with %j ends the loop",
  async (decision, text, ...[reason, because]) => {
    const it = stage(loop("until: DONE\nmax_iterations: 1"), { agent: () => "draft" });
    await it.begin();
    await it.decide(decision, text);
    const after = it.of("gate.answered", "loop.ended", "node.ended");
    expect(after.map(({ v, seq, at, run, ...event }) => event)).toEqual([
      { type: "gate.answered", path: "/fix#1!gate", node: "fix", decision, by: "ann", text },
      { type: "loop.ended", path: "/fix", node: "fix", status: "failed", stop_reason: reason, iterations: 1 },
      {
        type: "node.ended",
        path: "/fix",
        node: "fix",
        label: "fix",
        status: "failed",
        output: "draft",
        reason: because,
      },
    ]);
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: reason, because });
  },
);
