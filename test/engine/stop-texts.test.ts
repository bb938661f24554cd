import { describe, expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import type { ShellAnswer } from "../../src/ports/shell.ts";
import { type Props, type Stage, stage } from "../parts/stage.ts";

const loop = (keys: string) => `
name: t
agents:
  critic: { instructions: judge }
nodes:
  - id: fix
    loop:
      prompt: "check [$LOOP_CHECK_OUTPUT]"
${keys.trim().replace(/^ */gm, "      ")}
`;

async function ended(keys: string, props: Props): Promise<Stage> {
  const it = stage(loop(keys), props);
  await it.begin();
  return it;
}

const tested = (it: Stage) =>
  it.of("stop.tested").map(({ path, kind, verdict, because }) => `${path} ${kind} ${verdict}: ${because}`);
const workers = (it: Stage) => it.prompts.filter(({ role }) => role === "worker").map(({ prompt }) => prompt);
const notices = (it: Stage) => it.of("notice").map(({ code, path, message }) => `${code} ${path} ${message}`);

test.each<[Partial<ShellAnswer>, string]>([
  [{ exitCode: 1 }, "the check failed (exit 1)"],
  [{ exitCode: 12, tail: "no numbers" }, "the check failed (exit 12)"],
  [{ exitCode: 1, tail: " Tests  1 failed | 2 passed (3)\n" }, "1 test still fails (exit 1)"],
  [{ exitCode: 1, tail: " Tests  12 failed | 2 passed (14)\n" }, "12 tests still fail (exit 1)"],
  [{ exitCode: 1, tail: " Tests  2 passed (2)\n" }, "the check failed (exit 1)"],
  [{ timedOut: true, tail: " Tests  1 failed\n" }, "the check ran over its limit of 10m"],
])("after the last iteration, a check that ended with %j is reported as: %s", async (answer, text) => {
  const it = await ended("until_bash: npm test\nmax_iterations: 1", { shell: () => answer });
  expect(it.end()).toMatchObject({
    conclusion: "failure",
    stop_reason: "max-iterations",
    because: `fix was not done after 1 iteration: ${text}`,
  });
});

test("a green check that another stop overrules is reported as passed", async () => {
  const it = await ended("until: DONE\nuntil_bash: npm test\nuntil_mode: all\nmax_iterations: 2", {});
  expect(it.end()?.because).toBe("fix was not done after 2 iterations: no DONE yet; the check passed");
});

test("a fail signal that was not given is no text, and no reason to stop under all", async () => {
  const keys = "until_bash: npm test\nfail_until: GAVE_UP\nuntil_mode: all\nmax_iterations: 2";
  const it = await ended(keys, { shell: (_, call) => (call === 1 ? 1 : 0) });
  expect(tested(it)).toEqual([
    "/fix#1?1 fail-signal go-on: no GAVE_UP",
    "/fix#1?2 until-bash go-on: exit 1",
    "/fix#2?1 fail-signal go-on: no GAVE_UP",
    "/fix#2?2 until-bash done: exit 0",
  ]);
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "until-bash" });
  const red = await ended(keys, { shell: () => 1 });
  expect(red.end()?.because).toBe("fix was not done after 2 iterations: the check failed (exit 1)");
});

test("a loop gives up with the words of the stop that said so", async () => {
  const it = await ended("until_bash: npm test\nfail_until: GAVE_UP\nmax_iterations: 2", {
    agent: () => "<promise>GAVE_UP</promise>",
    shell: () => 1,
  });
  expect(it.end()).toMatchObject({
    conclusion: "failure",
    stop_reason: "fail-signal",
    because: "fix gave up: the agent said GAVE_UP",
  });
  expect(it.scripts).toEqual([]);
});

describe("the next iteration reads", () => {
  test("what the check printed, then why the judge said no", async () => {
    const it = await ended("until_bash: npm test\nuntil_agent: critic\nmax_iterations: 2", {
      shell: () => ({ exitCode: 1, tail: "2 failing" }),
      agent: ({ role }) => (role === "judge" ? '{"done": false, "reason": "too slow"}' : "worked"),
    });
    expect(workers(it)).toEqual([
      "check []",
      "check [exit 1\n2 failing\nthe judge says it is not done: too slow]",
    ]);
  });

  test("nothing of stops that read the output alone", async () => {
    const it = await ended("until: DONE\nmax_iterations: 2", { agent: () => "worked" });
    expect(workers(it)).toEqual(["check []", "check []"]);
  });

  test("nothing of a check that passed", async () => {
    const it = await ended("until: DONE\nuntil_bash: npm test\nuntil_mode: all\nmax_iterations: 2", {
      shell: () => ({ exitCode: 0, tail: "all is well" }),
    });
    expect(workers(it)).toEqual(["check []", "check []"]);
  });
});

describe("a check that gives no result", () => {
  const missing = { exitCode: 127, tail: "bash: line 1: npm: command not found\n" };

  test("runs once more, and counts if it gives one then", async () => {
    const it = await ended("until_bash: npm test\nmax_iterations: 1", {
      shell: (_, call) => (call === 1 ? missing : 0),
    });
    expect(tested(it)).toEqual(["/fix#1?1 until-bash done: exit 0"]);
    expect(it.scripts).toHaveLength(2);
  });

  test("ends the loop the second time, even if it was red meanwhile", async () => {
    const it = await ended("until_bash: npm test\nmax_iterations: 9\ncheck: { retries: 5 }", {
      shell: (_, call) => (call === 2 ? 1 : missing),
    });
    expect(it.scripts).toHaveLength(3);
    expect(it.end()).toMatchObject({
      conclusion: "failure",
      stop_reason: "check-unevaluable",
      iterations: 1,
      because:
        "the check of fix gave no result: exit 127: command not found: `bash: line 1: npm: command not found`",
    });
  });
});

test("a red check runs again as often as its author allows, and no more", async () => {
  const it = await ended("until_bash: npm test\nmax_iterations: 1\ncheck: { retries: 2 }", {
    shell: () => 1,
  });
  expect(it.scripts).toHaveLength(3);
  expect(tested(it)).toEqual(["/fix#1?1 until-bash go-on: exit 1"]);
});

describe("a judge that cannot be asked", () => {
  const judge = "until_agent: critic\nmax_iterations: 2";
  const props: Props = {
    agent: ({ role }) => (role === "judge" ? new AgentError("auth", "no key") : "worked"),
  };

  test("ends the loop", async () => {
    const it = await ended(judge, props);
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "agent-error", because: "no key" });
    expect([...tested(it), ...notices(it)]).toEqual([]);
  });

  test("says no with a notice, if its author wants that", async () => {
    const it = await ended(`${judge}\nno_verdict: continue`, props);
    const says = "judge go-on: the judge could not be asked: no key";
    expect(tested(it)).toEqual([`/fix#1?1 ${says}`, `/fix#2?1 ${says}`]);
    expect(notices(it)).toEqual(["JUDGE_FAILED /fix#1?1 no key", "JUDGE_FAILED /fix#2?1 no key"]);
  });

  test("ends the loop even so, if the budget is used up", async () => {
    const usage = { input_tokens: 1, output_tokens: 0, cost_usd: 2 };
    const it = stage(loop(`${judge}\nno_verdict: continue`).replace("nodes:", "budget: { usd: 1 }\nnodes:"), {
      agent: () => ({ text: "worked", usage }),
    });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "budget", iterations: 1 });
    expect([...tested(it), ...notices(it)]).toEqual([]);
  });
});
