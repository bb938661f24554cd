import { spawn, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bareRepository } from "../../src/git/bare-repository.ts";
import { replaceFile } from "../../src/processes/replace-file.ts";

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "replace-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("what a killed process was making is removed, what a living one makes stays", () => {
  const folder = openFolder();
  const { pid } = spawnSync("true");
  for (const name of [`state.git.${pid}`, `state.git.${process.ppid}`, "state.git.old"])
    mkdirSync(join(folder, name, "objects"), { recursive: true });
  writeFileSync(join(folder, `tip.${pid}`), "half");
  bareRepository(folder, "state.git", "sha1");
  replaceFile(join(folder, "tip"), "whole\n");
  const stay = ["state.git", `state.git.${process.ppid}`, "state.git.old", "tip"];
  expect(readdirSync(folder).toSorted()).toEqual(stay.toSorted());
});

test("a link in the way is not followed", () => {
  const folder = openFolder();
  writeFileSync(join(folder, "other"), "theirs\n");
  symlinkSync("other", join(folder, `tip.${process.pid}`));
  replaceFile(join(folder, "tip"), "ours\n");
  expect(readFileSync(join(folder, "other"), "utf8")).toBe("theirs\n");
  expect(readFileSync(join(folder, "tip"), "utf8")).toBe("ours\n");
});

test("of several processes that replace a file at once, none fails, and one is whole", async () => {
  const path = join(openFolder(), "tip");
  const program = `const { replaceFile } = await import(${JSON.stringify(resolve("src/processes/replace-file.ts"))});
    for (let round = 0; round < 300; round++) replaceFile(process.argv[1], process.argv[2].repeat(1000));`;
  const codes = await Promise.all(
    ["a", "b", "c", "d"].map((letter) => {
      const child = spawn(process.execPath, ["--input-type=module", "--eval", program, path, letter]);
      return new Promise((ended) => child.once("exit", ended));
    }),
  );
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(readFileSync(path, "utf8")).toMatch(/^(a{1000}|b{1000}|c{1000}|d{1000})$/);
});
