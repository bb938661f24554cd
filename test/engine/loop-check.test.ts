import { expect, test } from "vitest";
import { stage } from "../parts/stage.ts";

const loop = (keys: string) => `
name: t
nodes:
  - id: fix
    loop:
      prompt: "fix it"
${keys.trim().replace(/^ */gm, "      ")}
`;

test.each([
  ["exit 127", { exitCode: 127, tail: "bash: line 1: npm: command not found" }],
  ["exit 126", { exitCode: 126, tail: "bash: line 1: /opt/check: Permission denied" }],
  ["a syntax error", { exitCode: 2, syntaxError: true }],
  ["no exit code", { exitCode: undefined as never }],
])("a check that cannot be evaluated (%s) runs again and then fails the loop", async (_, answer) => {
  const it = stage(loop("until_bash: npm test\nmax_iterations: 5"), { shell: () => answer });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "check-unevaluable", iterations: 1 });
  expect(it.end()?.because).toMatch(/^the check of fix gave no result: /);
  expect(it.scripts).toHaveLength(2);
});

test("a check that a signal ends is red, as a crash can be the bug", async () => {
  const shell = (_: unknown, call: number) =>
    call < 2 ? { signal: "SIGKILL", exitCode: undefined as never } : 0;
  const it = stage(loop("until_bash: npm test\nmax_iterations: 5"), { shell });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 2 });
});

test("a flaky check is run again as often as its author allows", async () => {
  const it = stage(loop("until_bash: npm test\nmax_iterations: 5\ncheck: { retries: 2 }"), {
    shell: (_, call) => (call < 3 ? 1 : 0),
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
});

test("a check that passed only when run again is run twice in later iterations", async () => {
  const it = stage(
    loop("until: DONE\nuntil_bash: npm test\nuntil_mode: all\nmax_iterations: 5\ncheck: { retries: 1 }"),
    { agent: (_, call) => (call < 2 ? "more" : "DONE"), shell: (_, call) => (call < 2 ? 1 : 0) },
  );
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 2 });
  expect(it.scripts).toHaveLength(4);
});

test("a green baseline is nothing to do, and spends nothing", async () => {
  const it = stage(loop("until_bash: npm test\nmax_iterations: 5\ncheck: { baseline: true }"));
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "skipped", stop_reason: "nothing-to-do", iterations: 0 });
  expect(it.prompts).toEqual([]);
});
