import { existsSync, mkdirSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";
import { programPath } from "./program-path.ts";

/** Creates the caches that this machine's tools would create at their first use: in the sandbox they cannot. */
export function makeMissingCaches(environment: Environment, homes: readonly string[]): void {
  const isHere = (program: string) => programPath(program, environment["PATH"]) !== program;
  const [home = ""] = homes;
  const folders = [
    ...(existsSync(home) ? ownCaches(environment, home) : []),
    ...homes
      .filter((at) => existsSync(at))
      .map((at) => ["java", javaFirst.map((name) => join(at, name))] as const),
  ];
  for (const [program, paths] of folders) if (isHere(program)) for (const path of paths) makeIfMissing(path);
}

/** By the program that uses them. */
const ownCaches = (
  environment: Environment,
  home: string,
): readonly (readonly [string, readonly string[]])[] => [
  ...Object.entries(cachesByProgram).map(
    ([program, names]) => [program, names.map((name) => join(home, name))] as const,
  ),
  ["cargo", cargoCaches(environment, home)],
  ["pnpm", environment["PNPM_HOME"] ? [join(environment["PNPM_HOME"], "store")] : []],
  ["go", [join(goFolder(environment, home), "pkg")]],
];

/** Maven and Gradle often come with the checkout, as a wrapper, and then need only Java. */
const javaFirst = [".m2/repository", ".m2/wrapper", ".gradle"];

const cachesByProgram: Readonly<Record<string, readonly string[]>> = {
  bash: [".cache"],
  npm: [".npm"],
  pnpm: [".local/share/pnpm/store"],
  dotnet: [".nuget"],
};

/** The folders in which tools keep what they have fetched or built. */
export function cachesOf(environment: Environment, home: string): readonly string[] {
  const named = cacheVariables.flatMap((name) => environment[name] ?? []);
  const own = [
    ...cargoCaches(environment, home),
    join(goFolder(environment, home), "pkg"),
    // `PNPM_HOME` is often on PATH and then read-only, except for this folder.
    join(environment["PNPM_HOME"] ?? "", "store"),
  ];
  return [...cacheFolders.map((folder) => join(home, folder)), ...own, ...named].filter(isAbsolute);
}

/** Java programs find these without `HOME`. */
export const javaCaches = (home: string): readonly string[] =>
  [...javaFirst, ".ivy2", ".sbt"].map((folder) => join(home, folder));

const cacheFolders = [
  ...[
    ".cache",
    ".npm",
    ".yarn",
    ".pnpm-store",
    ".local/share/pnpm",
    ".local/share/pnpm/store",
    ".bun/install/cache",
  ],
  ...[".nuget", ".local/share/NuGet", ".composer/cache", ".bundle/cache", ".gem", ".local/share/uv"],
  ...[".android", ".terraform.d/plugin-cache"],
];

const cacheVariables = [
  ...["XDG_CACHE_HOME", "npm_config_cache", "NPM_CONFIG_CACHE", "YARN_CACHE_FOLDER", "PIP_CACHE_DIR"],
  ...["UV_CACHE_DIR", "GOCACHE", "GOMODCACHE", "GRADLE_USER_HOME"],
  ...["DENO_DIR", "BUNDLE_PATH", "COMPOSER_CACHE_DIR", "NUGET_PACKAGES", "PLAYWRIGHT_BROWSERS_PATH"],
];

/** Docker images for Rust set the variable. */
const cargoCaches = ({ CARGO_HOME }: Environment, home: string) =>
  ["registry", "git"].map((name) => join(CARGO_HOME || join(home, ".cargo"), name));

/** The first folder of GOPATH, where Go keeps what it fetches. */
export const goFolder = ({ GOPATH = "" }: Environment, home: string): string =>
  GOPATH.split(delimiter)[0] || join(home, "go");

/** Creates a folder if possible. */
export function makeIfMissing(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch {
    // It stays missing.
  }
}
