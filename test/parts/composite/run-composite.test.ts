import { describe, expect, test } from "vitest";
import { runFiles, runSteps } from "./fixture.ts";

describe("inputs and outputs", () => {
  const head = `
inputs:
  who: { default: "\${{ github.actor }}" }
  greeting: { default: Hello }
outputs:
  said: { value: "\${{ steps.say.outputs.said }}!" }
`;
  const say = `
    - id: say
      shell: bash
      env:
        WHO: \${{ inputs.who }}
      run: echo "said=\${{ inputs.greeting }} $WHO" >> "$GITHUB_OUTPUT"
  `;

  test("take the defaults, whose expressions are evaluated", async () => {
    const { ok, outputs } = await runSteps(say, { head });
    expect({ ok, outputs }).toEqual({ ok: true, outputs: { said: "Hello octocat!" } });
  });

  test("take what the workflow gives, whatever the case of its name", async () => {
    const { outputs } = await runSteps(say, { head, inputs: { WHO: "it's me" } });
    expect(outputs["said"]).toBe("Hello it's me!");
  });

  test("warn of an input that the action does not know", async () => {
    const { annotations } = await runSteps(say, { head, inputs: { whom: "x" } });
    expect(annotations).toMatchObject([{ level: "warning", message: /whom.*'who', 'greeting'/ }]);
  });

  test("are set also when a step failed", async () => {
    const { ok, outputs } = await runSteps(`${say.trimEnd()}\n    - { shell: bash, run: exit 3 }`, { head });
    expect({ ok, outputs }).toEqual({ ok: false, outputs: { said: "Hello octocat!" } });
  });
});

describe("what a step writes into command files", () => {
  test("is an output of one line or of many", async () => {
    const { steps } = await runSteps(`
      - id: many
        shell: bash
        run: |
          { echo 'a=1=2'; echo 'text<<END'; echo 'x=1'; echo; echo 'y<<z'; echo END; } >> "$GITHUB_OUTPUT"
    `);
    expect(steps[0]?.outputs).toEqual({ a: "1=2", text: "x=1\n\ny<<z" });
  });

  test("fails the step where it has no form", async () => {
    const { ok, annotations } = await runSteps(`
      - { shell: bash, run: 'echo "no pair" >> "$GITHUB_OUTPUT"' }
    `);
    expect(ok).toBe(false);
    expect(annotations[0]?.message).toContain("Invalid format 'no pair'");
  });

  test("is the environment and the path of later steps, and the summary", async () => {
    const { log, summary } = await runSteps(`
      - shell: bash
        run: |
          echo 'COLOUR=green' >> "$GITHUB_ENV"
          mkdir tools && printf '#!/bin/sh\\necho tool runs' > tools/our-tool && chmod +x tools/our-tool
          echo "$PWD/tools" >> "$GITHUB_PATH"
          echo '# One' >> "$GITHUB_STEP_SUMMARY"
      - shell: bash
        run: |
          echo "$COLOUR \${{ env.COLOUR }} $GITHUB_REPOSITORY"; our-tool
          echo '# Two' >> "$GITHUB_STEP_SUMMARY"
    `);
    expect(log).toEqual(["green green octocat/hello", "tool runs"]);
    expect(summary).toBe("# One\n# Two\n");
  });

  test("may not change what the runner sets", async () => {
    const { log, annotations } = await runSteps(`
      - { shell: bash, run: 'echo "GITHUB_SHA=evil" >> "$GITHUB_ENV"' }
      - { shell: bash, run: 'echo "$GITHUB_SHA"' }
    `);
    expect(log.at(-1)).toBe("0".repeat(40));
    expect(annotations).toMatchObject([{ level: "error" }]);
  });
});

