import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { execPath } from "node:process";
import type { Environment } from "./environment.ts";
import { attempt, entriesIn, namesIn } from "./lenient-reads.ts";
import { isIn, type Mount } from "./mounts.ts";
import { kindOf } from "./path-kind.ts";

/** The system: it holds nothing of this user. */
const system = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/etc", "/sys", "/nix", "/gnu"],
  ...["/snap", "/var/lib/dpkg", "/var/lib/gems", "/var/lib/ghc", "/var/lib/texmf", "/var/cache/fontconfig"],
];

/** Mounts of the system's folders, without the files in `/etc` that hold keys. */
export function systemMounts(): readonly Mount[] {
  keyFiles ??= keysIn("/etc", 3);
  return [...system.flatMap(show), ...show("/etc/resolv.conf"), ...show("/etc/localtime"), ...keyFiles];
}

let keyFiles: readonly Mount[] | undefined;

/** What not everybody may read, but this user, is a key or a password. */
function keysIn(folder: string, depth: number): readonly Mount[] {
  return entriesIn(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!(entry.isFile() || entry.isDirectory())) return [];
    const isOpen = ((kindOf(path)?.mode ?? 0) & 0o004) !== 0;
    if (entry.isFile()) return isOpen ? [] : [{ path, kind: "nothing" } as const];
    return isOpen ? (depth > 0 ? keysIn(path, depth - 1) : []) : [{ path, kind: "empty" } as const];
  });
}

/**
 * Read-only mounts for a path, if it exists: a mount of its real path, and the links that lead there. A folder of
 * links is shown with the programs that its links name.
 */
export function show(path: string): readonly Mount[] {
  const links: Mount[] = [];
  let at = "/";
  const rest = path.split("/").filter((name) => name !== "");
  for (let name = rest.shift(); name !== undefined && links.length < 40; name = rest.shift()) {
    const next = join(at, name);
    const target = attempt(() => readlinkSync(next));
    if (target === undefined) {
      at = next;
      continue;
    }
    links.push({ path: next, kind: "link", source: target });
    rest.unshift(
      ...resolve(at, target)
        .split("/")
        .filter((part) => part !== ""),
    );
    at = "/";
  }
  // Never the whole machine.
  return at === "/" || kindOf(at) === undefined ? [] : [...links, { path: at, kind: "read" }];
}

/** Where programs are installed: their folders on PATH, known toolchains, and what variables name. */
export function toolMounts(
  environment: Environment,
  homes: readonly string[],
  writable: readonly string[],
): readonly Mount[] {
  const path = (environment["PATH"] ?? "").split(delimiter);
  const named = Object.entries(environment).flatMap(([name, value = ""]) =>
    namesTools.test(name) ? value.split(delimiter) : [],
  );
  const folders = [
    ...[...path, dirname(execPath)].map(prefixOf),
    ...homes.flatMap((home) => toolchains.map((name) => join(home, name))),
    ...named,
  ];
  const isTooMuch = (folder: string) => {
    const real = attempt(() => realpathSync(folder)) ?? folder;
    return ["/", ...homes].some((home) => isIn(attempt(() => realpathSync(home)) ?? home, real));
  };
  // In the checkout, a program of an earlier job may have decided where a link leads.
  const isTheirs = (folder: string) => writable.some((place) => isIn(folder, place));
  const isShown = (folder: string) =>
    isAbsolute(folder) && !isTheirs(resolve(folder)) && !isTooMuch(resolve(folder));
  const shown = folders.filter(isShown).flatMap((folder) => show(resolve(folder)));
  return [...shown, ...path.filter(isShown).flatMap((folder) => behindLinks(folder, isShown, 2))];
}

/** Variables of toolchains, certificates and search paths. */
const namesTools =
  /^(?:(?!HOME$|XDG_)\w*(?:HOME|_ROOT|_PREFIX|_SDK|_DIRECTORY)(?:_\w+)?|VIRTUAL_ENV|NVM_DIR|NVM_BIN|CONDA|RUNNER_TOOL_CACHE|CHROMEWEBDRIVER|\w*(?:CA_BUNDLE|CAINFO|CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)|LD_LIBRARY_PATH|PYTHONPATH|NODE_PATH|GEM_PATH|PERL5LIB|PKG_CONFIG_PATH|CLASSPATH|SSL_CERT_\w+)$/;

const toolchains = [
  ...[".pyenv", ".rbenv", ".nodenv", ".goenv", ".jenv", ".nvm", ".fnm", ".volta", ".asdf", ".sdkman", ".rvm"],
  ...[".rustup", ".dotnet", ".bun/bin", ".deno/bin", ".ghcup", ".opam", ".elan", ".juliaup", ".swiftly"],
  ...[".local/share/mise", ".local/share/fnm", ".local/share/uv/python", ".local/share/uv/tools"],
  ...[".local/share/pipx", ".local/share/pnpm", ".local/lib", ".gem/ruby", ".cargo/bin", ".cargo/env"],
  ...[".composer/vendor", ".config/composer/vendor", "Android/Sdk", "go/bin", "miniconda3", "anaconda3"],
  // Settings in which tools keep no passwords.
  ...[".config/go/env", ".config/ccache/ccache.conf", ".terraform.d/plugins"],
];

/** The whole installation of a folder of programs, if it has its libraries beside it. */
function prefixOf(folder: string): string {
  const above = dirname(folder);
  const hasLibraries = namesIn(above).some((name) => /^(?:lib|libexec|lib64)$/.test(name));
  return /^s?bin$|^shims$/.test(basename(folder)) && hasLibraries && basename(above) !== ".local"
    ? above
    : folder;
}

/** The installations that the links in a folder of programs lead to. */
function behindLinks(folder: string, isShown: (folder: string) => boolean, depth: number): readonly Mount[] {
  if (depth === 0 || system.some((place) => isIn(folder, place))) return [];
  const targets = entriesIn(folder)
    .filter((entry) => entry.isSymbolicLink())
    .flatMap(({ name }) => attempt(() => realpathSync(join(folder, name))) ?? []);
  const places = [...new Set(targets.map(installationOf))].filter(isShown);
  return places.flatMap((place) => [...show(place), ...behindLinks(binOf(place), isShown, depth - 1)]);
}

const binOf = (place: string) => (kindOf(join(place, "bin")) === undefined ? place : join(place, "bin"));

/** What is installed with a program: the modules around it, or what its folder `bin` belongs to. */
export function installationOf(program: string): string {
  const modules = /^(.*?\/node_modules)\//.exec(program)?.[1];
  if (modules !== undefined) return modules;
  const prefix = prefixOf(dirname(program));
  return prefix === dirname(program) && !/^s?bin$/.test(basename(prefix)) ? program : prefix;
}

/** Folders on PATH that do not exist: a program must not be able to make them where it can write. */
export const missingOnPath = ({ PATH = "" }: Environment): readonly Mount[] =>
  PATH.split(delimiter)
    .filter((folder) => isAbsolute(folder) && attempt(() => lstatSync(folder)) === undefined)
    .map((path) => ({ path: resolve(path), kind: "empty" }));
