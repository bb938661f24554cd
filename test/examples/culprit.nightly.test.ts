import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { randomOf } from "../parts/random.ts";

// Two hundred histories, each with a dozen checks.
vi.setConfig({ testTimeout: 900_000 });

const { nodes } = parse(readFileSync("examples/jobs/fix-main/loop.yml", "utf8"));

/** The script of the job; each check adds a line to a file. */
const script = (checks: string) =>
  (nodes[0].bash as string)
    .replace(/^( *)npm ci$/m, "$1test ! -e unset")
    .replace(/^( *)npm test$/m, `$1echo >> ${checks}\n$1bash ./check`);

interface History {
  readonly commits: number;
  /** The commit that breaks the test, from 1; none without. */
  readonly broken?: number;
  /** Commits whose packages cannot be installed. */
  readonly unset?: readonly number[];
  /** How often the test fails in 100 runs, on each commit. */
  readonly flaky?: number;
}

function blame({ commits, broken, unset = [], flaky }: History) {
  const root = mkdtempSync(join(tmpdir(), "culprit-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const cwd = join(root, "repository");
  const git = (...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8", stdio: "pipe" });
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", cwd]);
  // A test that fails now and then does so by the number of checks so far.
  const chance = `{ n=$(wc -l < ${root}/checks); [ $(( (n * 37 + 11) % 100 )) -ge ${flaky ?? 0} ]; }`;
  writeFileSync(
    join(cwd, "check"),
    `if [ ! -e broken ] && ${chance}; then exit 0; fi\necho "✖ it adds (1.2ms)"; exit 1\n`,
  );
  for (let commit = 0; commit <= commits; commit++) {
    writeFileSync(join(cwd, "n"), `${commit}\n`);
    if (commit === broken) writeFileSync(join(cwd, "broken"), "");
    if (unset.includes(commit)) writeFileSync(join(cwd, "unset"), "");
    else rmSync(join(cwd, "unset"), { force: true });
    git("add", "--all");
    git(
      "-c",
      `user.name=Person ${commit}`,
      "-c",
      "user.email=p@example.org",
      "commit",
      "--quiet",
      "-m",
      `Change ${commit}`,
    );
  }
  const bash = ["-eo", "pipefail", "-c", script(`${root}/checks`)];
  const said = execFileSync("bash", bash, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
  return { said, checks: readFileSync(`${root}/checks`, "utf8").length };
}

describe("the commit that broke the tests", () => {
  test("is found in each of 200 random histories, with log2(n) + 2 checks, and six to be sure", () => {
    const random = randomOf(20261129);
    for (let round = 0; round < 200; round++) {
      const commits = 1 + Math.floor(random() * 60);
      const broken = 1 + Math.floor(random() * commits);
      const { said, checks } = blame({ commits, broken });
      expect(said, `round ${round}`).toMatch(
        new RegExp(`^it adds fails, and [0-9a-f]+ broke it: "Change ${broken}", by Person ${broken}$`),
      );
      expect(checks).toBeLessThanOrEqual(Math.ceil(Math.log2(commits)) + 2 + 6);
    }
  });

  test("is found among commits whose packages cannot be installed", () => {
    const { said } = blame({ commits: 20, broken: 13, unset: [5, 6, 7, 10] });
    expect(said).toContain('broke it: "Change 13", by Person 13');
  });

  test.each([10, 30, 50, 70, 90])(
    "is nobody's if the test fails in %i of 100 runs on every commit",
    (flaky) => {
      expect(blame({ commits: 30, flaky }).said).toMatch(/flaky|all tests pass|could not be found/);
    },
  );

  test("is not sought if all tests pass", () => {
    expect(blame({ commits: 3 })).toEqual({ said: "all tests pass", checks: 1 });
  });
});
