import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { outputNames } from "../../action/result/outputs.ts";
import { builtAction } from "../parts/built-action.ts";
import { runComposite } from "../parts/composite/run-composite.ts";
import { annotationsOf, checkoutOf, headOf, session, useAction } from "./checkout.ts";

const greenSession = session(
  { node: "loop", iteration: 1, say: "Tried.", write: { "state.txt": "nearly" } },
  {
    node: "loop",
    iteration: 2,
    say: "Done now.",
    write: { "state.txt": "green" },
    usage: { input_tokens: 10, output_tokens: 5, cost_usd: 0.25 },
  },
);
const inline = {
  prompt: "Make state.txt say green",
  "until-bash": "grep -qx green state.txt",
  agent: "scripted:session.yml",
};
const workflow = (loop: string) => `name: fix\nnodes:\n  - id: loop\n    loop:\n${loop}`;

describe("a loop in a job", () => {
  test("begins with a notice of a glob that matches no file, on its line and in the summary", async () => {
    const workspace = await checkoutOf({ "state.txt": "red\n", "session.yml": greenSession });
    const inputs = { ...inline, protect: "tets/**" };
    const result = await runComposite({ actionDir: builtAction(), workspace, inputs });
    expect(result.annotations).toMatchObject([
      { level: "warning", title: "GLOB_NO_MATCH" },
      { level: "warning", title: "until-green: the run is lost when this job ends" },
    ]);
    expect(result.summary).toContain("No file matches `tets/**`");
  });

  test("is green when its check passes, and says all there is to say in outputs and summary", async () => {
    const workspace = await checkoutOf({ "state.txt": "red\n", "session.yml": greenSession });
    const result = await useAction({ workspace, inputs: inline });
    expect(result.ok, result.log.join("\n")).toBe(true);
    expect(result.outputs).toEqual({
      conclusion: "success",
      "stop-reason": "until-bash",
      "run-id": expect.stringMatching(/^inline-[0-9a-f]{8}$/),
      iterations: "2",
      "final-message": "Done now.",
      "output-file": expect.stringMatching(/until-green\/inline-[0-9a-f]{8}\/final-message\.md$/),
      "report-file": expect.stringMatching(/until-green\/inline-[0-9a-f]{8}\/report\.md$/),
      "head-sha": await headOf(workspace),
      branch: "topic",
      "pull-request-number": "",
      "pull-request-url": "",
      "comment-id": "",
      "cost-usd": "0.25",
      "tokens-total": "15",
      "duration-seconds": expect.stringMatching(/^\d+$/),
      "state-ref": "",
      // Of `command: plan` only, as a job that plans nothing shows them.
      matrices: "",
      jobs: "0",
      "max-parallel": "256",
      "shared-budget": "",
      "max-cost-usd": "",
      "max-tokens": "",
      "needs-review": "false",
      "review-reasons": "[]",
    });
    expect(result.summary).toContain("### ✅ inline succeeded: the check passed");
    expect(result.annotations.map(({ title }) => title)).toEqual([
      "until-green: the run is lost when this job ends",
    ]);
    expect(result.log.join("\n")).toMatch(
      /loop · iteration 2 of \d+: ✅ check passed · also in a fresh clone \(.*\) · 1 file \+1 −1/,
    );
    expect(await readFile(join(workspace, "state.txt"), "utf8")).toBe("green");
  });

  test("runs a workflow by its name, with a message, inputs and keys, in a folder of the checkout", async () => {
    const file = workflow(`      prompt: "$USER_MESSAGE for $INPUTS.who"
      until: READY
      max_iterations: 3
`);
    const result = await useAction({
      files: {
        "web/.github/loops/fix.yml": `inputs: { who: {} }\n${file}`,
        "web/session.yml": session({ contains: "Hello for 7", say: "<promise>READY</promise> sure" }),
        "web/agent.sh": `cat; echo; echo "key $ANTHROPIC_API_KEY"; echo "<promise>READY</promise>"`,
      },
      inputs: {
        workflow: "fix",
        message: "Hello",
        inputs: '{"who": 7}',
        "agent-command": "bash agent.sh",
        "anthropic-api-key": "sk-ant-12345678",
        "run-id": "my-run-1",
        "working-directory": "web",
      },
    });
    expect(result.ok, result.log.join("\n")).toBe(true);
    expect(result.outputs).toMatchObject({
      conclusion: "success",
      "stop-reason": "signal",
      "run-id": "my-run-1",
    });
    // The agent had the key; nobody who reads the outputs has it.
    expect(result.outputs["final-message"]?.trim()).toBe("Hello for 7\nkey ***");
  });

  test("names a file of prices that it cannot read, before a model is asked", async () => {
    const result = await runComposite({
      workspace: await checkoutOf({ "prices.json": "[]" }),
      actionDir: builtAction(),
      inputs: {
        prompt: "Fix it.",
        "until-bash": "test -f done",
        agent: "api",
        "anthropic-api-key": "sk-ant-12345678",
        prices: "prices.json",
        patience: "1s",
      },
    });
    expect(result.ok).toBe(false);
    expect(result.log.join("\n")).toMatch(/UNTIL_GREEN_PRICES=\/.*\/prices\.json must be a JSON file like/);
  });

  test("leaves the report and the whole final message to later steps", async () => {
    const long = `${"x".repeat(70_000)} end`;
    const workspace = await checkoutOf({ "session.yml": session({ say: long }) });
    const steps = `
    - id: loop
      uses: until-green/until-green@v1
      with: { prompt: Go, until-bash: "true", agent: "scripted:session.yml" }
    - shell: bash
      env: { REPORT: "\${{ steps.loop.outputs.report-file }}", OUTPUT: "\${{ steps.loop.outputs.output-file }}" }
      run: cp "$REPORT" report.md && cp "$OUTPUT" output.md
`;
    const actionDir = join(workspace, "job");
    await mkdir(actionDir);
    const outputs = "outputs: { message: { value: '${{ steps.loop.outputs.final-message }}' } }";
    await writeFile(
      join(actionDir, "action.yml"),
      `name: Job\ndescription: Job\n${outputs}\nruns:\n  using: composite\n  steps:${steps}`,
    );
    const stubs = { "until-green/until-green": process.cwd() };
    const result = await runComposite({ workspace, actionDir, stubs });
    expect(result.ok, result.log.join("\n")).toBe(true);
    expect(await readFile(join(workspace, "output.md"), "utf8")).toBe(long);
    expect(await readFile(join(workspace, "report.md"), "utf8")).toContain("✅ inline succeeded");
    expect(result.outputs["message"]?.length).toBeLessThan(65_000);
    expect(result.outputs["message"]).toMatch(/^xxx[\s\S]*left out[\s\S]* end$/);
  });

  test("fails the job when its check never passes, with every output set", async () => {
    const result = await useAction({
      files: { "session.yml": session({ times: 0, say: "No luck." }) },
      inputs: { ...inline, "max-iterations": "2" },
    });
    expect(result.ok).toBe(false);
    expect(Object.keys(result.outputs)).toEqual([...outputNames]);
    expect(result.outputs).toMatchObject({
      conclusion: "failure",
      "stop-reason": "max-iterations",
      iterations: "2",
      "final-message": "No luck.",
    });
    expect(annotationsOf(result, "error")).toMatchObject([
      { title: "until-green: failure", message: /inline failed: the iteration limit was reached/ },
    ]);
    expect(result.summary).toContain("❌ inline failed");
  });

  test("is paused and green at a gate, and says so loudly", async () => {
    const gate = `interactive: true\n${workflow(`      prompt: Go
      until: READY
      interactive: true
      gate_message: Shall it be blue?
      max_iterations: 3
`)}`;
    const result = await useAction({
      files: { ".archon/workflows/fix.yaml": gate, "session.yml": session({ say: "Which colour?" }) },
      inputs: { workflow: "fix", agent: "scripted:session.yml" },
    });
    expect(result.ok, result.log.join("\n")).toBe(true);
    expect(result.outputs).toMatchObject({
      conclusion: "paused",
      "stop-reason": "gate",
      "final-message": "Which colour?",
    });
    expect(result.summary).toContain("**Paused: waiting for a person.**");
    expect(result.summary).toContain("Shall it be blue?");
    expect(annotationsOf(result, "warning")).toMatchObject([{ title: "until-green: paused" }]);
  });

  test("is skipped and green when there is nothing to do, and says so", async () => {
    const result = await useAction({
      files: {
        "loop.yml": workflow(
          '      prompt: Go\n      until_bash: "true"\n      max_iterations: 3\n      check: { baseline: true }\n',
        ),
      },
      inputs: { workflow: "loop.yml", agent: "command:exit 1" },
    });
    expect(result.ok, result.log.join("\n")).toBe(true);
    expect(result.outputs).toMatchObject({
      conclusion: "skipped",
      "stop-reason": "nothing-to-do",
      iterations: "0",
    });
    expect(result.summary).toContain("**Skipped: no agent was called.**");
    expect(annotationsOf(result, "notice")).toMatchObject([{ title: "until-green: skipped" }]);
  });

  test("pauses when the runner stops the job", async () => {
    // The agent sends its parent, the program of the action, the signal that a runner would.
    const result = await useAction({
      files: { a: "" },
      inputs: { ...inline, agent: "command:kill -TERM $PPID; exec sleep 60", isolation: "off" },
    });
    expect(result.ok, result.log.join("\n")).toBe(true);
    expect(result.outputs).toMatchObject({
      conclusion: "paused",
      "stop-reason": "time-limit",
      branch: "topic",
    });
  });

  test("pauses when its minutes are up", async () => {
    const result = await useAction({
      files: { a: "" },
      inputs: { ...inline, agent: "command:exec sleep 60", "max-minutes": "0.005" },
    });
    expect(result.outputs).toMatchObject({ conclusion: "paused", "stop-reason": "time-limit" });
  });

  test("works outside a git repository", async () => {
    const workspace = await mkdtemp(join(tmpdir(), "plain-"));
    onTestFinished(() => rm(workspace, { recursive: true, force: true }));
    const result = await useAction({
      workspace,
      inputs: { ...inline, "until-bash": "true", agent: "command:echo hi" },
    });
    expect(result.outputs).toMatchObject({ conclusion: "success", "head-sha": "", branch: "" });
  });
});

