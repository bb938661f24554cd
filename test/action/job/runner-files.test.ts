import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { guardRunnerFiles } from "../../../action/job/runner-files.ts";

test.each([
  ["a link", (path: string, other: string) => symlinkSync(other, path)],
  ["a pipe", (path: string) => execFileSync("bash", ["-c", 'mkfifo "$0"', path])],
  ["a folder", (path: string) => mkdirSync(path)],
])("%s in place of a runner's file is replaced by the file as it was", (_, put) => {
  const folder = mkdtempSync(join(tmpdir(), "runner-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [path, other] = [join(folder, "output"), join(folder, "other")];
  for (const file of [path, other]) writeFileSync(file, "before\n");
  const putBack = guardRunnerFiles({ GITHUB_OUTPUT: path });
  rmSync(path);
  writeFileSync(other, "after\n");
  put(path, other);
  expect(putBack()).toEqual(["GITHUB_OUTPUT"]);
  expect(lstatSync(path).isFile()).toBe(true);
  expect(readFileSync(path, "utf8")).toBe("before\n");
  expect(readFileSync(other, "utf8")).toBe("after\n");
});

test("a runner's file is put back also where its whole folder is gone", () => {
  const folder = mkdtempSync(join(tmpdir(), "runner-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "commands", "output");
  mkdirSync(join(folder, "commands"));
  writeFileSync(path, "before\n");
  const putBack = guardRunnerFiles({ GITHUB_OUTPUT: path });
  rmSync(join(folder, "commands"), { recursive: true });
  expect(putBack()).toEqual(["GITHUB_OUTPUT"]);
  expect(readFileSync(path, "utf8")).toBe("before\n");
});
