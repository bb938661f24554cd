import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { folderAt } from "../parts/terminal.ts";
import { eventsOf, openRepository } from "./command-line.ts";

const seed = (name: string) => readFileSync(resolve(`test/dialects/blocks/seeds/${name}.yaml`), "utf8");
const soul = (id: string) => readFileSync(resolve(`test/dialects/blocks/souls/${id}.yaml`), "utf8");
const souls = Object.fromEntries(
  ["writer", "critic", "quality_checker"].map((id) => [`custom/souls/${id}.yaml`, soul(id)]),
);

const failsOnce = `replies:
  - { role: gate, iteration: 1, say: "FAIL: too short" }
  - { role: gate, say: PASS, times: 0 }
  - { node: draft, iteration: 1, say: a draft }
  - { node: draft, iteration: 2, say: a better draft }
  - { node: review, iteration: 1, say: "NEEDS WORK" }
  - { node: review, iteration: 2, say: '{"score": 9, "verdict": "approved", "note": "GOOD"}' }
otherwise: { say: ok }
`;

test.each([
  ["simple-loop", "exit-handle", '{"final": "a better draft"}'],
  ["break-on-exit", "exit-handle", "completed_2_rounds"],
  ["break-condition", "condition", "completed_2_rounds"],
  ["break-condition-group", "condition", "completed_2_rounds"],
  ["retry-on-exit", "exit-handle", "completed_2_rounds"],
  ["carry-context", "iterations-done", "completed_3_rounds"],
  ["stateful", "exit-handle", "ok"],
  ["code-and-gate", "exit-handle", /^\{"rounds_completed": 2, "broke_early": true, /],
])(
  "%s runs to its end on the command line, its souls in files of their own",
  async (name, reason, output) => {
    const { untilGreen } = openRepository({
      files: { ...souls, "custom/workflows/w.yaml": seed(name), "replies.yml": failsOnce },
    });
    const result = await untilGreen(
      "run",
      "custom/workflows/w.yaml",
      "a poem",
      "--agent",
      "scripted:replies.yml",
    );
    expect(eventsOf(result, "run.ended"), result.stderr).toMatchObject([
      {
        conclusion: "success",
        stop_reason: reason,
        output: typeof output === "string" ? output : expect.stringMatching(output),
      },
    ]);
    expect(eventsOf(result, "run.started")).toMatchObject([{ dialect: "blocks" }]);
    expect(result.code).toBe(0);
  },
);

const parent = (more = "") => `workflow: { name: parent, entry: sub }
blocks:
  sub: { type: workflow, workflow_ref: part${more} }
`;
const part = (soulId: string) => `workflow: { name: part, entry: x }
blocks:
  x: { type: linear, soul_ref: ${soulId} }
`;

test("children and souls are found in the caller's folder first, then in custom/", async () => {
  const { cwd } = openRepository({
    files: {
      "flows/parent.yml": parent(),
      "flows/writer.yaml": "system_prompt: the one beside",
      "custom/workflows/part.yaml": part("critic"),
      "custom/souls/critic.yaml": "system_prompt: only in custom",
      "custom/souls/writer.yaml": "system_prompt: the one in custom",
      "flows/other.yml": part("writer"),
    },
  });
  const plan = async (file: string) => (await folderAt(cwd).run("plan", file, "--format", "json")).stdout;
  expect(await plan("flows/parent.yml")).toContain("only in custom");
  expect(await plan("flows/other.yml")).toContain("the one beside");
});

test("a missing soul, and a broken one, are errors of the file that names them", async () => {
  const { untilGreen } = openRepository({
    files: {
      "a.yml": part("nobody"),
      "b.yml": part("bad"),
      "custom/souls/bad.yaml": "role: x\nsystem_prompt: [\n",
    },
  });
  const result = await untilGreen("check", "a.yml", "b.yml");
  expect(result.code).toBe(2);
  expect(eventsOf(result, "notice")).toMatchObject([
    {
      code: "UNKNOWN_AGENT",
      file: "a.yml",
      line: 3,
      column: 32,
      hint: expect.stringContaining("custom/souls/"),
    },
    { code: "BAD_VALUE", file: "b.yml", line: 3, column: 32, message: expect.stringContaining("bad.yaml") },
  ]);
});

test("workflows that call each other are refused", async () => {
  const { untilGreen } = openRepository({
    files: {
      "parent.yml": parent(),
      "part.yml": parent().replace("workflow_ref: part", "workflow_ref: parent"),
    },
  });
  const result = await untilGreen("check", "parent.yml");
  expect(eventsOf(result, "notice")).toMatchObject([{ code: "CALL_CYCLE", file: "part.yml" }]);
});

test("where Python is missing, the run says what to install; JavaScript needs none", async () => {
  const path = mkdtempSync(join(tmpdir(), "until-green-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  mkdirSync(join(path, "bin"));
  symlinkSync("/bin/sh", join(path, "bin/sh"));
  const folder = folderAt(path, { PATH: join(path, "bin"), HOME: path });
  const code = (language: string, text: string) =>
    `workflow: { name: w, entry: a }\nblocks:\n  a: { type: code, language: ${language}, code: "${text}" }\n`;
  folder.write({
    "py.yml": code("python", "def main(data): return 1"),
    "js.yml": code("javascript", "const main = () => 1"),
  });
  const args = ["--agent", "command:true", "--store", "memory", "--json"];
  const py = await folder.run("run", "py.yml", ...args);
  // Nothing is lost: the run goes on where it stands once Python is there.
  expect(py.events.at(-1)).toMatchObject({
    type: "notice",
    message: expect.stringContaining("python3 is not installed"),
  });
  expect(py.code).not.toBe(0);
  const js = await folder.run("run", "js.yml", ...args);
  expect(js.events.at(-1), js.stderr).toMatchObject({ conclusion: "success", output: "1" });
});

test("a plan is drawn with its ways on", async () => {
  const { cwd } = openRepository({ files: { ...souls, "w.yaml": seed("simple-loop") } });
  const folder = folderAt(cwd);
  const text = await folder.run("plan", "w.yaml");
  expect(text.stdout).toBe(`Iterative Refinement (blocks)
  refine  loop of graph, at most 3 iterations until a block leaves the loop, first, then to done
    draft  agent
    review  gate on draft
  done  python script
`);
  const drawn = await folder.run("plan", "w.yaml", "--format", "mermaid");
  expect(drawn.stdout).toContain("  n1 --> n2\n");
  expect(drawn.stdout).toContain("    n3 --> n4\n");
});

test("a run of blocks that was paused by its time limit continues where it left off", async () => {
  const { untilGreen } = openRepository({
    files: { ...souls, "w.yaml": seed("simple-loop"), "replies.yml": failsOnce },
  });
  const args = ["--agent", "scripted:replies.yml", "--run-id", "blocks-run", "--max-minutes", "0.0001"];
  const first = await untilGreen("run", "w.yaml", ...args);
  expect(first.code, first.stderr).toBe(3);
  const second = await untilGreen("resume", "blocks-run");
  expect(eventsOf(second, "run.ended"), second.stderr).toMatchObject([
    { conclusion: "success", output: '{"final": "a better draft"}' },
  ]);
});
