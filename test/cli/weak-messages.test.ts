import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noSuchFile } from "../../src/ports/unreadable.ts";
import { folderAt, loopFile, openFolder, typed } from "../parts/terminal.ts";

const loop = loopFile("prompt: go\nuntil_bash: bash tests.sh\nmax_iterations: 2");

test.each([
  [
    ["run", "w.yml", "--max-iterations", "3"],
    "--max-iterations is for an inline loop (--until-bash or --prompt, without a workflow); in w.yml, set `max_iterations`",
  ],
  [["eval", "missing.yml", "--agent", "claude"], `missing.yml cannot be read: ${noSuchFile}`],
])("%j is refused with the reason, and without an errno", async (args, says) => {
  const folder = openFolder();
  folder.write({ "w.yml": loop });
  const { code, stderr } = await folder.run(...args);
  expect(stderr).toContain(says);
  expect(stderr).not.toMatch(/ENOENT|requires --prompt/);
  expect(code).toBe(2);
});

test("a report for a folder that does not exist says to create it", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": loopFile('prompt: go\nuntil_bash: "true"\nmax_iterations: 2') });
  await folder.run("run", "w.yml", "--agent", "command:true");
  const { code, stderr } = await folder.run("report", "--out", "nope/x.html");
  expect(stderr).toContain("the report cannot be written: there is no folder nope; create it first");
  expect(code).toBe(2);
});

test("a check whose script is missing blames the file and not bash", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": loop });
  const { stderr } = await folder.run("run", "w.yml", "--agent", "command:true");
  expect(stderr).toContain("exit 127: file not found: `bash: tests.sh: No such file or directory`");
});

test("without a key for the built-in agent, no run starts", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": loop });
  const keys = /_(?:API_KEY|AUTH_TOKEN|BASE_URL)$/;
  const env = Object.fromEntries(Object.entries(typed()).filter(([name]) => !keys.test(name)));
  const here = folderAt(folder.path, env);
  const { code, stderr } = await here.run("run", "w.yml", "--agent", "api");
  expect(stderr).toContain("ANTHROPIC_API_KEY");
  expect(code).toBe(2);
  expect((await here.run("list")).stdout).toBe("no runs here yet\n");
});

test("a host that refuses a run's record is quoted, with the file and the link it names", async () => {
  const folder = openFolder();
  const origin = openFolder({ bare: true }).path;
  execFileSync("git", ["init", "--quiet", "--bare", origin]);
  execFileSync("git", ["remote", "add", "origin", origin], { cwd: folder.path });
  const hook = join(origin, "hooks/pre-receive");
  folderAt(origin).write({
    "hooks/pre-receive":
      "#!/bin/sh\necho 'error: GH013: Repository rule violations' >&2\necho '- Push cannot contain secrets' >&2\necho '  path: a.txt:1' >&2\necho '  https://example.com/unblock-secret/1' >&2\nexit 1\n",
  });
  chmodSync(hook, 0o755);
  folder.write({ "w.yml": loop });
  const { stderr } = await folder.run("run", "w.yml", "--agent", "command:true", "--store", "git");
  expect(stderr).toMatch(
    /did not accept the run: push protection found a secret \(in a\.txt:1\): .* allow it at https:\/\/example\.com\/unblock-secret\/1/,
  );
});
