import { mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { namesIn } from "../processes/lenient-reads.ts";
import { makeTempFolder, ownFolder, storageFolder } from "../processes/temp-folder.ts";

/**
 * Notes, before an agent starts, which files tools would read above a fresh clone; returns a function that makes a
 * folder for one. Many tools look for their settings in all folders above the one that they work in. Without
 * walls, an agent can write to the parents of every place for a clone, so the first one without such files is taken. Throws
 * if all have some, and new ones are among them.
 */
export function watchCloneFolders(
  places: readonly string[] = [storageFolder(), "/var/tmp", "/dev/shm"],
): () => string {
  const before = new Set(places.flatMap(settingsAbove));
  return () => {
    const all = places.map((place) => ({ place, found: settingsAbove(place) }));
    const free =
      all.find(({ found }) => found.length === 0) ??
      all.find(({ found }) => found.every((path) => before.has(path)));
    if (free === undefined) {
      const planted = all.flatMap(({ found }) => found.filter((path) => !before.has(path)));
      throw new Error(
        `no folder for a fresh clone: tools would read ${planted.slice(0, 5).join(", ")}, which appeared during the run; remove these files, then resume the run`,
      );
    }
    return realpathSync(makeTempFolder("clone", free.place));
  };
}

/**
 * A folder that becomes a clone's once it is complete. No program of the run can reach it: in the clone's own place, a
 * program that is still running could put links in the way of what we write.
 */
export function draftFor(root: string): string {
  const own = ownFolder();
  const place = statSync(own).dev === statSync(root).dev ? own : dirname(root);
  const draft = makeTempFolder("draft", place);
  for (const name of ["home", "tmp"]) mkdirSync(join(draft, name));
  return draft;
}

/** The files in a folder, or above it, that a tool might read as its settings or packages. */
function settingsAbove(place: string): readonly string[] {
  const found: string[] = [];
  for (let at = place; ; at = dirname(at)) {
    for (const name of namesIn(at)) if (isSetting.test(name)) found.push(join(at, name));
    if (dirname(at) === at) return found;
  }
}

const isSetting = new RegExp(
  `^(?:${[
    "node_modules|package\\.(?:json|json5|yaml)|pnpm-workspace\\.yaml|\\.pnpmfile\\.cjs|lerna\\.json|nx\\.json|turbo\\.jsonc?|deno\\.jsonc?|bunfig\\.toml",
    "[jt]sconfig.*\\.json|(?:vite|vitest|jest|ava|playwright|cypress|karma|babel|postcss|eslint|prettier|stylelint|biome|nyc|wdio|metro|webpack)[.-].*",
    "pytest\\.(?:ini|toml)|py(?:project\\.toml|venv\\.cfg)|setup\\.(?:cfg|py)|tox\\.(?:ini|toml)|conftest\\.py|noxfile\\.py|uv\\.toml|ruff\\.toml|mypy\\.ini|Pipfile|poetry\\.toml|(?:sit|us)e?rcustomize\\.py",
    "[cC]argo\\.(?:toml|lock)|rust-toolchain.*|clippy\\.toml|rustfmt\\.toml|go\\.(?:mod|work)|vendor",
    "Gemfile.*|gems\\.rb|[rR]akefile.*|composer\\.json|phpunit.*\\.xml.*|mix\\.exs",
    "pom\\.xml|(?:settings|build|init)\\.gradle.*|gradle\\.properties|buildSrc|build\\.sbt|Directory\\..*|[nN]u[gG]et\\.[cC]onfig|global\\.json|.*\\.sln",
    "(?:GNUm|m|M)akefile|[jJ]ustfile|[tT]askfile\\.ya?ml|CMake.*|WORKSPACE.*|MODULE\\.bazel|dune-project|mise\\.toml",
    "\\.(?:npmrc|yarnrc.*|pnp\\..*|mocharc.*|babelrc.*|swcrc|nycrc.*|c8rc.*|taprc|eslintrc.*|prettierrc.*|stylelintrc.*|pytest\\..*|coveragerc.*|cargo|rspec.*|bundle|mvn|jvmopts|sbtopts|bazelrc|git|envrc|env.*|editorconfig|tool-versions|mise\\.toml|(?:python|ruby|node|java|go)-version|nvmrc|proverc|busted|config|husky|pre-commit-config.*|taskrc.*)",
  ].join("|")})$`,
);
