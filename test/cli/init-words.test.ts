import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderAt, openFolder } from "../parts/terminal.ts";

test("init names a virtual environment that is not active", async () => {
  const { path } = openFolder();
  const folder = folderAt(path, {
    ...process.env,
    PATH: `${join(path, "bin")}:${process.env["PATH"]}`,
    VIRTUAL_ENV: undefined,
  });
  folder.write({
    "pytest.ini": "",
    ".venv/bin/activate": "",
    "bin/python3": "#!/bin/sh\necho python3: No module named pytest\nexit 1\n",
  });
  chmodSync(join(path, "bin/python3"), 0o755);
  const { stderr } = await folder.run("init");
  expect(stderr).toContain("Its virtual environment is not active: source .venv/bin/activate\n");
  expect(stderr).not.toContain("pip install");
});

test("init says that a check printed nothing, and does not claim to have found it", async () => {
  const { stderr } = await openFolder().run("init", "--check", "test -f done");
  expect(stderr).toMatch(/^your check: test -f done\n/m);
  expect(stderr).toContain("  ✘ exit 1, without any output\n\nnext:");
});

test("what init writes and check says links to pages, not to files of another repository", async () => {
  const folder = openFolder();
  await folder.run("init", "--check", "true");
  const loop = readFileSync(join(folder.path, ".github/loops/fix-tests.yml"), "utf8");
  folder.write({ "bad.yml": loop.replace("max_iterations: 8", "for_each: [a]\n      spread: jobs") });
  const { stderr } = await folder.run("check", "bad.yml");
  for (const text of [loop, stderr]) {
    expect(text).toContain("https://github.com/until-green/until-green/blob/main/docs/");
    expect(text).not.toMatch(/(?<!main\/)docs\//);
  }
});
