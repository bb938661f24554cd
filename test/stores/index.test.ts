import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
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
  ["s3:bucket", "--store s3:bucket: there is no such store; use memory, dir:PATH, git or bundle:FILE"],
  ["dir:", "--store dir: needs a folder, as in dir:runs"],
  ["bundle:", "--store bundle: needs a file, as in bundle:run.bundle"],
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
test.each([
  ["git", "has no remote origin"],
  ["git:", "has no remote origin"],
  ["git:https://host.invalid:1/a.git", "https://host.invalid:1/a.git"],
])("--store %s reaches its remote with the options of a git store", async (spec, what) => {
  const git = { environment: process.env, patienceMs: 200 };
  await expect(openStore(spec, { ...defaults, cwd: tmpdir(), git }).read("run-001")).rejects.toThrow(what);
});
test("--store bundle:FILE keeps runs in a file below the folder, with the options of a git store", async () => {
  mkdirSync(cwd, { recursive: true });
  const git = {
    environment: { PATH: process.env["PATH"], RUNNER_TEMP: mkdtempSync(join(tmpdir(), "stores-")) },
  };
  onTestFinished(() => rmSync(git.environment.RUNNER_TEMP, { recursive: true, force: true, maxRetries: 3 }));
  await openStore("bundle:sub:run.bundle", { ...defaults, git }).append("run-001", 0, ["{}"]);
  expect(existsSync(join(cwd, "sub:run.bundle"))).toBe(true);
  expect(readdirSync(git.environment.RUNNER_TEMP)).toEqual([expect.stringContaining("until-green")]);
});
