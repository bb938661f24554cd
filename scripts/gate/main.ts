/**
 * Decides whether a change may land: `bash .ci/run` installs what is missing, then starts this.
 *
 *   node scripts/gate/main.ts [gate | shard N/M | nightly] [--sample SEED|all] [--base COMMIT] [--seed N]
 *
 * A failed file runs again, alone; if it fails twice, it runs on the base commit. See .github/decisions/0034-the-gate.md. @module
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { argv, env, exit, stdout } from "node:process";
import { parseArgs } from "node:util";
import { isInstalled } from "../../test/real-agents/agent-clis.ts";
import { reportsFolder } from "./durations.ts";
import { readQuarantine } from "./quarantine.ts";
import { type FileReport, readReports } from "./reports.ts";
import { baseOf, sampleFor } from "./sample.ts";
import { judge } from "./verdict.ts";

/** If more files fail, the cause is in the change, and running them again would only take time. */
const mostAgain = 20;

const root = resolve(import.meta.dirname, "../..");
const { values, positionals } = parseArgs({
  args: argv.slice(2),
  options: { sample: { type: "string" }, base: { type: "string" }, seed: { type: "string" } },
  allowPositionals: true,
});
const [mode = "gate", part] = positionals;
if (!["gate", "shard", "nightly"].includes(mode) || (mode === "shard") !== /^\d+\/\d+$/.test(part ?? ""))
  throw new Error(
    "usage: .ci/run [gate | shard N/M | nightly | api] [--sample SEED|all] [--base COMMIT] [--seed N]",
  );

const base = baseOf(values.base ?? env["UNTIL_GREEN_BASE"]);
const sample = values.sample ?? (mode === "nightly" ? "all" : sampleFor(base));

// The same seed for each change, so that none is refused by chance; another one each night.
const head = Number.parseInt(sampleFor(undefined).slice(0, 6), 16);
const seed = values.seed ?? `${mode === "nightly" ? head : 1}`;
say(`${mode}: compared with ${base ?? "no commit"}; again with --sample ${sample} --seed ${seed}`);

const shard = part === undefined ? [] : [`--shard=${part}`];
const projects = [
  "long",
  "forgeries",
  ...optional("agents", isInstalled()),
  ...optional("api", existsSync(join(root, "tools/openapi/node_modules"))),
];
if (mode === "nightly") projects.push("nightly");
const steps: readonly (readonly string[])[] = [
  ["npm", "test", ...(shard.length === 0 ? [] : ["--", ...shard])],
  ["npx", "vitest", "run", ...projects.flatMap((name) => ["--project", name]), ...shard],
];

rmSync(reportsFolder, { recursive: true, force: true });
mkdirSync(reportsFolder, { recursive: true });
const errors = steps.flatMap((step, at) => play(step, `${at + 1}`));
const first = reportsOf(steps.map((_, at) => `${at + 1}`));
const failed = failedOf(first);
const again = failed.length <= mostAgain ? runAlone(failed, "again", root) : new Map<string, FileReport>();
const twice = failedOf(again);
const onBase =
  base === undefined || twice.length === 0 ? new Map<string, FileReport>() : playOnBase(base, twice);
const quarantine = readQuarantine("test/quarantine.json", new Date());
const { isGreen, text } = judge({
  first,
  again,
  onBase,
  errors: [...errors, ...quarantine.errors],
  isQuarantined: (file, test) =>
    quarantine.entries.some((entry) => entry.file === file && test.includes(entry.test)),
});
if (isGreen) writeFileSync(join(reportsFolder, "green"), "");
stdout.write(text);
exit(isGreen ? 0 : 1);

/** Runs a step, twice if vitest crashed. Returns an error if it failed without a failed test, as lint does. */
function play(step: readonly string[], name: string): readonly string[] {
  if (run(step, name, root) === 0) return [];
  if (failedOf(reportsOf([name])).length > 0) return [];
  const hasStarted = existsSync(join(reportsFolder, name));
  if (hasStarted) say("vitest crashed: running this step again");
  if (hasStarted && run(step, name, root) === 0) return [];
  return failedOf(reportsOf([name])).length > 0 ? [] : [`${step.join(" ")} failed without a failed test`];
}

function runAlone(files: readonly string[], name: string, cwd: string): ReadonlyMap<string, FileReport> {
  for (const file of files) run(["npx", "vitest", "run", "--maxWorkers=1", file], name, cwd);
  return readReports(join(reportsFolder, name), cwd);
}

function playOnBase(commit: string, files: readonly string[]): ReadonlyMap<string, FileReport> {
  const folder = join(root, ".until-green/base");
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: root, stdio: "inherit" });
  rmSync(folder, { recursive: true, force: true });
  git("worktree", "prune");
  git("worktree", "add", "--quiet", "--force", "--detach", folder, commit);
  try {
    const lock = "package-lock.json";
    if (readFileSync(join(root, lock)).equals(readFileSync(join(folder, lock))))
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    else execFileSync("npm", ["ci"], { cwd: folder, stdio: "inherit" });
    return runAlone(
      files.filter((file) => existsSync(join(folder, file))),
      "base",
      folder,
    );
  } finally {
    git("worktree", "remove", "--force", folder);
  }
}

function run([program = "", ...args]: readonly string[], name: string, cwd: string): number {
  const variables = {
    ...env,
    UNTIL_GREEN_TEST_REPORT: join(reportsFolder, name),
    UNTIL_GREEN_SAMPLE: sample,
    UNTIL_GREEN_SEED: seed,
  };
  return spawnSync(program, args, { cwd, env: variables, stdio: "inherit" }).status ?? 1;
}

function reportsOf(names: readonly string[]): ReadonlyMap<string, FileReport> {
  return new Map(names.flatMap((name) => [...readReports(join(reportsFolder, name), root)]));
}

function failedOf(files: ReadonlyMap<string, FileReport>): readonly string[] {
  return [...files.values()].filter(({ status }) => status === "failed").map(({ name }) => name);
}

/** The project, if what its tests need is installed. */
function optional(project: string, isThere: boolean): readonly string[] {
  if (!isThere) say(`skipped the tests of ${project}: what they need is not installed`);
  return isThere ? [project] : [];
}

function say(text: string): void {
  stdout.write(`${text}\n`);
}
