import { join } from "node:path";
import { ranNoTest, whyNoTests } from "../../checks/broken-check.ts";
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
import { packagesOf } from "./failing-packages.ts";
import { openFolder, type Project } from "./folder.ts";
import { oneShot } from "./one-shot.ts";
import { type MissingService, missingService } from "./services.ts";

interface CheckSetup {
  readonly cwd: string;
  /** The project's folder in it. */
  readonly dir: string;
  readonly project: Project;
}

const longestMs = 120_000;
const shownLines = 10;

/**
 * Runs the check once and reports the result: it should be known to work before an agent is paid. Returns whether a run
 * makes sense as it is.
 */
export async function tryCheck(check: string, { cwd, dir, project }: CheckSetup): Promise<boolean> {
  say(`\nrunning the check once: ${check}\n`);
  const ended = await runOnce(check, cwd);
  const { how, exitCode, tail } = ended;
  const tests = readTests(tail);
  const failing = failingCount(tail) ?? tests?.failed;
  const isGreen = how === "exited" && exitCode === 0;
  const hasTests = failing !== undefined;
  const folder = openFolder(join(cwd, dir), cwd);
  const service = isGreen ? undefined : missingService(tail, { folder, hasTests });
  const failed = tests && failedDespiteGreen(tests);
  const isEmpty = ranNoTest(tests) || whyNoTests({ exitCode, output: tail, tests }) !== undefined;
  say(`${verdict({ ...ended, check, failing, service, isEmpty, failed })}\n`);
  for (const line of service?.remedy ?? []) say(`    ${line}\n`);
  if (isGreen) return !isEmpty;
  const clean = stripControlCharacters(tail);
  showOutput(clean);
  const advice =
    service === undefined && ended.watched === undefined
      ? adviceOf({ ...ended, tail: clean, failing }, { dir, project })
      : "";
  if (advice !== "") say(`  ${advice}\n`);
  const ran = how === "exited" && exitCode !== 126 && exitCode !== 127;
  return ran && !isEmpty && service === undefined && (hasTests || advice === "");
}

/** Ends early if the output says that the check waits for changes of files. */
async function runOnce(check: string, cwd: string) {
  const waiting = new AbortController();
  let watched: string | undefined;
  const { how, exitCode, tail } = await runProcess({
    command: "bash",
    args: [...strictOptions, "-c", check],
    cwd,
    env: childEnvironment({ ...inCi, ...process.env }, {}),
    timeoutMs: longestMs,
    signal: waiting.signal,
    reap: true,
    onText(text) {
      watched ??= waitsForChanges.exec(text)?.[0];
      if (watched !== undefined) waiting.abort();
    },
  });
  // One that ended by itself was not waiting.
  return { how, exitCode, tail, watched: how === "aborted" ? watched : undefined };
}

/** What Vitest, Jest, nodemon, Mocha, node --test and tsc print when they wait for changes. */
const waitsForChanges =
  /Waiting for file changes|Watching for (?:file )?changes|press [qh] to (?:quit|show help)|Press `?w`? to show more|Watch Usage|\[nodemon\] (?:watching|clean exit|app crashed)[^\n]*|\[mocha\] waiting for changes/i;

function showOutput(clean: string): void {
  const names = failingTests(clean).map((one) => `✘ ${failingTestText(one)}`);
  const lines =
    names.length > 0 ? names.slice(0, shownLines) : clean.trimEnd().split("\n").slice(-shownLines);
  if (clean.trim() !== "") say(lines.map((line) => `    ${line}\n`).join(""));
  if (names.length > shownLines) say(`    … ${names.length - shownLines} more\n`);
}

/** What a check lacks to run: a program, its packages, or its virtual environment. */
function adviceOf(
  { exitCode, tail, failing }: Pick<CheckOutcome, "exitCode" | "tail" | "failing">,
  { dir, project: { install, environment } }: Pick<CheckSetup, "dir" | "project">,
): string {
  const missing = missingProgram({ exitCode, tail });
  if (missing !== undefined && install !== undefined && missing.includes("/"))
    return `${missing} is not here: are its packages installed? ${install}`;
  if (missing !== undefined)
    return `${missing} is not here, or not on PATH: install it, or write another command into \`until_bash\`.`;
  if (install === undefined || (failing !== undefined && missingModule(tail) === undefined)) return "";
  return environment === undefined || process.env["VIRTUAL_ENV"] !== undefined
    ? `Are its packages installed? ${install}`
    : `Its virtual environment is not active: source ${shellWord(join(dir, environment, "bin/activate"))}`;
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
  readonly check: string;
  readonly how: string;
  /** What it printed when it began to wait for changes of files. */
  readonly watched: string | undefined;
  readonly service: MissingService | undefined;
  readonly exitCode: number | undefined;
  readonly failing: number | undefined;
  readonly tail: string;
  /** True if it ran no test. */
  readonly isEmpty: boolean;
  /** The tests that its output reports as failed although it passed, as a clause. */
  readonly failed: string | undefined;
}

function verdict(outcome: CheckOutcome): string {
  const { check, how, watched, exitCode, tail, isEmpty, failed } = outcome;
  if (watched !== undefined)
    return `  ✘ the tests ran, then \`${check}\` kept waiting for changes: give a command that ends${onceInstead(check, tail)}`;
  if (how === "timed-out")
    return "  it took longer than 2 minutes and was stopped; raise `check.timeout` if it needs more than 10 minutes";
  if (how === "not-started") return "  bash could not be started";
  if (exitCode !== 0) return `  ✘ ${redVerdict(outcome)}`;
  if (isEmpty)
    return "  ✘ it passed without running a test, so a run would stop at once: add a test, or change `until_bash`";
  return failed === undefined
    ? "  ✔ it passes: the loop ends at once until a test fails"
    : `  ✘ it exits with 0, but ${failed}, so it counts as red; \`check: { tests: any }\` accepts that`;
}

function redVerdict({ service, exitCode, failing = 0, tail }: CheckOutcome): string {
  const tests = `${count(failing, "test")} failing`;
  if (service !== undefined) {
    const what = service.address === "" ? "a service" : service.address;
    return `${failing > 0 ? tests : "it failed"} (exit ${exitCode}): ${what} could not be reached; ${service.known}. An agent cannot fix this.`;
  }
  const missing = missingModule(tail);
  if (failing > 0 && missing !== undefined)
    return `${tests} (exit ${exitCode}): ${stripControlCharacters(missing)}`;
  if (failing > 0) return `${tests}${packagesOf(tail)}: work for the loop (exit ${exitCode})`;
  if (exitCode === 126 || exitCode === 127) return `it cannot run (exit ${exitCode})`;
  return tail.trim() === ""
    ? `exit ${exitCode}, without any output`
    : `exit ${exitCode}; no test results were recognized in its output:`;
}

/** The tool that waits, as a command that ends, for `--check`. */
function onceInstead(check: string, tail: string): string {
  const tool = /vitest/i.test(tail)
    ? "npx vitest run"
    : /jest|Watch Usage/i.test(tail)
      ? "npx jest"
      : undefined;
  const once = oneShot(check, "npx") ?? tool;
  return once === undefined ? "" : `, for example --check ${shellWord(once)}`;
}
