import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readLinkedFile, readRegularFile } from "../../src/processes/regular-file.ts";

test("a file is read, through a link only if it is the user's, and nothing else is waited for", () => {
  const folder = mkdtempSync(join(tmpdir(), "plain-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  writeFileSync(at("file"), "text");
  symlinkSync("file", at("link"));
  symlinkSync("/dev/zero", at("zeros"));
  mkdirSync(at("folder"));
  execFileSync("bash", ["-c", 'mkfifo "$0"', at("pipe")]);
  symlinkSync("pipe", at("link-to-pipe"));
  expect(["file", "link"].map((name) => readLinkedFile(at(name)))).toEqual(["text", "text"]);
  expect(["file", "link"].map((name) => readRegularFile(at(name)))).toEqual(["text", undefined]);
  for (const read of [readRegularFile, readLinkedFile])
    for (const name of ["zeros", "folder", "pipe", "link-to-pipe", "nothing"])
      expect(read(at(name))).toBeUndefined();
});