describe("whether a step runs", () => {
  test("follows from the steps before, unless its condition asks for another status", async () => {
    const { ok, steps } = await runSteps(`
      - { id: first, shell: bash, run: exit 1 }
      - { id: plain, shell: bash, run: exit 0 }
      - { id: value, if: "steps.first.outcome == 'failure'", shell: bash, run: exit 0 }
      - { id: failed, if: "failure() && steps.first.outcome == 'failure'", shell: bash, run: exit 0 }
      - { id: wrapped, if: "\${{ always() }}", shell: bash, run: exit 0 }
      - { id: cancelled, if: cancelled(), shell: bash, run: exit 0 }
    `);
    expect(ok).toBe(false);
    expect(steps.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
      "first failure",
      "plain skipped",
      "value skipped",
      "failed success",
      "wrapped success",
      "cancelled skipped",
    ]);
  });

  test("is not changed by a failure that may happen", async () => {
    const { ok, steps } = await runSteps(`
      - { id: first, continue-on-error: true, shell: bash, run: exit 1 }
      - { id: second, shell: bash, run: exit 0 }
    `);
    expect(ok).toBe(true);
    expect(steps).toMatchObject([
      { outcome: "failure", conclusion: "success" },
      { outcome: "success", conclusion: "success" },
    ]);
  });

  test("is indistinguishable from a broken expression, which fails the step", async () => {
    const { ok, annotations } = await runSteps(`
      - { shell: bash, run: "echo \${{ fromJSON('{') }}" }
    `);
    expect(ok).toBe(false);
    expect(annotations).toMatchObject([{ level: "error" }]);
  });
});

describe("a script", () => {
  test("stops at its first failing command, also within a pipe", async () => {
    const { ok, log } = await runSteps(`
      - shell: bash
        run: |
          echo before
          false | cat
          echo after
    `);
    expect(ok).toBe(false);
    expect(log).toEqual(["before", "Error: Process completed with exit code 1."]);
  });

  test("runs in the given folder, or else in the workspace", async () => {
    const { log } = await runSteps(
      `
      - { shell: bash, run: 'basename "$PWD" | cut -c 1-10' }
      - { shell: bash, working-directory: "\${{ inputs.dir }}", run: 'basename "$PWD"' }
    `,
      { head: "inputs: { dir: { default: sub/deep } }", files: { "sub/deep/x": "" } },
    );
    expect(log).toEqual(["workspace-", "deep"]);
  });

  test("may be for another shell, and finds its action", async () => {
    const { log } = await runSteps(
      `
      - { shell: "node {0}", run: "console.log(1 + 1)" }
      - { shell: sh, run: 'cat "$GITHUB_ACTION_PATH/data.txt" \${{ github.action_path }}/data.txt' }
    `,
      { files: { "action/data.txt": "data\n" } },
    );
    expect(log).toEqual(["2", "data", "data"]);
  });

  test("sees no inputs, and its own env before that of the job", async () => {
    const { log } = await runSteps(
      `
      - { shell: bash, env: { COLOUR: "step \${{ env.OTHER }}" }, run: 'echo "$COLOUR" "\${INPUT_DIR-none}"' }
    `,
      { head: "inputs: { dir: { default: x } }", env: { COLOUR: "job", OTHER: "unseen" } },
    );
    expect(log).toEqual(["step  none"]);
  });

  test("reads the event that started the job", async () => {
    const { log } = await runSteps(
      `
      - { shell: bash, run: 'cat "$GITHUB_EVENT_PATH"; echo; echo "\${{ github.event.issue.number }}"' }
    `,
      { github: { event: { issue: { number: 7 } } } },
    );
    expect(log).toEqual(['{"issue":{"number":7}}', "7"]);
  });
});

describe("what a step prints", () => {
  test("is annotated where it says so", async () => {
    const { annotations, log } = await runSteps(`
      - { shell: bash, run: 'echo "  ::warning file=a.js,line=3,title=Un%2Ctidy::one%0Atwo"; echo "x ##[error]old"' }
    `);
    expect(annotations).toEqual([
      { level: "warning", file: "a.js", line: "3", title: "Un,tidy", message: "one\ntwo" },
      { level: "error", message: "old" },
    ]);
    expect(log).toEqual(["Warning: one\ntwo", "Error: old"]);
  });

  test("is masked from then on, in log, annotations and summary", async () => {
    const { log, annotations, summary } = await runSteps(`
      - shell: bash
        run: |
          echo '::add-mask::s3cret'
          echo 'key s3cret'; echo '::notice::s3cret'; echo 's3cret' >> "$GITHUB_STEP_SUMMARY"
    `);
    expect(log).toEqual(["key ***", "Notice: ***"]);
    expect(annotations).toEqual([{ level: "notice", message: "***" }]);
    expect(summary).toBe("***\n");
  });

  test("is not obeyed between stop-commands and its token", async () => {
    const { annotations, log } = await runSteps(`
      - shell: bash
        run: |
          echo '::stop-commands::token'; echo '::error::a'; echo '::other::'; echo '::token::'; echo '::error::b'
    `);
    expect(annotations).toEqual([{ level: "error", message: "b" }]);
    expect(log).toEqual(["::error::a", "::other::", "Error: b"]);
  });
});

