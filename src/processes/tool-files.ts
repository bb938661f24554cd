import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";
import { homesOf } from "./home-folders.ts";
import { attempt, entriesIn, namesIn } from "./lenient-reads.ts";

/** Files and folders in caches that a tool runs at each start, in any folder; they may not exist. */
export function startupFiles(environment: Environment): readonly string[] {
  const home = environment["HOME"] ?? homedir();
  const homes = homesOf(environment);
  const gradle = [...homes.map((at) => join(at, ".gradle")), environment["GRADLE_USER_HOME"] ?? ""];
  const scripts = ["init.d", "init.gradle", "init.gradle.kts", "gradle.properties"];
  const sbt = ["1.0/plugins", "1.0/global.sbt", "0.13/plugins", "0.13/global.sbt"];
  return [
    ...gradle.flatMap((folder) => scripts.map((name) => join(folder, name))),
    ...homes.flatMap((at) => sbt.map((name) => join(at, ".sbt", name))),
    ...[".nuget/plugins", ".nuget/NuGet/NuGet.Config"].map((name) => join(home, name)),
    ...foldersIn(join(home, ".gem/ruby")).map((name) => join(home, ".gem/ruby", name, "plugins")),
    join(environment["COREPACK_HOME"] ?? join(home, ".cache/node/corepack"), "lastKnownGood.json"),
    ...startedByShells(environment, join(home, ".cache")),
  ].filter((path) => isAbsolute(path));
}

/** Files in a cache that shells and editors run when they start. */
function startedByShells({ USER, LOGNAME }: Environment, cache: string): readonly string[] {
  const own = [USER, LOGNAME].flatMap((name) =>
    name ? [`p10k-instant-prompt-${name}.zsh`, `p10k-dump-${name}.zsh`] : [],
  );
  const caches = namesIn(cache).filter((name) => name.startsWith("p10k-"));
  const names = ["zsh", "prezto", "oh-my-zsh", "antidote", "gitstatus", "nvim/luac", ...own, ...caches];
  return [...new Set(names)].map((name) => join(cache, name));
}

/** Tools that other programs installed in caches and start without checking them again. New ones can still be added. */
export function installedTools(home: string, go: string): readonly string[] {
  const below = (folder: string, depth: number): readonly string[] =>
    depth === 0 ? [folder] : foldersIn(folder).flatMap((name) => below(join(folder, name), depth - 1));
  return Object.entries(toolFolders)
    .flatMap(([name, depth]) => below(join(home, name), depth))
    .concat(below(join(go, "pkg/mod/golang.org"), 1))
    .slice(0, 64);
}

/** How many levels below it the folder of each tool is. */
const toolFolders: Readonly<Record<string, number>> = {
  ".local/share/uv/python": 1,
  ".local/share/uv/tools": 1,
  ".cache/node/corepack/v1": 2,
  ".local/share/pnpm/.tools": 2,
  ".gradle/wrapper/dists": 3,
  ".m2/wrapper/dists": 2,
  ".cache/pre-commit": 1,
  ".cache/bazelisk/downloads": 2,
};

/** The agents that the action installed, for later runs too. Created now, so that no program can create it first. */
export function installedAgents({ RUNNER_TOOL_CACHE = "" }: Environment): readonly string[] {
  if (!isAbsolute(RUNNER_TOOL_CACHE)) return [];
  const folder = join(RUNNER_TOOL_CACHE, "until-green");
  attempt(() => mkdirSync(folder));
  return existsSync(folder) ? [folder] : [];
}

const foldersIn = (folder: string): readonly string[] =>
  entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Folders in which daemons of build tools record their address: one outside the sandbox would build outside it. */
export function daemonFolders(environment: Environment): readonly string[] {
  const homes = homesOf(environment);
  const gradle = [...homes.map((home) => join(home, ".gradle")), environment["GRADLE_USER_HOME"] ?? ""];
  return [
    ...gradle.map((folder) => join(folder, "daemon")),
    ...homes.map((home) => join(home, ".sbt/1.0/server")),
  ].filter((path) => isAbsolute(path) && existsSync(path));
}
