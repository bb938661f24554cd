import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, extname, isAbsolute, join, relative, resolve } from "node:path";
import { unreadable } from "../ports/unreadable.ts";
import { unmatchedGlobs } from "./unmatched-globs.ts";

/** The text of a file, and its path as people see it. */
export interface SourceFile {
  readonly file: string;
  readonly text: string;
}

/** A workflow, or another file named in its place, does not exist or cannot be read. */
export class MissingFileError extends Error {
  override readonly name = "MissingFileError";
}

/** A name that two files share. */
export class TwoFilesError extends MissingFileError {}

/**
 * Finds a workflow by path, or by name in the workflow folders, here or at the repository's top. Throws
 * `MissingFileError`.
 */
export function findWorkflow(name: string, cwd: string): SourceFile {
  // The path may also be a named pipe.
  if (existsSync(resolve(cwd, name)) && !isFolder(resolve(cwd, name))) return readSource(name, cwd);
  const nearby = isAbsolute(name) ? [] : foldersFrom(cwd, folders);
  const file = [nearby, packsIn(nearby, cwd)]
    .flatMap((places) =>
      places.flatMap((folder) => endings.map((ending) => join(folder, `${name}${ending}`))),
    )
    .find((path) => isFile(resolve(cwd, path)));
  if (file !== undefined) return readSource(unlikeOthers(file, name, cwd), cwd);
  const named = nearby.length === 0 ? undefined : namedAs(name, workflowsIn(nearby, cwd), cwd);
  if (named !== undefined) return readSource(named, cwd);
  if (existsSync(resolve(cwd, name))) throw new MissingFileError(`${name} is a folder, and not a workflow`);
  if (/[\\/]|\.\w+$/.test(name)) throw new MissingFileError(`there is no file ${name} in ${cwd}`);
  throw new MissingFileError(`there is no workflow ${name} in ${folders.join(" or ")} of ${cwd}`);
}

/** Two files of one folder have the same name, so the name is ambiguous. */
function unlikeOthers(file: string, name: string, cwd: string): string {
  const stem = file.slice(0, -extname(file).length);
  const candidates = endings.map((ending) => stem + ending).filter((path) => isFile(resolve(cwd, path)));
  if (candidates.length < 2 || extname(name) !== "") return file;
  const files = candidates.sort().join(" and ");
  throw new TwoFilesError(`${name} is the name of two files: ${files}; give the path of one, or rename one`);
}

/** The paths of all workflows in the workflow folders and their packs. */
export const listWorkflows = (cwd: string): readonly string[] => workflowsIn(folders, cwd);

const workflowsIn = (places: readonly string[], cwd: string): readonly string[] =>
  [...places, ...packsIn(places, cwd)].flatMap((folder) => yamlIn(folder, cwd));

const yamlIn = (folder: string, cwd: string): readonly string[] =>
  namesIn(resolve(cwd, folder))
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((name) => join(folder, name))
    .filter((path) => isFile(resolve(cwd, path)));

/** Archon's packs of workflows: `PACK/WORKFLOW/FILE.yaml`, with their own folders and files one level deep. */
function packsIn(places: readonly string[], cwd: string): readonly string[] {
  const below = (place: string) =>
    namesIn(resolve(cwd, place))
      .filter((name) => name !== "commands" && name !== "scripts")
      .map((name) => join(place, name))
      .filter((path) => isFolder(resolve(cwd, path)));
  return places.flatMap((place) => below(place).flatMap((pack) => [pack, ...below(pack)]));
}

