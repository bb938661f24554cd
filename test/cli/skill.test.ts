import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runGit, temporaryFolder, writeFiles } from "../workspace/playground.ts";

const skill = readFileSync("skills/until-green/SKILL.md", "utf8");

test("an agent that does what the skill says has a loop, a workflow and a check that runs", () => {
  const commands = [...skill.matchAll(/^ *```bash\n([\s\S]*?)^ *```/gm)].map(([, text = ""]) => text);
  expect(commands.length).toBeGreaterThan(1);
  const project = temporaryFolder();
  runGit(project, "init", "-q");
  writeFiles(project, {
    "package.json": '{ "type": "module", "scripts": { "test": "node --test" } }\n',
    "add.js": "export const add = (a, b) => a - b;\n",
    "add.test.js":
      'import test from "node:test";\nimport assert from "node:assert";\nimport { add } from "./add.js";\ntest("adds", () => assert.equal(add(1, 2), 3));\n',
  });
  runGit(project, "add", "-A");
  runGit(project, "commit", "-qm", "start");
  const main = join(process.cwd(), "dist/until-green.js");
  const script = `exec 2>&1\nuntil-green() { "${process.execPath}" "${main}" "$@"; }\n${commands.join("\n")}`;
  const out = execFileSync("bash", ["-ec", script], { cwd: project, encoding: "utf8" });
  expect(out).toContain("1 test failing: work for the loop");
  expect(out).toContain("1 file without errors");
  for (const path of [".github/loops/fix-tests.yml", ".github/workflows/fix-tests.yml"])
    expect(existsSync(join(project, path))).toBe(true);
});

test("the skill names no command that does not exist", () => {
  const named = [...skill.matchAll(/`until-green (\w+)/g)].map(([, name = ""]) => name);
  const help = execFileSync(process.execPath, ["dist/until-green.js", "--help"], { encoding: "utf8" });
  for (const name of named) expect(`${help}\n  help `).toContain(`  ${name} `);
});
