import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtCommandLine } from "../parts/built.ts";
import { openPlayground } from "../workspace/playground.ts";

const main = builtCommandLine();

function commandLine(cwd: string, ...args: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [main, ...args], { cwd, encoding: "utf8" });
  return { output: stdout + stderr, status };
}

/** A run whose agent does something in its first turn, and its work in the second. */
const runWith = (top: string, script: string) =>
  commandLine(
    top,
    ...[
      "run",
      "--prompt",
      "x",
      "--until-bash",
      "test -e done",
      "--max-iterations",
      "2",
      "--isolation",
      "off",
    ],
    ...["--agent", `command:if [ -e one ]; then touch done; else touch one; ${script}; fi`],
  );

test.each(["objects", "HEAD", "refs"])(
  "a run whose agent removes .git/%s stops and says so, and resumes once it is there again",
  (name) => {
    const { top, outside } = openPlayground({ files: { "a.txt": "a\n" } });
    const stopped = runWith(top, `mv .git/${name} ${outside}/`);
    const where = `${join(top, ".git")} has no ${name}, which a program may have removed: put this back from a copy`;
    expect(stopped.output).toContain(where);
    expect(stopped.output).toMatch(/, then resume the run: (npx )?until-green resume/);
    expect(stopped.output).not.toContain("fatal:");
    for (const command of ["status", "resume"]) {
      const { output, status } = commandLine(top, command);
      expect(output).toContain(where);
      expect(status).toBe(2);
    }
    spawnSync("mv", [join(outside, name), join(top, ".git")]);
    const { output, status } = commandLine(top, "resume");
    expect(status, output).toBe(0);
  },
);

test("`git init` makes a lost HEAD anew, as the sentence says, and the run resumes", () => {
  const { top, git } = openPlayground({ files: { "a.txt": "a\n" } });
  expect(runWith(top, "rm .git/HEAD").output).toContain(`run \`git init\` in ${top} to make it anew`);
  git("init", "-q");
  const { output, status } = commandLine(top, "resume");
  expect(status, output).toBe(0);
});

test("if an agent puts a file in the place of .git, the log is kept elsewhere, and the file is named", () => {
  const { top } = openPlayground({ files: { "a.txt": "a\n" } });
  const { output } = runWith(top, "rm -rf .git; echo no > .git");
  expect(output).toMatch(/its log is kept: (npx )?until-green logs \S+ --store dir:/);
  expect(commandLine(top, "status").output).toContain(
    `${join(top, ".git")} is a file that names no folder of git: move it away`,
  );
});

test("an agent that removes all that git needs of .git fails its run, even if other files in it are left", () => {
  const { top } = openPlayground({ files: { "a.txt": "a\n" } });
  const { output, status } = runWith(top, "rm -rf .git/HEAD .git/objects .git/refs");
  expect(output).toContain("❌ inline failed");
  expect(output).toContain(
    `${join(top, ".git")} has no HEAD, objects, refs, which a program may have removed`,
  );
  expect(output).not.toContain("then resume the run");
  expect(status).toBe(1);
});
