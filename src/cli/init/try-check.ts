import { join } from "node:path";
import { ranNoTest } from "../../checks/broken-check.ts";
import { failingCount } from "../../checks/failing-count.ts";
import { failingTests } from "../../checks/failing-tests.ts";
import { failedDespiteGreen } from "../../checks/inventory/compare.ts";
import { readTests } from "../../checks/inventory/read-tests.ts";
import { childEnvironment } from "../../processes/environment.ts";
import { runProcess } from "../../processes/process.ts";
import { inCi, strictOptions } from "../../processes/shell.ts";
import { shellWord } from "../../processes/shell-word.ts";
import { stripControlCharacters } from "../../render/escape.ts";
import { failingTestText } from "../../render/failing-check.ts";
import { count } from "../../status/format.ts";
import { say } from "../print.ts";
import type { Project } from "./folder.ts";

interface CheckSetup {
  readonly cwd: string;
  /** The project's folder in it. */
  readonly dir: string;
  readonly project: Project;
}

const longestMs = 120_000;
const shownLines = 10;

/** Runs the check once and reports the result: it should be known to work before an agent is paid. */
export async function tryCheck(check: string, { cwd, dir, project }: CheckSetup): Promise<void> {
  say(`\nrunning the check once: ${check}\n`);
  const { how, exitCode, tail } = await runProcess({
    command: "bash",
    args: [...strictOptions, "-c", check],
    cwd,
    env: childEnvironment({ ...inCi, ...process.env }, {}),
    timeoutMs: longestMs,
    signal: new AbortController().signal,
    reap: true,
  });
  const tests = readTests(tail);
  const failing = tests?.failed ?? failingCount(tail);
  say(
    `${verdict({ how, exitCode, failing, tail, isEmpty: ranNoTest(tests), failed: tests && failedDespiteGreen(tests) })}\n`,
  );
  if (exitCode === 0) return;
  const clean = stripControlCharacters(tail);
  const names = failingTests(clean).map((one) => `✘ ${failingTestText(one)}`);
  const lines =
    names.length > 0 ? names.slice(0, shownLines) : clean.trimEnd().split("\n").slice(-shownLines);
  if (clean.trim() !== "") say(lines.map((line) => `    ${line}\n`).join(""));
  if (names.length > shownLines) say(`    … ${names.length - shownLines} more\n`);
  const { install, environment } = project;
  const missing = missingProgram({ exitCode, tail: clean });
  if (missing !== undefined && install !== undefined && missing.includes("/"))
    say(`  ${missing} is not here: are its packages installed? ${install}\n`);
  else if (missing !== undefined)
    say(
      `  ${missing} is not here, or not on PATH: install it, or write another command into \`until_bash\`.\n`,
    );
  else if (install !== undefined && (failing === undefined || missingModule(tail) !== undefined))
    say(
      environment === undefined || process.env["VIRTUAL_ENV"] !== undefined
        ? `  Are its packages installed? ${install}\n`
        : `  Its virtual environment is not active: source ${shellWord(join(dir, environment, "bin/activate"))}\n`,
    );
}

/** The program that bash could not find. */
const missingProgram = ({ exitCode, tail }: Pick<CheckOutcome, "exitCode" | "tail">) =>
  exitCode === 127
    ? /^bash: line \d+: (\S+): (?:command not found|No such file or directory)$/m.exec(tail)?.[1]
    : undefined;

/** An output line of a test that could not load a package: then a failure says little about the code. */
const missingModule = (tail: string) =>
  /(?:ModuleNotFoundError: |Cannot find (?:module|package) '|cannot load such file -- ).*/
    .exec(tail)?.[0]
    .trim();

interface CheckOutcome {
  readonly how: string;
  readonly exitCode: number | undefined;
  readonly failing: number | undefined;
  readonly tail: string;
  /** True if it ran no test. */
  readonly isEmpty: boolean;
  /** The tests that its output reports as failed although it passed, as a clause. */
  readonly failed: string | undefined;
}

function verdict({ how, exitCode, failing, tail, isEmpty, failed }: CheckOutcome): string {
  if (how === "timed-out")
    return "  it took longer than 2 minutes and was stopped; raise `check.timeout` if it needs more than 10 minutes";
  if (how === "not-started") return "  bash could not be started";
  if (exitCode === 0 && isEmpty)
    return "  ✘ it passed without running a test, so a run would stop at once: add a test, or change `until_bash`";
  if (exitCode === 0 && failed !== undefined)
    return `  ✘ it exits with 0, but ${failed}, so it counts as red; \`check: { tests: any }\` accepts that`;
  if (exitCode === 0) return "  ✔ it passes: the loop ends at once until a test fails";
  const missing = missingModule(tail);
  if (failing !== undefined && failing > 0 && missing !== undefined)
    return `  ✘ ${count(failing, "test")} failing (exit ${exitCode}): ${stripControlCharacters(missing)}`;
  if (failing !== undefined && failing > 0)
    return `  ✘ ${count(failing, "test")} failing: work for the loop (exit ${exitCode})`;
  if (exitCode === 126 || exitCode === 127) return `  ✘ it cannot run (exit ${exitCode})`;
  return tail.trim() === ""
    ? `  ✘ exit ${exitCode}, without any output`
    : `  ✘ exit ${exitCode}; no test results were recognized in its output:`;
}
