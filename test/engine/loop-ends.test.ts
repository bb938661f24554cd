import { expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import { type Props, stage } from "../parts/stage.ts";

const loop = (keys: string) => `
name: t
nodes:
  - id: fix
    loop:
      prompt: Fix.
${keys.trim().replace(/^ */gm, "      ")}
`;

/** How a loop ended: its status, reason, output and iterations, and why. */
async function endOf(source: string, props: Props = {}): Promise<string> {
  const it = stage(source, { agent: (_, call) => `said ${call}`, ...props });
  await it.begin();
  const [loop] = it.of("loop.ended");
  const node = it.of("node.ended").at(-1);
  const output = JSON.stringify(node?.output);
  const why = node?.status === "failed" ? ` ${node.reason}` : "";
  return `${loop?.status} ${loop?.stop_reason} ${loop?.iterations} ${output}${why}`;
}

const crash = (...calls: readonly number[]): Props => ({
  agent: (_, call) => (calls.includes(call) ? new AgentError("auth", "no key") : `said ${call}`),
});
const red: Props = { shell: () => ({ exitCode: 1, tail: "1 failing" }) };
const unchanged: Props = { ...red, workspace: () => ({ commit: "c", tree: "t" }) };

test.each<[string, string, Props, string]>([
  [
    "a signal",
    "until: DONE\nmax_iterations: 3",
    { agent: () => "Well. DONE" },
    'completed signal 1 "Well. DONE"',
  ],
  [
    "its last iteration",
    "until: DONE\nmax_iterations: 2",
    {},
    'failed max-iterations 2 "said 2" fix was not done after 2 iterations: no DONE yet',
  ],
  [
    "its last iteration, if that counts as success",
    "until: DONE\nmax_iterations: 2\non_max: succeed",
    {},
    'completed iterations-done 2 "said 2"',
  ],
  [
    "its last iteration, which failed",
    "until: DONE\nmax_iterations: 2\non_error: continue",
    crash(2),
    'failed max-iterations 2 "" fix was not done after 2 iterations: iteration 2 failed: no key',
  ],
  ["an iteration that failed", "until: DONE\nmax_iterations: 3", crash(2), 'failed agent-error 2 "" no key'],
  [
    "a failure that came back",
    "until_bash: npm test\nmax_iterations: 9\nno_progress: { same_failure: 2 }",
    red,
    'failed no-progress 3 "said 3" fix gave up: the same failure came back in 2 iterations',
  ],
  [
    "files that stay the same",
    "until_bash: npm test\nmax_iterations: 9\nno_progress: { no_change: 2 }",
    unchanged,
    'failed no-progress 3 "said 3" fix gave up: 2 iterations brought no new change and no new failure',
  ],
  [
    "an output that stays the same, without a repository",
    "until: DONE\nmax_iterations: 9\nno_progress: { no_change: 2 }",
    { agent: () => "the same" },
    'failed no-progress 3 "the same" fix gave up: 2 iterations brought no new change and no new failure',
  ],
  [
    "a check that is broken",
    "until_bash: npm test\nmax_iterations: 9",
    { shell: () => ({ exitCode: 127, tail: "bash: line 1: npm: command not found" }) },
    'failed check-unevaluable 1 "said 1" the check of fix gave no result: exit 127: command not found: `bash: line 1: npm: command not found`',
  ],
  [
    "its time limit",
    "until: DONE\nmax_iterations: 9\ntime_limit: 4ms",
    {},
    'failed timeout 2 "said 1" the time limit around it has passed',
  ],
])("a loop that ends by %s says so", async (...[, keys, props, end]) => {
  expect(await endOf(loop(keys), props)).toBe(end);
});

test("a loop whose iterations all failed, and that forgets them, ends with a notice", async () => {
  const source = loop("until: DONE\nmax_iterations: 2\non_max: succeed\non_error: forget");
  const it = stage(source, crash(1, 2));
  await it.begin();
  expect(it.of("notice").map(({ code, path, message }) => `${code} ${path} ${message}`)).toEqual([
    "NO_ITERATION /fix no iteration of loop fix succeeded",
  ]);
  const once = stage(source, crash(2));
  await once.begin();
  expect(once.of("notice")).toEqual([]);
  expect(once.end()).toMatchObject({ conclusion: "success", output: "said 1" });
});

test("an expression that cannot be evaluated ends its loop", async () => {
  const source =
    "name: w\nsteps: [{ id: a, instructions: Go., loop: { maxIterations: 3, until: 'result.gone == 1' } }]\n";
  expect(await endOf(source)).toBe(
    'failed check-unevaluable 1 "said 1" the expression of a cannot be evaluated: the expression failed: field not found: gone',
  );
});

test("a loop waits between iterations, but not beyond its time limit, nor before its first", async () => {
  const it = stage(loop("until: DONE\nmax_iterations: 3\non_max: succeed\ndelay: 10s\ntime_limit: 15s"), {});
  let now = Date.UTC(2026, 0, 1);
  const waits: number[] = [];
  Object.assign(it.world.clock, {
    now: () => new Date(now).toISOString(),
    async sleep(ms: number) {
      waits.push(ms);
      now += ms;
    },
  });
  await it.begin();
  expect(waits).toEqual([10_000, 5_000]);
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "timeout" });
});
