import { describe, expect, test } from "vitest";
import type { ShellAnswer } from "../../src/ports/shell.ts";
import { type Stage, stage } from "../parts/stage.ts";

/** How a run's nodes ended: their status, output, result and reason. */
const ends = (it: Stage) =>
  it
    .of("node.ended")
    .map(({ node, status, output, result, reason }) =>
      [node, status, JSON.stringify(output), JSON.stringify(result), reason].filter(Boolean).join(" "),
    );

async function played(nodes: string, answer: Partial<ShellAnswer>): Promise<Stage> {
  const it = stage(`name: t\nnodes: [${nodes}]\n`, { shell: () => answer });
  await it.begin();
  return it;
}

test.each<[Partial<ShellAnswer>, string]>([
  [{ stdout: "one\ntwo\n" }, 'completed "one\\ntwo"'],
  [{ stdout: "one\r\n" }, 'completed "one"'],
  [{ stdout: "one\n\n" }, 'completed "one\\n"'],
  [{ exitCode: 3, stdout: "half\n" }, 'failed "half" the script exited with 3'],
  [{ exitCode: 1, tail: "first\n last \n\n" }, 'failed "" the script exited with 1: last'],
  [{ exitCode: undefined as never, signal: "SIGKILL" }, 'failed "" the script was ended by SIGKILL'],
  [{ timedOut: true, stdout: "half", tail: "half" }, 'failed "half" the script ran over its time limit'],
])("a script that ended with %j has %s", async (answer, end) => {
  const it = await played('{ id: a, bash: "x" }', answer);
  expect(ends(it)).toEqual([`a ${end}`]);
  const reason = answer.timedOut ? "timeout" : end.startsWith("failed") ? "node-failed" : "completed";
  expect(it.end()).toMatchObject({ stop_reason: reason });
});

describe("a script with an output format", () => {
  const node = (more = "") =>
    `{ id: a, bash: "x", output_format: { type: object, properties: { n: { type: integer } }, required: [n] }${more} }`;

  test("has what it printed as its result", async () => {
    expect(ends(await played(node(), { stdout: '{"n": 1}\n' }))).toEqual([
      'a completed "{\\"n\\": 1}" {"n":1}',
    ]);
  });

  test.each([
    ["prose", "standard output is not one JSON document"],
    ['{"n": "one"}', "the result.n is not of type integer"],
    ["{}", "the result has no field n"],
  ])("fails at once if it printed %s, whatever its retries", async (stdout, because) => {
    const it = await played(node(", retry: { max_attempts: 2, on_error: all }"), { stdout });
    expect(ends(it)).toEqual([
      `a failed ${JSON.stringify(stdout)} the output of the script does not match its output_format: ${because}`,
    ]);
    expect(it.scripts).toHaveLength(1);
  });
});

test("a script that may be skipped at its time limit is skipped then, and fails otherwise", async () => {
  const node = '{ id: a, bash: "x", timeout: 1000, on_timeout: skip }';
  expect(ends(await played(node, { timedOut: true, stdout: "half" }))).toEqual([
    'a skipped "" it ran over its time limit',
  ]);
  expect(ends(await played(node, { exitCode: 1 }))).toEqual(['a failed "" the script exited with 1']);
});

test("a script gets two minutes, or the time it asks for, and a value as a variable", async () => {
  const it = await played(
    '{ id: a, bash: "echo $USER_MESSAGE" }, { id: b, depends_on: [a], bash: "echo $a.output", timeout: 1000 }',
    { stdout: "said a\n" },
  );
  const run = { USER_MESSAGE: "the message", ARTIFACTS_DIR: "/artifacts" };
  expect(it.scripts).toMatchObject([
    { role: "node", script: 'echo "${USER_MESSAGE}"', env: run, timeoutMs: 120_000 },
    {
      role: "node",
      script: 'echo "${UG_a_output}"',
      env: { ...run, UG_a_output: "said a" },
      timeoutMs: 1000,
    },
  ]);
});
