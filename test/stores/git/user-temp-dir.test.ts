import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

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
