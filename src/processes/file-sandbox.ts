import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Environment } from "./environment.ts";
import { programPath } from "./program-path.ts";
import { systemPath } from "./system-path.ts";

/** Starts programs that may write in few places only, and find the credentials of this user empty. */
export interface FileSandbox {
  /**
   * The prefix of a program and its arguments; `writable` are further folders of this program, `flags` further flags.
   */
  readonly prefix: (writable: readonly string[], flags: readonly string[]) => readonly string[];
}

export interface FileSandboxOptions {
  readonly environment: Environment;
  /** The checkout, and further folders in which every program may write. */
  readonly writable: readonly string[];
}

/** The sandbox of this machine; the reason why there is none. bubblewrap builds it. */
export function findFileSandbox({ environment, writable }: FileSandboxOptions): FileSandbox | string {
  const bwrap = programPath("bwrap", systemPath);
  if (bwrap === "bwrap") return "bubblewrap is not installed";
  const home = environment["HOME"] ?? homedir();
  makeMissingCaches(environment, home);
  const caches = cachesOf(environment, home);
  const places = [...writable.flatMap(withRepository), ...temporary(environment), ...caches].filter(
    isWritable,
  );
  const hidden = [...credentialsOf(home), ...otherCheckouts(writable, home)].filter(exists);
  const user = process.getuid?.() === 0 ? [] : ["--unshare-user"];
  const fixed = ["--die-with-parent", ...user, "--cap-drop", "ALL", "--ro-bind", "/", "/"];
  const devices = ["--dev-bind", "/dev", "/dev"];
  const hides = hidden.flatMap(hide);
  return {
    prefix: (more, flags) => [
      bwrap,
      ...fixed,
      ...devices,
      ...[...new Set([...places, ...more.filter(isWritable)])].flatMap((path) => ["--bind", path, path]),
      ...hides,
      ...flags,
      "--",
    ],
  };
}

/** Makes what the tools of this machine would make at their first use: in the sandbox they cannot. */
function makeMissingCaches(environment: Environment, home: string): void {
  const isHere = (program: string) => programPath(program, environment["PATH"]) !== program;
  for (const [program, folders] of Object.entries(cachesByProgram))
    if (isHere(program)) for (const folder of folders) makeIfMissing(join(home, folder));
}

/** Maven and Gradle often come with the checkout, as a wrapper, and then need only Java. */
const cachesByProgram: Readonly<Record<string, readonly string[]>> = {
  bash: [".cache"],
  npm: [".npm"],
  pnpm: [".local/share/pnpm"],
  go: ["go/pkg"],
  cargo: [".cargo/registry", ".cargo/git"],
  java: [".m2/repository", ".m2/wrapper", ".gradle"],
  dotnet: [".nuget"],
};

/** Where tools keep what they have fetched or built. */
function cachesOf(environment: Environment, home: string): readonly string[] {
  const named = cacheVariables.flatMap((name) => environment[name] ?? []);
  return [...cacheFolders.map((folder) => join(home, folder)), ...named].filter((path) => isAbsolute(path));
}

const cacheFolders = [
  ...[".cache", ".npm", ".yarn", ".pnpm-store", ".local/share/pnpm", ".bun/install/cache", ".deno"],
  ...[".cargo/registry", ".cargo/git", ".rustup", "go/pkg", ".m2/repository", ".m2/wrapper"],
  ...[".gradle", ".ivy2", ".sbt"],
  ...[".nuget", ".local/share/NuGet", ".composer/cache", ".bundle/cache", ".gem", ".local/share/uv"],
  ...[".pyenv/versions", ".rbenv/versions", ".nvm", ".android", ".terraform.d/plugin-cache"],
];

const cacheVariables = [
  ...["XDG_CACHE_HOME", "npm_config_cache", "NPM_CONFIG_CACHE", "YARN_CACHE_FOLDER", "PIP_CACHE_DIR"],
  ...["UV_CACHE_DIR", "GOCACHE", "GOMODCACHE", "GRADLE_USER_HOME", "RUNNER_TOOL_CACHE"],
  ...["DENO_DIR", "BUNDLE_PATH", "COMPOSER_CACHE_DIR", "NUGET_PACKAGES", "PLAYWRIGHT_BROWSERS_PATH"],
];

const temporary = (environment: Environment) =>
  [tmpdir(), "/tmp", "/var/tmp", environment["RUNNER_TEMP"] ?? ""].filter((path) => path !== "");

/** Files and folders with keys and tokens of the user. */
const credentialsOf = (home: string) => credentials.map((name) => join(home, name));

const credentials = [
  ...[".ssh", ".gnupg", ".docker", ".npmrc", ".yarnrc.yml", ".netrc", ".git-credentials", ".pypirc"],
  ...[".config/git/credentials", ".config/gh", ".config/glab-cli", ".config/hub", ".config/op"],
  ...[".aws", ".azure", ".config/gcloud", ".kube", ".oci", ".config/doctl", ".config/hcloud", ".fly"],
  ...[".terraform.d/credentials.tfrc.json", ".vault-token", ".password-store", ".local/share/keyrings"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".config/containers/auth.json"],
];

/** Other checkouts beside this one are hidden. */
function otherCheckouts(checkouts: readonly string[], home: string): readonly string[] {
  const tops = checkouts.flatMap(withRepository);
  const kept = (path: string) => tops.some((top) => top === path || top.startsWith(`${path}/`));
  const parents = new Set(tops.map(dirname));
  const shared = new Set(["/", "/tmp", tmpdir(), "/var/tmp", home]);
  return [...parents]
    .filter((parent) => !shared.has(parent))
    .flatMap((parent) => list(parent).map((name) => join(parent, name)))
    .filter((path) => !kept(path) && exists(join(path, ".git")))
    .slice(0, 64);
}

/** A folder, the top of its checkout, and git's folder if that is elsewhere, as for a worktree. */
function withRepository(folder: string): readonly string[] {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const git = join(at, ".git");
    if (exists(git)) return [at, ...commonFolder(git)];
    if (at === dirname(at)) return [folder];
  }
}

function commonFolder(git: string): readonly string[] {
  if (lstatSync(git).isDirectory()) return [];
  const folder = /^gitdir: (.+)$/m.exec(readFileSync(git, "utf8"))?.[1];
  const own = folder === undefined ? undefined : resolve(dirname(git), folder);
  return own === undefined ? [] : [own.replace(/\/worktrees\/[^/]+$/, "")];
}

/** An empty folder or file in its place. A link is hidden at its target. */
function hide(path: string): readonly string[] {
  const real = realpathSync(path);
  return lstatSync(real).isDirectory()
    ? ["--tmpfs", real, "--remount-ro", real]
    : ["--ro-bind", "/dev/null", real];
}

const list = (folder: string): readonly string[] => attempt(() => readdirSync(folder)) ?? [];
const exists = (path: string) => attempt(() => lstatSync(realpathSync(path))) !== undefined;

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const makeIfMissing = (path: string) => void attempt(() => mkdirSync(path, { recursive: true }));

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
