import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openStore } from "../../src/stores/index.ts";

const cwd = mkdtempSync(join(tmpdir(), "stores-"));
afterEach(() => rmSync(cwd, { recursive: true, force: true }));
const defaults = { cwd, directory: ".git/until-green/runs" };

test.each([
  [undefined, ".git/until-green/runs"],
  ["dir:runs", "runs"],
  ["dir:c:/runs", "c:/runs"],
  [`dir:${cwd}/absolute`, "absolute"],
])("--store %s keeps runs in %s", async (spec, folder) => {
  await openStore(spec, defaults).append("run-001", 0, ["{}"]);
  expect(existsSync(join(cwd, folder, "run-001/log.jsonl"))).toBe(true);
});
test("--store memory leaves nothing", async () => {
  await openStore("memory", defaults).append("run-001", 0, ["{}"]);
  expect(existsSync(cwd)).toBe(false);
});
test.each([
  ["s3:bucket", "there is no such store; use memory, dir:PATH, git or bundle:FILE"],
  ["dir:", "needs a folder"],
  ["dir", "needs a folder"],
  ["toString", "there is no such store"],
  ["", "there is no such store"],
])("--store %j is refused with a sentence", (spec, sentence) => {
  expect(() => openStore(spec, defaults)).toThrow(sentence);
});
test("--store git needs a remote only when it is used", async () => {
  const here = { ...defaults, cwd: tmpdir(), git: { environment: process.env } };
  await expect(openStore("git:nowhere", here).read("run-001")).rejects.toThrow("has no remote nowhere");
});