describe("an action that another uses", () => {
  const inner = `
name: Inner
description: Inner
inputs: { x: { required: true } }
outputs: { y: { value: "\${{ steps.a.outputs.y }}" } }
runs:
  using: composite
  steps:
    - id: a
      shell: bash
      run: |
        echo "y=\${{ inputs.x }} $SCOPE" >> "$GITHUB_OUTPUT"
        echo "KEPT=yes" >> "$GITHUB_ENV"
`;

  test("may be of the workspace; its env ends with it, what it sets stays", async () => {
    const { outputs, log, steps } = await runSteps(
      `
      - { id: use, uses: ./inner, with: { x: 1 }, env: { SCOPE: inside } }
      - { shell: bash, run: 'echo "$KEPT \${SCOPE-none}"' }
    `,
      {
        head: 'outputs: { z: { value: "${{ steps.use.outputs.y }}" } }',
        files: { "inner/action.yml": inner },
      },
    );
    expect(outputs["z"]).toBe("1 inside");
    expect(log).toEqual(["yes none"]);
    expect(steps.map(({ id }) => id)).toEqual(["a", "use", undefined]);
  });

  test("may have a stand-in, which receives its inputs", async () => {
    const seen: unknown[] = [];
    const { outputs } = await runSteps(
      `
      - { id: use, uses: actions/cache@v9, with: { key: "\${{ runner.os }}-1" } }
    `,
      {
        head: 'outputs: { hit: { value: "${{ steps.use.outputs.hit }}" } }',
        stubs: {
          "actions/cache": ({ uses, inputs }) => {
            seen.push({ uses, inputs });
            return { outputs: { hit: "true" } };
          },
        },
      },
    );
    expect(seen).toEqual([{ uses: "actions/cache@v9", inputs: { key: "Linux-1" } }]);
    expect(outputs["hit"]).toBe("true");
  });

  test("fails the step where it has none", async () => {
    const { ok, annotations } = await runSteps("- { uses: actions/cache@v9 }");
    expect(ok).toBe(false);
    expect(annotations[0]?.message).toContain("no stand-in for actions/cache@v9");
  });

  test("may be JavaScript, and is called again at the end of the job", async () => {
    const js = (code: string) => `import { appendFileSync } from "node:fs";\n${code}`;
    const { ok, log, steps } = await runSteps(
      `
      - { id: js, uses: ./js, with: { some-name: Ada } }
      - { shell: bash, run: echo between }
    `,
      {
        files: {
          "js/action.yml":
            "name: J\ndescription: J\ninputs: { some-name: {} }\nruns: { using: node24, main: a.mjs, post: b.mjs }\n",
          "js/a.mjs": js(`
            appendFileSync(process.env.GITHUB_OUTPUT, "hello=" + process.env["INPUT_SOME-NAME"] + "\\n");
            appendFileSync(process.env.GITHUB_STATE, "left=behind\\n");`),
          "js/b.mjs": js("console.log(process.env.STATE_left);"),
        },
      },
    );
    expect(ok).toBe(true);
    expect(steps[0]?.outputs).toEqual({ hello: "Ada" });
    expect(log).toEqual(["between", "behind"]);
  });
});

test.each([
  ["a step without a shell", "- run: exit 0", /shell/i],
  ["a key that is not there", "- { run: exit 0, shell: bash, timeout: 3 }", /timeout/],
])("GitHub's own parser refuses %s", async (_what, steps, message) => {
  await expect(runSteps(steps)).rejects.toThrow(message);
});

test("an action that is not there is named", async () => {
  await expect(runFiles({})).rejects.toThrow(/no action\.yml in .*action/);
});
