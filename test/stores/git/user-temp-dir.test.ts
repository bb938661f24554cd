import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder, userTempDir } from "../../../src/stores/git/user-temp-dir.ts";

const asUserWithoutEntry = ["-U", "--map-user=23456"];
const canBeSuchUser = spawnSync("unshare", [...asUserWithoutEntry, "true"]).status === 0;

test.runIf(canBeSuchUser)("a user without an entry in the password file has a temporary folder too", () => {
  const temporary = mkdtempSync(join(tmpdir(), "user-temp-dir-"));
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
  const module = resolve("src/stores/git/user-temp-dir.ts");
  const script = `import { userTempDir } from ${JSON.stringify(module)};
    console.log(userTempDir({ RUNNER_TEMP: ${JSON.stringify(temporary)} }, "lines"));`;
  const args = [...asUserWithoutEntry, process.execPath, "--input-type=module", "--eval", script];
  expect(execFileSync("unshare", args, { encoding: "utf8" })).toBe(
    `${join(temporary, "until-green-23456", "lines")}\n`,
  );
});

test("a user's folder is in that of the job, and private with all that is in it", () => {
  const RUNNER_TEMP = mkdtempSync(join(tmpdir(), "user-temp-dir-"));
  onTestFinished(() => rmSync(RUNNER_TEMP, { recursive: true, force: true }));
  expect([temporaryFolder({ RUNNER_TEMP }), temporaryFolder({})]).toEqual([RUNNER_TEMP, tmpdir()]);
  expect(temporaryFolder({ RUNNER_TEMP: "" })).toBe(tmpdir());
  const root = join(RUNNER_TEMP, `until-green-${process.getuid?.()}`);
  const path = userTempDir({ RUNNER_TEMP }, "a", "b");
  expect(path).toBe(join(root, "a/b"));
  for (const folder of [root, join(root, "a"), path]) expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test.runIf(process.getuid?.() === 0)("a folder that another user made first is refused", () => {
  const RUNNER_TEMP = mkdtempSync(join(tmpdir(), "user-temp-dir-"));
  onTestFinished(() => rmSync(RUNNER_TEMP, { recursive: true, force: true }));
  const root = join(RUNNER_TEMP, "until-green-0");
  mkdirSync(root);
  chownSync(root, 65_534, 65_534);
  expect(() => userTempDir({ RUNNER_TEMP }, "lines")).toThrow(
    new Error(`${root} belongs to another user: set TMPDIR to a folder of your own`),
  );
});
