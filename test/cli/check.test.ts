import { expect, test } from "vitest";
import { loopFile, openFolder } from "../parts/terminal.ts";

const good = loopFile("prompt: go\nuntil_bash: npm test\nmax_iterations: 2");
const broken = loopFile('prompt: go\nuntil_bash: "if true; then"\nmax_iterations: 2');

test("check takes names and folders, and all workflows if none is named", async () => {
  const folder = openFolder();
  folder.write({ ".github/loops/a.yml": good, ".github/loops/b.yaml": good });
  for (const [args, says] of [
    [["a"], "1 file without errors"],
    [[".github/loops"], "2 files without errors"],
    [[], "2 files without errors"],
  ] as const) {
    const { code, stderr } = await folder.run("check", ...args);
    expect({ words: args, code, stderr }).toEqual({ words: args, code: 0, stderr: `${says}\n` });
  }
  expect(await folder.run("check", "aa")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("there is no workflow aa"),
  });
});

test("a script that bash cannot parse is an error with its line, before any agent is paid", async () => {
  const folder = openFolder();
  folder.write({
    "w.yml": broken,
    "v.yml": "name: v\nnodes:\n  - id: b\n    bash: |\n      echo a\n      echo 'b\n",
  });
  const { code, stderr } = await folder.run("check", "w.yml", "v.yml");
  expect(code).toBe(2);
  expect(stderr).toMatch(/w\.yml:6:19 error BAD_SHELL Bash cannot parse this script: unexpected end of file/);
  expect(stderr).toMatch(/v\.yml:6:1 error BAD_SHELL/);
});

test("diagnostics come as SARIF, as workflow commands, and with their severity as JSON", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": broken });
  const sarif = JSON.parse((await folder.run("check", "w.yml", "--format", "sarif")).stdout);
  expect(sarif.runs[0].results[0]).toMatchObject({
    ruleId: "BAD_SHELL",
    level: "error",
    locations: [{ physicalLocation: { artifactLocation: { uri: "w.yml" }, region: { startLine: 6 } } }],
  });
  const { stdout } = await folder.run("check", "w.yml", "--format", "github");
  expect(stdout).toMatch(
    /^::error file=w\.yml,line=6,col=\d+,title=BAD_SHELL::Bash cannot parse this script/,
  );
  const { events } = await folder.run("check", "w.yml", "--json");
  expect(events).toMatchObject([{ code: "BAD_SHELL", severity: "error" }]);
});
