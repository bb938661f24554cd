import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { docs } from "../plan/docs.ts";
import { makeFolder } from "../processes/make-folder.ts";
import { writeNewFile } from "../processes/replace-file.ts";
import { shellWord } from "../processes/shell-word.ts";
import { findRepository, whyNoRepository } from "../workspace/workspace.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { ask, choose } from "./init/choose.ts";
import { openFolder, type Project } from "./init/folder.ts";
import { jobNamed, listJobs, stepsOf } from "./init/job-catalogue.ts";
import { projectFor } from "./init/job-check.ts";
import type { Job } from "./init/jobs.ts";
import { findProject, findProjectsBelow } from "./init/project.ts";
import { checkOf, loopFile, loopOf, type Starter, workflowFile, workflowOf } from "./init/starter.ts";
import { tryCheck } from "./init/try-check.ts";
import { notWritten } from "./not-written.ts";
import type { CommonOptions } from "./options.ts";
import { say } from "./print.ts";

interface InitOptions extends CommonOptions {
  /** The project's folder in a repository with several projects. */
  readonly dir?: string;
  /** The command that runs the tests, if it is not recognized. */
  readonly check?: string;
  /** The job of the catalogue to write; `true` to list them. */
  readonly job?: string | true;
  /** Whether to run the check once; default true. */
  readonly tryCheck?: boolean;
}

/** `until-green init`: writes a loop for the project, and the GitHub workflow that runs it. */
export async function initCommand(options: InitOptions): Promise<ExitCode> {
  if (options.job === true) return listJobs();
  const job = options.job === undefined ? undefined : jobNamed(options.job);
  const tell = options.quiet ? () => undefined : say;
  // Git reports the top of a repository with links resolved.
  const cwd = realpathSync(resolve(options.cwd ?? "."));
  const top = (await findRepository(cwd))?.top;
  if (top === undefined) tell(`${await whyNoRepository(cwd)}; a loop needs one\n`);
  const root = top ?? cwd;
  const wanted = resolve(cwd, options.dir ?? ".");
  if (!existsSync(wanted)) throw new UsageError(`--dir ${options.dir}: there is no such folder`);
  if (top !== undefined) await refuseOtherRepository(wanted, { top, cwd });
  const { dir, project: found } = await projectIn(root, realpathSync(wanted), options);
  const project =
    options.check === undefined ? projectFor(job, found, openFolder(join(root, dir), root)) : found;
  tell(
    `${project.tool === "" ? "your check" : `found ${project.tool}`}${dir === "" ? "" : ` in ${dir}`}: ${project.check}\n`,
  );
  const starter: Starter = { name: nameFor(root, { dir, project }, job?.name), dir, project };
  tell(writeStarter(root, starter, job));
  if (project.note !== undefined) tell(`note: ${project.note}\n`);
  const isReady =
    options.tryCheck === false || (await tryCheck(checkOf(starter), { cwd: root, dir, project }));
  const place = { root, cwd, isRepository: top !== undefined, given: options.cwd, isReady };
  tell(nextSteps(starter, place, job));
  return exit.ok;
}

/** A loop sees no changes in a submodule, or in another repository. */
async function refuseOtherRepository(
  folder: string,
  { top, cwd }: { readonly top: string; readonly cwd: string },
): Promise<void> {
  const own = (await findRepository(realpathSync(folder)))?.top;
  if (own === undefined || own === top) return;
  const there = shellWord(relative(cwd, own));
  throw new UsageError(
    `${relative(top, own)} is another repository, such as a submodule: a loop here cannot change its files; write the loop there: until-green init --cwd ${there}`,
  );
}

/** Writes missing files and reports what it did. */
function writeStarter(root: string, starter: Starter, job?: Job): string {
  const loop = `.github/loops/${starter.name}.yml`;
  const workflow = `.github/workflows/${starter.name}.yml`;
  if (existsSync(join(root, loop)))
    throw new UsageError(
      `${loop} already exists; nothing was changed. Run it with until-green run ${starter.name}, or delete it and start again`,
    );
  write(join(root, loop), job === undefined ? loopFile(starter) : loopOf(job, starter));
  if (existsSync(join(root, workflow))) return `wrote ${loop}\nkept  ${workflow}, which already exists\n`;
  write(join(root, workflow), job === undefined ? workflowFile(starter) : workflowOf(job, starter));
  return `wrote ${loop}\nwrote ${workflow}\n`;
}

interface ProjectFolder {
  /** Relative to the top of the repository. */
  readonly dir: string;
  readonly project: Project;
}

