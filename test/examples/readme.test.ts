import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { env, execPath } from "node:process";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { builtCommandLine } from "../parts/built.ts";

test("the first loop of getting started, typed as shown, ends green with both agents", async () => {
  const folder = mkdtempSync(join(tmpdir(), "until-green-readme-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { stderr } = await typed(
    blocksOf("docs/getting-started.md", "On your machine, without a key").join("\n"),
    folder,
  );
  expect(stderr.match(/^✅ fix succeeded: the check passed$/gm), stderr).toHaveLength(2);
  expect(stderr.match(/^fix: (\d) of at most 5 iterations/gm)).toEqual([
    "fix: 2 of at most 5 iterations",
    "fix: 1 of at most 5 iterations",
  ]);
  expect(readFileSync(join(folder, "hello/greet.sh"), "utf8")).toBe('echo "Hello, $1"\n');
});

/** The shell blocks below a heading. */
function blocksOf(page: string, heading: string): readonly string[] {
  const [, section = ""] = readFileSync(page, "utf8").split(`\n## ${heading}\n`);
  const [own = ""] = section.split(/\n## /);
  return [...own.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = ""]) => text);
}

/** Runs lines in bash as a person would who has `until-green` on the PATH and a name in git. */
function typed(lines: string, folder: string) {
  const programs = join(folder, "programs");
  mkdirSync(programs);
  writeFileSync(
    join(programs, "until-green"),
    `#!/bin/sh\nexec "${execPath}" "${builtCommandLine()}" "$@"\n`,
  );
  chmodSync(join(programs, "until-green"), 0o755);
  const person = { GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.org" };
  const committer = { GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "ann@example.org" };
  return promisify(execFile)("bash", ["-euo", "pipefail", "-c", lines], {
    cwd: folder,
    env: { ...env, ...person, ...committer, PATH: `${programs}${delimiter}${env["PATH"]}` },
  });
}
