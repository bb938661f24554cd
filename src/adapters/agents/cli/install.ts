import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { arch, execPath, platform } from "node:process";
import { AgentError } from "../../../ports/agent.ts";
import { agentEnvironment, type Environment } from "../../environment.ts";
import { runProcess } from "../../process.ts";
import type { Program } from "./cli.ts";
import { lookFor } from "./program.ts";
import { testedVersions } from "./versions.ts";

export interface Installing {
  /** The variables to find programs in. */
  readonly environment: Environment;
  /** Where agents are kept; what is there already is not installed again. */
  readonly folder: string;
  /** The version wanted, exactly; without one any that is here will do. */
  readonly version?: string | undefined;
  /** Where npm is looked for besides the PATH; beside the Node that runs us unless told. */
  readonly npmBeside?: string;
  /** Tells people what takes its time. */
  say(text: string): void;
}

/**
 * Sees that an agent's program is here: answers the folder it was installed in, or `undefined` where the PATH has it.
 * Of the package no script is run. Throws an `AgentError` that says what to do.
 */
export async function installProgram(program: Program, installing: Installing): Promise<string | undefined> {
  const { environment, folder, version: wanted, say } = installing;
  const here = lookFor(program, { environment });
  if (here !== undefined && (wanted === undefined || here.version === wanted)) return undefined;
  const version = wanted ?? testedVersions[program.package];
  if (version === undefined) return undefined;
  const home = join(folder, `${program.name}-${version}-${platform}-${arch}`);
  if (isThere(program, home, version)) return home;
  say(`Installing ${program.name} ${version} (${program.package})`);
  await mkdir(folder, { recursive: true });
  // Beside its place: it is there whole, or not at all.
  const draft = await mkdtemp(join(folder, `.${program.name}-`));
  try {
    await install({ program, version, draft }, installing);
    await rm(home, { recursive: true, force: true });
    await rename(draft, home).catch((error: unknown) => {
      // Another job on this machine was first.
      if (!isThere(program, home, version)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return home;
}

const isThere = (program: Program, home: string, version: string): boolean =>
  lookFor(program, { environment: {}, installed: home })?.version === version;

interface Draft {
  readonly program: Program;
  readonly version: string;
  readonly draft: string;
}

async function install(
  { program, version, draft }: Draft,
  { environment, npmBeside }: Installing,
): Promise<void> {
  const { package: name } = program;
  // Not in the checkout: what its .npmrc says does not count.
  const dependencies = { [name]: version };
  await writeFile(join(draft, "package.json"), JSON.stringify({ private: true, dependencies }));
  const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  const end = await runProcess({
    command: npmIn(environment, npmBeside) ?? noNpm(program),
    args: ["install", "--ignore-scripts", ...quiet],
    cwd: draft,
    env: agentEnvironment(environment, {}),
    timeoutMs: mostMs,
    signal: new AbortController().signal,
  });
  if (end.how !== "exited" || end.exitCode !== 0)
    throw new AgentError(
      "missing",
      `${name}@${version} could not be installed: ${reasonOf(end.tail) || (end.fault?.message ?? end.how)}. ` +
        `See that the npm registry is reached and has this version, or install ${program.name} in a step before this one`,
    );
  if (!isThere(program, draft, version))
    throw new AgentError(
      "missing",
      `${name}@${version} was installed, but holds no program ${program.name} for ${platform}-${arch} in that version: ask for another version, or choose another agent`,
    );
}

const mostMs = 5 * 60_000;

/** npm on the PATH, or the one that came with the Node that runs us. */
const npmIn = ({ PATH = "" }: Environment, beside = dirname(execPath)): string | undefined =>
  [...PATH.split(delimiter).filter(isAbsolute), beside]
    .map((folder) => join(folder, "npm"))
    .find((file) => existsSync(file));

function noNpm({ name, package: wanted }: Program): never {
  throw new AgentError(
    "missing",
    `${name} is not installed, and there is no npm to install it with: add a step with actions/setup-node before this one, or one that installs ${wanted}`,
  );
}

const reasonOf = (said: string) =>
  said
    .split("\n")
    .filter((line) => line.trim() !== "" && !/complete log of this run|^npm error A complete/.test(line))
    .slice(0, 4)
    .map((line) => line.replace(/^npm error /, ""))
    .join("; ")
    .slice(0, 600);
