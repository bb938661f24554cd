// Counts the tests in vitest's reports: node .ci/count.mjs FOLDER EXIT-CODE-OF-THE-TESTS
// The reports of test command number N are in FOLDER/N; those of its failed files, which ran again, in FOLDER/N.again.
//
//   node .ci/count.mjs --failed FOLDER/N   prints the files that failed; none if vitest crashed. Exits with 1 if more
//                                          than five failed, or if there is no report
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const mostAgain = 5;

/** The results of a command's test files, by file; none if its tests never started. */
function resultsIn(folder) {
  if (!existsSync(folder)) return new Map();
  const reports = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
  return new Map(reports.flatMap(({ testResults }) => testResults.map((file) => [file.name, file])));
}

const count = (files, status) => testsOf(files).filter((test) => test.status === status).length;
const testsOf = (files) => files.flatMap((file) => file.assertionResults);

/** The failed tests of a file, or the file itself if none of its tests could run. */
function failuresOf(file) {
  if (file.status !== "failed") return [];
  const tests = file.assertionResults.filter((test) => test.status === "failed");
  if (tests.length === 0) return [`${file.name}\n    ${firstLines(file.message ?? "")}`];
  return tests.map(
    (test) => `${file.name}: ${test.fullName}\n    ${firstLines(test.failureMessages.join("\n"))}`,
  );
}

/** The message, without the frames of the stack. */
const firstLines = (text) => {
  const lines = stripVTControlCharacters(text).split("\n");
  return lines
    .filter((line) => !/^\s+at /.test(line))
    .slice(0, 12)
    .join("\n    ")
    .slice(0, 2_000);
};

function printFailed(folder) {
  const results = [...resultsIn(folder).values()];
  const failed = results.filter(({ status }) => status === "failed");
  process.stdout.write(failed.map(({ name }) => `${name}\n`).join(""));
  process.exitCode = results.length === 0 || failed.length > mostAgain ? 1 : 0;
}

function printSum(folder, exitCode) {
  const steps = readdirSync(folder).filter((name) => !name.endsWith(".again"));
  const first = new Map(steps.flatMap((step) => [...resultsIn(join(folder, step))]));
  const again = new Map(steps.flatMap((step) => [...resultsIn(join(folder, `${step}.again`))]));
  const final = [...new Map([...first, ...again]).values()];
  const unsteady = [...first.values()].filter(({ name }) => passedAgain(again.get(name)));
  list("Failed, then passed when run again:", unsteady);
  list("Failed:", final);

  const passed = count(final, "passed");
  const red = count(final, "failed");
  // A lint error, or a test file that does not load, fails without a failed test; no tests at all is no success.
  const failed = red === 0 && (exitCode !== "0" || passed === 0) ? 1 : red;
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}

const passedAgain = (file) => file !== undefined && file.status !== "failed";

function list(title, files) {
  const lines = files.flatMap(failuresOf);
  if (lines.length > 0) process.stdout.write(`${title}\n${lines.map((line) => `  ${line}\n`).join("")}`);
}

const [first, second] = process.argv.slice(2);
if (first === "--failed") printFailed(second);
else printSum(first, second);