/** The project to write for: the one in the folder, else the only one below it, else one chosen by the person. */
async function projectIn(root: string, folder: string, options: InitOptions): Promise<ProjectFolder> {
  const from = (path: string) => relative(root, path).replaceAll("\\", "/");
  const here = findProject(folder, root);
  const below = here === undefined && options.check === undefined ? findProjectsBelow(folder) : [];
  const isBare = here === undefined && below.length === 0;
  const check = options.check ?? (isBare ? await ask("Which command runs your tests? ") : undefined);
  if (check !== undefined) return { dir: from(folder), project: { ...(here ?? bare), check } };
  if (here !== undefined) return { dir: from(folder), project: here };
  if (isBare) throw new UsageError(nothingFound(folder));
  const dir = below.length === 1 ? below[0] : await choose("Which project?", below);
  if (dir === undefined)
    throw new UsageError(
      `several projects are here: ${below.join(", ")}; name one: until-green init --dir ${join(options.dir ?? "", below[0] ?? "")}`,
    );
  const path = join(folder, dir);
  return { dir: from(path), project: findProject(path, root) ?? { ...bare, check: "" } };
}

const bare: Omit<Project, "check"> = {
  tool: "",
  install: undefined,
  setup: [],
};

/** The project files found in a folder, and the missing ones. */
const nearly: readonly (readonly [file: string, problem: string])[] = [
  ["package.json", "has no script `test`"],
  ["composer.json", "names neither PHPUnit nor Pest"],
  ["CMakeLists.txt", "has no `enable_testing()`"],
  ["Makefile", "has no target `test` or `check`"],
];

function nothingFound(folder: string): string {
  const { has, folders } = openFolder(folder);
  const problems = [
    ...nearly.filter(([file]) => has(file)).map(([file, problem]) => `${file} ${problem}`),
    ...folders("")
      .filter((name) => has(join(name, ".git")))
      .map((name) => `${name} is another repository, such as a submodule`),
  ];
  const why = problems.length === 0 ? "" : ` (${problems.join("; ")})`;
  return `no tests were found in ${folder}${why}. Give the command that runs them, for example --check 'make test', or their folder, for example --dir packages/api. Recognized tools: ${docs}/getting-started.md#in-your-project`;
}

/** Named after the project's folder, or after its whole path if that name is taken by another folder's loop. */
function nameFor(root: string, { dir, project }: ProjectFolder, job = "fix-tests"): string {
  const nameOf = (folder: string) => [job, ...(folder.toLowerCase().match(/[a-z0-9]+/g) ?? [])].join("-");
  const short = nameOf(basename(dir));
  const loop = openFolder(root).read(`.github/loops/${short}.yml`);
  const isOther = loop !== "" && !loop.includes(JSON.stringify(checkOf({ dir, project })).slice(1, -1));
  return isOther ? nameOf(dir) : short;
}

function write(path: string, text: string): void {
  try {
    makeFolder(dirname(path));
    writeNewFile(path, text);
  } catch (error) {
    throw notWritten(path, error);
  }
}

interface InitFolder {
  readonly root: string;
  readonly cwd: string;
  readonly isRepository: boolean;
  /** The folder as `--cwd` named it; the shell may be in another one. */
  readonly given: string | undefined;
  /** False if the check was tried, and cannot run yet. */
  readonly isReady: boolean;
}

function nextSteps({ name }: Starter, place: InitFolder, job?: Job): string {
  const { root, cwd, isRepository, given, isReady } = place;
  const top = given === undefined ? relative(cwd, root) : root;
  const where = given === undefined ? "" : ` --cwd ${shellWord(root)}`;
  const steps = [
    ...(isRepository ? [] : ["Create a repository: git init && git add --all && git commit -m start"]),
    ...(top === "" ? [] : [`Go to the top of the repository: cd ${shellWord(top)}`]),
    ...(isReady ? [] : [`Make the check run: it is \`until_bash\` in .github/loops/${name}.yml`]),
    `${isReady ? "Try it here" : "Then start the loop"}: until-green run ${name}${where} --agent claude`,
    ...(job === undefined ? usualSteps(name) : stepsOf(job, name)),
  ];
  return `\nnext:\n${steps.map((step) => `  ${step}\n`).join("")}`;
}

const usualSteps = (name: string): readonly string[] => [
  "In GitHub, allow Actions to create pull requests (Settings → Actions → General), then:",
  "    claude setup-token",
  "    gh secret set CLAUDE_CODE_OAUTH_TOKEN",
  `    git add .github && git commit -m "Add ${name}" && git push`,
  `    gh workflow run ${name}.yml`,
  "Without a key, Copilot can do it with the token of the job: until-green init --job no-key",
];
