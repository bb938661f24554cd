import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { defined } from "../ports/defined.ts";
import type { Environment } from "../processes/environment.ts";
import { listedHome } from "../processes/home-folders.ts";
import { isWithin } from "./clean-path.ts";

interface CleanPlace {
  /** The new HOME. */
  readonly home: string;
  /** The folder that contains the clone. */
  readonly root: string;
  /** The checkout that an agent works in. */
  readonly cwd: string;
  readonly path: string;
}

/**
 * The environment of a check in a fresh clone: that of this process, without variables that lead to the old HOME's
 * settings or into the checkout. Toolchains stay in place; only caches whose content is verified are used.
 */
export function cleanEnvironment(environment: Environment, place: CleanPlace): Environment {
  const { home, root, cwd, path } = place;
  const old = environment["HOME"] ?? "";
  const kept = Object.entries(environment).filter(
    ([name, value = ""]) => !left.test(name) && !leadsInto(value, cwd),
  );
  linkCaches(environment, { old, home });
  return {
    ...toolchains(old),
    ...caches(environment, { old, cwd }),
    ...Object.fromEntries(kept),
    ...goVariables(environment, old),
    ...javaVariables(environment, { old, home }),
    HOME: home,
    TMPDIR: join(root, "tmp"),
    PATH: path,
    PYTHONPYCACHEPREFIX: join(root, "pyc"),
    PYTHONNOUSERSITE: "1",
  };
}

/** Variables that would restore the old HOME, or caches that are not verified. */
const left =
  /^(?:HOME|PATH|PWD|OLDPWD|BASH_ENV|ENV|TMPDIR|XDG_.*|GOCACHE|GOMODCACHE|GOPATH|GOBIN|CARGO_HOME|CARGO_TARGET_DIR|GRADLE_USER_HOME|PIP_CACHE_DIR|UV_CACHE_DIR|PYTHONSTARTUP|PYTHONPYCACHEPREFIX|npm_config_userconfig|npm_config_prefix|npm_.*|INIT_CWD)$/;

/** Paths into the checkout may lead to things that an agent has changed. */
const leadsInto = (value: string, cwd: string) =>
  value.split(delimiter).some((part) => isAbsolute(part) && isWithin(part, cwd));

/** Version managers look for their toolchains in HOME unless a variable names a folder. */
const toolchains = (old: string): Environment =>
  there(old, {
    RUSTUP_HOME: ".rustup",
    PYENV_ROOT: ".pyenv",
    RBENV_ROOT: ".rbenv",
    NODENV_ROOT: ".nodenv",
    GOENV_ROOT: ".goenv",
    NVM_DIR: ".nvm",
    VOLTA_HOME: ".volta",
    ASDF_DATA_DIR: ".asdf",
    MISE_DATA_DIR: ".local/share/mise",
    SDKMAN_DIR: ".sdkman",
    DOTNET_ROOT: ".dotnet",
    COREPACK_HOME: ".cache/node/corepack",
    PLAYWRIGHT_BROWSERS_PATH: ".cache/ms-playwright",
    CYPRESS_CACHE_FOLDER: ".cache/Cypress",
  });

/** Package managers verify the content of these caches by the lock file, or by names derived from the content. */
function caches(
  environment: Environment,
  { old, cwd }: { readonly old: string; readonly cwd: string },
): Environment {
  const store = ".local/share/pnpm/store";
  const npmCache = environment["NPM_CONFIG_CACHE"] ?? environment["npm_config_cache"];
  return {
    ...there(old, {
      npm_config_cache: ".npm",
      // The name since pnpm 11; npm warns about the other one.
      pnpm_config_store_dir: store,
      ...(usesPnpm(cwd) ? { npm_config_store_dir: store } : {}),
      GRADLE_RO_DEP_CACHE: ".gradle/caches",
      NUGET_PACKAGES: ".nuget/packages",
    }),
    ...defined({ npm_config_cache: npmCache }),
  };
}

/** True if there is a pnpm lock file in this folder or above. */
function usesPnpm(folder: string): boolean {
  if (existsSync(join(folder, "pnpm-lock.yaml"))) return true;
  const parent = dirname(folder);
  return parent !== folder && usesPnpm(parent);
}

/** Modules come from archives, which go verifies by go.sum; unpacked modules and builds are not trusted. */
function goVariables(environment: Environment, old: string): Environment {
  const modules =
    environment["GOMODCACHE"] ??
    join(environment["GOPATH"]?.split(delimiter)[0] ?? join(old, "go"), "pkg/mod");
  const archives = join(modules, "cache/download");
  const proxy = environment["GOPROXY"] ?? "https://proxy.golang.org,direct";
  return existsSync(archives) ? { GOPROXY: `file://${archives},${proxy}` } : {};
}

/** Java reads the home folder from the user database, not from HOME; Maven 3.8 does not know MAVEN_ARGS. */
function javaVariables(
  environment: Environment,
  { old, home }: { readonly old: string; readonly home: string },
): Environment {
  const repository = [old, listedHome()]
    .map((folder) => join(folder, ".m2/repository"))
    .find((folder) => isAbsolute(folder) && existsSync(folder));
  const options = [
    repository === undefined ? undefined : `-Dmaven.repo.local=${repository}`,
    environment["MAVEN_OPTS"],
    `-Duser.home=${home}`,
  ];
  return { MAVEN_OPTS: options.filter(Boolean).join(" "), GRADLE_USER_HOME: join(home, ".gradle") };
}

function there(old: string, folders: Readonly<Record<string, string>>): Environment {
  const paths = Object.entries(folders).map(([name, folder]) => [name, join(old, folder)] as const);
  return old === "" ? {} : Object.fromEntries(paths.filter(([, folder]) => existsSync(folder)));
}

/**
 * Links Cargo's archives and indexes, which are verified by Cargo.lock when they are unpacked, and the downloads of
 * Gradle's wrapper, which are large.
 */
function linkCaches(
  environment: Environment,
  { old, home }: { readonly old: string; readonly home: string },
): void {
  const cargo = environment["CARGO_HOME"] ?? join(old, ".cargo");
  const gradle = environment["GRADLE_USER_HOME"] ?? join(old, ".gradle");
  for (const [from, to] of [
    [join(cargo, "registry/cache"), ".cargo/registry/cache"],
    [join(cargo, "registry/index"), ".cargo/registry/index"],
    [join(gradle, "wrapper/dists"), ".gradle/wrapper/dists"],
  ] as const) {
    if (!existsSync(from) || existsSync(join(home, to))) continue;
    mkdirSync(dirname(join(home, to)), { recursive: true });
    symlinkSync(from, join(home, to));
  }
}
