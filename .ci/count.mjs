// Sums up the reports vitest left in a folder: node .ci/count.mjs FOLDER EXIT-CODE-OF-THE-TESTS
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, status] = process.argv.slice(2);
const reports = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
const sum = (key) => reports.reduce((all, report) => all + report[key], 0);

const passed = sum("numPassedTests");
const red = sum("numFailedTests");
// A lint error, or a test file that does not load, fails without a failed test; no tests at all is no success.
const failed = red === 0 && (status !== "0" || passed === 0) ? 1 : red;
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
