import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFolder } from "../parts/terminal.ts";

const manifest = () => JSON.stringify({ scripts: { test: "node --test" } });

test("init passes over submodules, whose files a loop cannot change", async () => {
  const [inner, outer] = [openFolder(), openFolder()];
  const add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.path, "sub"];
  execFileSync("git", add, { cwd: outer.path });
  outer.write({ "sub/package.json": manifest() });
  const bare = await outer.run("init");
  expect(bare).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("(sub is another repository, such as a submodule)"),
  });
  const named = await outer.run("init", "--dir", "sub");
  expect(named).toMatchObject({ code: 2, stderr: expect.stringMatching(/: until-green init --cwd sub\n$/) });
  expect((await outer.run("init", "--cwd", "sub", "--no-try-check")).code).toBe(0);
  expect(existsSync(join(outer.path, "sub/.github/loops/fix-tests.yml"))).toBe(true);
});

test("init says that a check which passes without a test is no check", async () => {
  const folder = openFolder();
  folder.write({ "package.json": manifest() });
  const { stderr } = await folder.run("init");
  expect(stderr).toContain("it passed without running a test");
  expect(stderr).not.toContain("it passes");
});

test("init says that a check which passes with failed tests counts as red", async () => {
  const folder = openFolder();
  const script = "node -e \"console.log('# pass 1\\n# fail 1')\"";
  folder.write({ "package.json": JSON.stringify({ scripts: { test: script } }) });
  const { stderr } = await folder.run("init");
  expect(stderr).toContain("it exits with 0, but 1 test failed, so it counts as red");
});
