import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRepository } from "../examples/command-line.ts";

const steps = `name: w
steps:
  - { id: a, instructions: Begin. }
  - { id: b, dependsOn: [a], loop: { maxIterations: 3, until: "content == 'done'" } }
`;

test("a converted file passes the check and runs; one that is there is not overwritten", async () => {
  const { untilGreen, cwd } = openRepository({
    files: { "w.yml": steps, "session.yml": "otherwise: { say: done }\n" },
  });
  const made = await untilGreen("convert", "w.yml", "--out", "native.yml");
  expect(made.code, made.stderr).toBe(0);
  const text = readFileSync(join(cwd, "native.yml"), "utf8");
  expect(text).toContain("until_expr: output == 'done'");
  expect((await untilGreen("check", "native.yml")).code).toBe(0);
  expect((await untilGreen("run", "native.yml", "--agent", "scripted:session.yml")).code).toBe(0);
  expect((await untilGreen("convert", "w.yml", "--out", "native.yml")).code).toBe(2);
  expect(readFileSync(join(cwd, "native.yml"), "utf8")).toBe(text);
});

test("what cannot be converted is reported with its position, and nothing is written", async () => {
  const source =
    "name: w\nsteps:\n  - { id: a, loop: { maxIterations: 2, steps: [{ id: b }, { id: c }] } }\n";
  const { untilGreen, cwd } = openRepository({ files: { "w.yml": source } });
  const result = await untilGreen("convert", "w.yml", "--out", "native.yml");
  expect(result.code).toBe(2);
  expect(result.stderr).toMatch(/w\.yml:3:5 error BAD_VALUE .*last step that ran/);
  expect(existsSync(join(cwd, "native.yml"))).toBe(false);
});

test("the workflow that init writes names its schema and passes the check", async () => {
  const { untilGreen, cwd } = openRepository({ files: {} });
  expect((await untilGreen("init", "--check", "true")).code).toBe(0);
  const text = readFileSync(join(cwd, ".github/loops/fix-tests.yml"), "utf8");
  expect(text).toMatch(/^# yaml-language-server: \$schema=https:\/\/\S+\/schemas\/native\.json\n/);
  expect((await untilGreen("check", ".github/loops/fix-tests.yml")).code).toBe(0);
});

test("a provider that is no agent is left out, with the warning of the file", async () => {
  const source = `$schema: workflow/v2.0
name: w
execution: { provider: deepseek, model: deepseek-chat }
steps:
  - { name: a, run: go }
`;
  const { untilGreen, cwd } = openRepository({ files: { "w.yml": source } });
  const { code, stderr } = await untilGreen("convert", "w.yml", "--out", "native.yml");
  expect(code).toBe(0);
  expect(stderr).toContain("w.yml:3:24 warning IGNORED_FIELD `deepseek` is not an agent");
  expect(readFileSync(join(cwd, "native.yml"), "utf8")).not.toContain("deepseek");
  expect((await untilGreen("check", "native.yml")).code).toBe(0);
});