/** The file of the workflow with this `name`: workflows are called by name, whatever their file is called. */
function namedAs(name: string, paths: readonly string[], cwd: string): string | undefined {
  return paths.find((path) => {
    const [, , called] = /^name:[ \t]*(["']?)(.*?)\1[ \t]*(?:#.*)?$/m.exec(readSource(path, cwd).text) ?? [];
    return called === name;
  });
}

/** Reads a text file; its path is relative to `cwd`. Throws `MissingFileError`. */
export function readSource(file: string, cwd: string): SourceFile {
  try {
    return { file, text: textOf(bytesOf(resolve(cwd, file))) };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new MissingFileError(`${file} cannot be read: ${unreadable[code] ?? message}`);
  }
}

/** Far more than a workflow or prompt needs; a device file may be endless. */
const mostBytes = 16 * 1024 * 1024;

function bytesOf(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const parts: Buffer[] = [];
    for (let left = mostBytes, more = -1; left > 0 && more !== 0; left -= more) {
      const part = Buffer.allocUnsafe(Math.min(left, 65_536));
      more = readSync(file, part);
      parts.push(part.subarray(0, more));
    }
    return Buffer.concat(parts);
  } finally {
    closeSync(file);
  }
}

/** YAML may be UTF-16 with a byte order mark, as some editors and shells write it. */
function textOf(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return bytes.toString("utf8");
}

/** The command files and workflows that a workflow may name: beside it, then in the workflow folders. */
export function filesBeside(file: string, cwd: string) {
  const base = dirname(file);
  const top = resolve(cwd, homes(cwd).at(-1) ?? ".");
  return {
    ...namedFiles(cwd, file),
    unmatchedGlobs: (globs: readonly string[]) => unmatchedGlobs(globs, cwd),
    /** Command files and scripts as seen from another workflow. */
    packaged: (other: string) => namedFiles(cwd, other),
    text(path: string): string | undefined {
      const inside = join(base, path);
      return !isAbsolute(path) && isInside(inside, cwd) ? readSource(inside, cwd).text : undefined;
    },
    soul(name: string): SourceFile | undefined {
      const nearby = homes(cwd).map((home) => join(home, "custom/souls"));
      const candidates = [base, join(base, "souls"), ...nearby].flatMap((folder) =>
        [...endings, ".json"].map((ending) => join(folder, `${name}${ending}`)),
      );
      const path = candidates.find((it) => isInside(it, cwd, top) && !isWorkflow(resolve(cwd, it)));
      return path === undefined ? undefined : readSource(path, cwd);
    },
    archonConfig(): string | undefined {
      const paths = homes(cwd).map((home) => join(home, ".archon/config.yaml"));
      const path = paths.find((it) => isInside(it, cwd, top));
      return path === undefined ? undefined : readSource(path, cwd).text;
    },
    workflow(name: string): SourceFile | undefined {
      const places = /[\\/]/.test(name) ? [...calledFolders, "."] : calledFolders;
      const nearby = homes(cwd).flatMap((home) => places.map((folder) => join(home, folder)));
      const candidates = [base, ...nearby].flatMap((folder) =>
        ["", ...endings, ".json"].map((ending) => join(folder, `${name}${ending}`)),
      );
      // A workflow run by its path may lie outside the checkout, and so may the files beside it.
      const isNear = (it: string) => isInside(it, cwd, top) || isInside(it, cwd, resolve(cwd, base));
      const path =
        candidates.find(isNear) ?? inPacks(name, cwd) ?? namedAs(name, yamlIn(base, cwd).filter(isNear), cwd);
      return path === undefined ? undefined : readSource(path, cwd);
    },
  };
}

function inPacks(name: string, cwd: string): string | undefined {
  if (isAbsolute(name) || name.includes("..")) return undefined;
  const nearby = foldersFrom(cwd, folders);
  const paths = packsIn(nearby, cwd).flatMap((pack) =>
    endings.map((ending) => join(pack, `${name}${ending}`)),
  );
  return paths.find((path) => isFile(resolve(cwd, path))) ?? namedAs(name, workflowsIn(nearby, cwd), cwd);
}

/** Command files and scripts by name: those in the workflow's own pack first. */
function namedFiles(cwd: string, file: string) {
  const base = dirname(file);
  const isPacked = /(?:^|[\\/])(?:\.archon[\\/]workflows|\.github[\\/]loops)[\\/]/.test(`${base}/`);
  const own = (folder: string) => (isPacked ? [join(base, folder)] : []);
  return {
    command(name: string): string | undefined {
      const path = findIn(commandFolders, [`${name}.md`], { cwd, first: own("commands") });
      return path === undefined ? undefined : readSource(path, cwd).text;
    },
    script(name: string, endings: readonly string[]): string | undefined {
      const names = endings.map((ending) => `${name}${ending}`);
      return findIn(scriptFolders, names, { cwd, first: own("scripts") });
    },
  };
}

/** The first file of one of these names in the folders, or one folder below. */
function findIn(
  folders: readonly string[],
  names: readonly string[],
  { cwd, first }: { readonly cwd: string; readonly first: readonly string[] },
): string | undefined {
  const places = [...first, ...folders.flatMap((folder) => homes(cwd).map((home) => join(home, folder)))];
  const deeper = places.flatMap((place) =>
    namesIn(resolve(cwd, place))
      .map((name) => join(place, name))
      .filter((path) => isFolder(resolve(cwd, path))),
  );
  return [...places, ...deeper]
    .flatMap((place) => names.map((name) => join(place, name)))
    .find((path) => isFile(resolve(cwd, path)));
}

const folders = [".github/loops", ".archon/workflows"];
const calledFolders = [...folders, "custom/workflows"];
const commandFolders = [".github/loops/commands", ".archon/commands"];
const scriptFolders = [".github/loops/scripts", ".archon/scripts"];
const endings = [".yml", ".yaml"];

/** True if a path, with links resolved, is inside the checkout or another folder. */
function isInside(path: string, cwd: string, folder = cwd): boolean {
  const file = resolve(cwd, path);
  if (!isFile(file)) return false;
  const below = relative(realpathSync(folder), realpathSync(file));
  return !below.startsWith("..") && !isAbsolute(below);
}

/** A workflow may have the same name as a soul, in a folder that is searched for souls. */
const isWorkflow = (path: string): boolean =>
  /^(?:"?(?:blocks|nodes|steps|loops|workflow)"?:|\{.*"(?:blocks|nodes|steps|loops)":)/ms.test(
    readFileSync(path, "utf8"),
  );

/** The workflow folders, from `cwd`: here, and at the repository's top. */
function homes(cwd: string): readonly string[] {
  const here = resolve(cwd);
  for (let folder = here; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return [...new Set([".", relative(here, folder) || "."])];
    if (folder === dirname(folder)) return ["."];
  }
}

const foldersFrom = (cwd: string, names: readonly string[]) =>
  homes(cwd).flatMap((home) => names.map((name) => join(home, name)));

const isFile = (path: string) => existsSync(path) && statSync(path).isFile();
const isFolder = (path: string) => statSync(path).isDirectory();

const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);
