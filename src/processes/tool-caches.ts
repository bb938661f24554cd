import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";
import { entriesIn } from "./lenient-reads.ts";
import { programPath } from "./program-path.ts";

/**
 * The folders in which tools keep what they have fetched or built, below the home folder or where variables say. Other
 * projects install from them.
 */
export function cachesOf(environment: Environment, homes: readonly string[]): readonly string[] {
  const [home = ""] = homes;
  const named = cacheVariables.flatMap((name) => environment[name] ?? []);
  const xdg = environment["XDG_CACHE_HOME"] || join(home, ".cache");
  return [
    ...inCache.map((name) => join(xdg, name)),
    ...homes.flatMap((at) => inHome.map((name) => join(at, name))),
    ...cargoCaches(environment, home),
    join(goFolder(environment, home), "pkg"),
    // `PNPM_HOME` is often on PATH and then read-only, except for this folder.
    join(environment["PNPM_HOME"] || "/nowhere", "store"),
    ...named,
  ].filter(isAbsolute);
}

const inCache = [
  ...[
    "pip",
    "uv",
    "pypoetry",
    "pipenv",
    "virtualenv",
    "pdm",
    "hatch",
    "ruff",
    "mypy",
    "pre-commit",
    "huggingface/hub",
  ],
  ...[
    "npm",
    "yarn",
    "pnpm",
    "node",
    "node-gyp",
    "deno",
    "bun",
    "ms-playwright",
    "puppeteer",
    "Cypress",
    "electron",
  ],
  ...[
    "go-build",
    "golangci-lint",
    "gopls",
    "ccache",
    "sccache",
    "zig",
    "bazel",
    "bazelisk",
    "composer",
    "coursier",
  ],
  ...[
    "rebar3",
    "mix",
    "hex",
    "dotnet",
    "NuGet",
    "turbo",
    "torch",
    "prisma",
    "swiftpm",
    "clangd",
    "JetBrains/gradle",
  ],
];

const inHome = [
  ...[
    ".npm",
    ".yarn",
    ".pnpm-store",
    ".local/share/pnpm/store",
    ".bun/install/cache",
    ".node-gyp",
    ".cocoapods",
  ],
  ...[
    ".m2/repository",
    ".m2/wrapper",
    ".gradle",
    ".ivy2/cache",
    ".ivy2/local",
    ".sbt",
    ".nuget",
    ".local/share/NuGet",
  ],
  ...[
    ".composer/cache",
    ".bundle/cache",
    ".android/cache",
    ".android/build-cache",
    ".terraform.d/plugin-cache",
  ],
  ...[".hex", ".mix", ".cabal/packages", ".stack", ".pub-cache", ".konan", ".julia/packages", ".ccache"],
];

const cacheVariables = [
  ...[
    "npm_config_cache",
    "NPM_CONFIG_CACHE",
    "YARN_CACHE_FOLDER",
    "PIP_CACHE_DIR",
    "CCACHE_DIR",
    "SCCACHE_DIR",
  ],
  ...["UV_CACHE_DIR", "GOCACHE", "GOMODCACHE", "GRADLE_USER_HOME", "COREPACK_HOME", "ELECTRON_CACHE"],
  ...["DENO_DIR", "BUNDLE_PATH", "COMPOSER_CACHE_DIR", "NUGET_PACKAGES", "PLAYWRIGHT_BROWSERS_PATH"],
];

/** Docker images for Rust set the variable. */
const cargoCaches = ({ CARGO_HOME }: Environment, home: string) =>
  ["registry", "git"].map((name) => join(CARGO_HOME || join(home, ".cargo"), name));

/** The first folder of GOPATH, where Go keeps what it fetches. */
const goFolder = ({ GOPATH = "" }: Environment, home: string): string =>
  GOPATH.split(delimiter)[0] || join(home, "go");

/** Caches that the tools on PATH would create at their first use, and that a run keeps for its later programs. */
export function firstCaches(environment: Environment, homes: readonly string[]): readonly string[] {
  const isHere = (program: string) => programPath(program, environment["PATH"]) !== program;
  const [home = ""] = homes;
  return [
    ...Object.entries(cachesByProgram).map(
      ([program, names]) => [program, names.map((name) => join(home, name))] as const,
    ),
    ["java", homes.flatMap((at) => javaFirst.map((name) => join(at, name)))] as const,
    ["cargo", cargoCaches(environment, home)] as const,
    ["pnpm", environment["PNPM_HOME"] ? [join(environment["PNPM_HOME"], "store")] : []] as const,
    ["go", [join(goFolder(environment, home), "pkg")]] as const,
  ].flatMap(([program, paths]) => (isHere(program) ? paths : []));
}

/** Maven and Gradle often come with the checkout, as a wrapper, and then need only Java. */
const javaFirst = [".m2/repository", ".m2/wrapper", ".gradle"];

const cachesByProgram: Readonly<Record<string, readonly string[]>> = {
  bash: [".cache"],
  npm: [".npm"],
  pnpm: [".local/share/pnpm/store"],
  dotnet: [".nuget"],
};

/** Files and folders in caches that a tool runs at each start, in any folder, and the addresses of daemons. */
export function startupFiles(environment: Environment, homes: readonly string[]): readonly string[] {
  const [home = ""] = homes;
  const gradle = [...homes.map((at) => join(at, ".gradle")), environment["GRADLE_USER_HOME"] ?? ""];
  const ofGradle = ["init.d", "init.gradle", "init.gradle.kts", "gradle.properties", "daemon"];
  const ofSbt = ["1.0/plugins", "1.0/global.sbt", "1.0/server", "0.13/plugins", "0.13/global.sbt"];
  return [
    ...gradle.flatMap((folder) => ofGradle.map((name) => join(folder, name))),
    ...homes.flatMap((at) => ofSbt.map((name) => join(at, ".sbt", name))),
    ...[".nuget/plugins", ".nuget/NuGet/NuGet.Config"].map((name) => join(home, name)),
    join(environment["COREPACK_HOME"] ?? join(home, ".cache/node/corepack"), "lastKnownGood.json"),
  ].filter(isAbsolute);
}

/** Tools in caches that are started without being checked again. New ones can still be added. */
export function installedTools(homes: readonly string[]): readonly string[] {
  const below = (folder: string, depth: number): readonly string[] =>
    depth === 0
      ? [folder]
      : entriesIn(folder)
          .filter((entry) => entry.isDirectory())
          .flatMap(({ name }) => below(join(folder, name), depth - 1));
  return homes.flatMap((home) =>
    Object.entries(toolFolders).flatMap(([name, depth]) => below(join(home, name), depth)),
  );
}

/** How many levels below it the folder of each tool is. */
const toolFolders: Readonly<Record<string, number>> = {
  ".cache/node/corepack/v1": 2,
  ".gradle/wrapper/dists": 3,
  ".m2/wrapper/dists": 2,
  ".cache/pre-commit": 1,
  ".cache/bazelisk/downloads": 2,
  "go/pkg/mod/golang.org": 1,
};