describe("what is wrong", () => {
  test("with the inputs is reported all at once, with every output set", async () => {
    const result = await useAction({
      files: { a: "" },
      inputs: { prompt: "Go", "max-iterations": "ten", publish: "pr", "dry-run": "yes" },
    });
    expect(result.ok).toBe(false);
    expect(annotationsOf(result, "error").map(({ message }) => message)).toEqual([
      "`max-iterations: ten` is not a whole number above 0: use 10, for example",
      "`publish: pr` is not known: use `none`, `pull-request`, `branch`, `push`",
      "`dry-run: yes` must be `true` or `false`",
      "the inline loop has no exit condition: set `until-bash` (a check) or `until` (a signal from the agent)",
    ]);
    expect(result.outputs).toMatchObject({
      conclusion: "failure",
      "stop-reason": "internal",
      iterations: "0",
      branch: "topic",
      "run-id": "",
    });
    expect(result.summary).toContain("until-green did not start");
  });

  test("with a workflow file is shown on its lines", async () => {
    const broken = "name: broken\nnodes:\n  - id: a\n    promt: Hi\n  - id: a\n    prompt: Hi\n";
    const result = await useAction({
      files: { "sub/.github/loops/broken.yml": broken },
      inputs: { workflow: "broken", "working-directory": "sub" },
    });
    expect(result.ok).toBe(false);
    expect(result.outputs).toMatchObject({ conclusion: "failure", "stop-reason": "internal" });
    const errors = annotationsOf(result, "error");
    expect(errors).toContainEqual(
      expect.objectContaining({ file: "sub/.github/loops/broken.yml", line: "4", title: "UNKNOWN_FIELD" }),
    );
    expect(errors.map(({ title }) => title)).toContain("DUPLICATE_ID");
    expect(result.summary).toContain("The workflow file is not valid");
  });

  test.each([
    ["an agent that is not there", { ...inline, agent: "claudia" }, /there is no agent "claudia"/],
    ["no agent at all", { prompt: "Go", "until-bash": "false" }, /give the input `agent`/],
    ["a workflow that is not there", { workflow: "nowhere" }, /there is no workflow nowhere/],
    ["a workflow outside the checkout", { workflow: "/etc/passwd" }, /is outside the checkout/],
    ["a folder that is not there", { ...inline, "working-directory": "x" }, /x does not exist/],
    [
      "a prompt outside the checkout",
      { ...inline, prompt: "", "prompt-file": "/etc/passwd" },
      /lies outside/,
    ],
    ["an input of the workflow that is missing", { workflow: "needs.yml" }, /give \{"who":"…"\}/],
  ] as const)("with %s is reported in one sentence", async (_, inputs, sentence) => {
    const needs = "name: needs\ninputs: { who: {} }\nnodes: [{ id: a, prompt: Hi }]\n";
    const result = await useAction({ files: { "needs.yml": needs }, inputs });
    expect(result.ok).toBe(false);
    expect(result.outputs["conclusion"]).toBe("failure");
    expect(annotationsOf(result, "error")).toMatchObject([{ message: sentence }]);
  });
});

