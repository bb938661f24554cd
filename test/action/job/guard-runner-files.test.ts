import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { guardRunnerFiles } from "../../../action/job/guard-runner-files.ts";
import { runnerFilePaths } from "../../../src/processes/private-files.ts";

test.each([
  "GITHUB_ENV",
  "GITHUB_PATH",
  "GITHUB_OUTPUT",
  "GITHUB_STATE",
  "GITHUB_STEP_SUMMARY",
  "GITHUB_EVENT_PATH",
])("what others write to %s is gone again, and named", (name) => {
  const folder = mkdtempSync(join(tmpdir(), "runner-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "file");
  writeFileSync(path, "before\n");
  const files = guardRunnerFiles({ [name]: path });
  writeFileSync(path, "after\n");
  expect(files.restore()).toEqual([name]);
  expect(readFileSync(path, "utf8")).toBe("before\n");
});

test.each([
  ["a link", (path: string, other: string) => symlinkSync(other, path)],
  ["a pipe", (path: string) => execFileSync("bash", ["-c", 'mkfifo "$0"', path])],
  ["a folder", (path: string) => mkdirSync(path)],
])("%s in place of a runner's file is replaced by the file as it was", (_, put) => {
  const folder = mkdtempSync(join(tmpdir(), "runner-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [path, other] = [join(folder, "output"), join(folder, "other")];
  for (const file of [path, other]) writeFileSync(file, "before\n");
  const files = guardRunnerFiles({ GITHUB_OUTPUT: path });
  rmSync(path);
  writeFileSync(other, "after\n");
  put(path, other);
  expect(files.restore()).toEqual(["GITHUB_OUTPUT"]);
  expect(lstatSync(path).isFile()).toBe(true);
  expect(readFileSync(path, "utf8")).toBe("before\n");
  expect(readFileSync(other, "utf8")).toBe("after\n");
});

test("a runner's file is restored even if its whole folder is gone", () => {
  const folder = mkdtempSync(join(tmpdir(), "runner-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "commands", "output");
  mkdirSync(join(folder, "commands"));
  writeFileSync(path, "before\n");
  const files = guardRunnerFiles({ GITHUB_OUTPUT: path });
  rmSync(join(folder, "commands"), { recursive: true });
  expect(files.restore()).toEqual(["GITHUB_OUTPUT"]);
  expect(readFileSync(path, "utf8")).toBe("before\n");
});

test("what others append after our own writing is gone again when the files are restored", async () => {
  const folder = mkdtempSync(join(tmpdir(), "runner-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "output");
  writeFileSync(path, "");
  const files = guardRunnerFiles({ GITHUB_OUTPUT: path });
  writeFileSync(path, "conclusion=success\n");
  await files.write(async () => writeFileSync(path, "conclusion=paused\n", { flag: "a" }));
  expect(readFileSync(path, "utf8")).toBe("conclusion=paused\n");
  writeFileSync(path, "conclusion=success\n", { flag: "a" });
  expect(files.restore()).toEqual(["GITHUB_OUTPUT"]);
  expect(readFileSync(path, "utf8")).toBe("conclusion=paused\n");
});

test("the event of the job is restored, as a later step reads it, and is no file that is hidden", () => {
  const folder = mkdtempSync(join(tmpdir(), "runner-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "event.json");
  writeFileSync(path, "{}");
  const files = guardRunnerFiles({ GITHUB_EVENT_PATH: path });
  writeFileSync(path, '{"forged":true}');
  expect(files.restore()).toEqual(["GITHUB_EVENT_PATH"]);
  expect(readFileSync(path, "utf8")).toBe("{}");
  expect(runnerFilePaths({ GITHUB_EVENT_PATH: path })).toEqual([]);
});
