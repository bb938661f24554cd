/**
 * `npm run mutation [-- FOLDER...]`: mutates the code of a folder and runs the tests that cover each place. A mutant
 * that no test notices has survived. Prints the share of noticed ones by folder, and fails below the goal of 85 %. A
 * folder of 500 lines takes about twenty minutes on two cores.
 *
 * Only unit and contract tests run: tests that start whole programs do not see mutants. Stryker does not get
 * `tsconfig.json`, whose paths it would rewrite: TypeScript 7 has no API for that.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { argv, execPath, exit } from "node:process";

const goal = 0.85;
const tool = "tools/mutation/node_modules/@stryker-mutator/core/bin/stryker.js";
const usual = [
  "src/decisions",
  "src/stops",
  "src/engine",
  "src/runner",
  "src/stores",
  "src/key-proxy",
  "action/publish",
];

if (!existsSync(tool)) {
  console.error("Stryker is not installed. Install it with: npm ci --prefix tools/mutation");
  exit(1);
}
const folders = argv.length > 2 ? argv.slice(2) : usual;
const rows = folders.map((folder) => ({ folder, ...mutate(folder) }));
console.table(rows);
if (rows.some(({ share }) => share < goal)) exit(1);

/** Every mutant of one folder; lists survivors on stdout. */
function mutate(folder: string) {
  const { status } = spawnSync(
    execPath,
    [tool, "run", "tools/mutation/stryker.config.json", "--mutate", `${folder}/**/*.ts`],
    { stdio: "inherit" },
  );
  if (status !== 0) throw new Error(`Stryker failed in ${folder} with exit code ${status}.`);
  const { files } = JSON.parse(readFileSync("reports/mutation.json", "utf8")) as Report;
  const all = Object.values(files).flatMap(({ mutants }) => mutants.map((mutant) => mutant.status));
  const count = (...wanted: string[]) => all.filter((one) => wanted.includes(one)).length;
  const noticed = count("Killed", "Timeout");
  const survived = count("Survived", "NoCoverage");
  return { noticed, survived, share: Number((noticed / (noticed + survived)).toFixed(3)) };
}

/** The fields of Stryker's report that are read: https://github.com/stryker-mutator/mutation-testing-elements */
interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}