describe("without running anything", () => {
  const files = {
    ".github/loops/good.yml": workflow("      prompt: Go\n      until: READY\n      max_iterations: 3\n"),
    ".archon/workflows/bad.yml": "name: bad\nnodes: []\n",
  };

  test("a dry run shows the plan", async () => {
    const result = await useAction({ files, inputs: { workflow: "good", "dry-run": "true" } });
    expect(result.outputs).toMatchObject({ conclusion: "skipped", "stop-reason": "not-selected" });
    expect(result.summary).toContain("loop of agent, at most 3 iterations until the agent gives the signal");
    expect(result.summary).toContain("```mermaid");
  });

  test("a check of all workflows finds the faulty one", async () => {
    const result = await useAction({ files, inputs: { command: "check" } });
    expect(result.ok).toBe(false);
    expect(annotationsOf(result, "error")).toMatchObject([
      { file: ".archon/workflows/bad.yml", title: "NO_NODES" },
    ]);
  });

  test("a check of a good one succeeds", async () => {
    const result = await useAction({ files, inputs: { command: "check", workflow: "good" } });
    expect(result.ok, result.log.join("\n")).toBe(true);
    expect(result.outputs).toMatchObject({ conclusion: "success", "stop-reason": "completed" });
  });
});

describe("Node", () => {
  test("is looked for where runners keep it, when that on the path is old", async () => {
    const tools = await folderWithOldNode();
    const bin = join(tools, "node/24.0.0/x64/bin");
    await mkdir(bin, { recursive: true });
    await symlink(process.execPath, join(bin, "node"));
    const env = { PATH: `${tools}/old:/usr/bin:/bin`, AGENT_TOOLSDIRECTORY: tools };
    const inputs = { ...inline, "until-bash": "true", agent: "command:echo hi" };
    const result = await useAction({ files: { a: "" }, env, inputs });
    expect(result.ok, result.log.join("\n")).toBe(true);
    expect(result.outputs["conclusion"]).toBe("success");
  });

  test("that is too old fails the job with a remedy, and sets all outputs", async () => {
    const tools = await folderWithOldNode();
    const result = await useAction({
      files: { a: "" },
      env: { PATH: `${tools}/old:/usr/bin:/bin` },
      inputs: inline,
    });
    expect(result.ok).toBe(false);
    expect(annotationsOf(result, "error")).toMatchObject([
      { message: /needs Node 22 or newer.*actions\/setup-node/ },
    ]);
    expect(result.outputs).toMatchObject({
      conclusion: "failure",
      "stop-reason": "internal",
      iterations: "0",
    });
  });

  async function folderWithOldNode(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "tools-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await mkdir(join(folder, "old"));
    await writeFile(join(folder, "old/node"), "#!/bin/sh\necho v18.20.0\n");
    await chmod(join(folder, "old/node"), 0o755);
    return folder;
  }
});
