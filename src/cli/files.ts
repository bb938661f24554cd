import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { compile, type Compiled } from "../compile/compile.ts";
import type { Files } from "../dialects/dialect.ts";
import { UsageError } from "./exit.ts";

const folders = [".github/loops", ".archon/workflows"];
const commandFolders = [".github/loops/commands", ".archon/commands"];
const endings = [".yml", ".yaml"];

export interface SourceFile {
  readonly file: string;
  readonly text: string;
}

/** Finds a workflow by path, or by name in the folders workflows live in. */
export function findWorkflow(name: string, cwd: string): SourceFile {
  const tried = [name, ...folders.flatMap((folder) => endings.map((ending) => `${folder}/${name}${ending}`))];
  const found = tried.find((path) => isFile(resolve(cwd, path)));
  if (found === undefined) {
    throw new UsageError(`there is no workflow ${name}: looked for ${tried.join(", ")} in ${cwd}`);
  }
  return readSource(found, cwd);
}

export function readSource(file: string, cwd: string): SourceFile {
  try {
    return { file, text: readFileSync(resolve(cwd, file), "utf8") };
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Compiles a workflow file with the files beside it. */
export const compileFile = (source: SourceFile, cwd: string): Compiled => compile(source, filesBeside(source.file, cwd));

/** The command files and workflows a workflow may name: beside it, then in the folders they live in. */
function filesBeside(file: string, cwd: string): Files {
  const beside = dirname(file);
  return {
    command(name) {
      const path = commandFolders.map((folder) => join(folder, `${name}.md`)).find((it) => isFile(resolve(cwd, it)));
      return path === undefined ? undefined : readSource(path, cwd).text;
    },
    workflow(name) {
      const candidates = [beside, ...folders].flatMap((folder) =>
        ["", ...endings].map((ending) => join(folder, `${name}${ending}`)),
      );
      const path = candidates.find((it) => isFile(resolve(cwd, it)));
      return path === undefined ? undefined : readSource(path, cwd);
    },
  };
}

const isFile = (path: string) => existsSync(path) && statSync(path).isFile();

/** A short name for what runs of a workflow are called by. */
export const slugOf = (name: string): string =>
  basename(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40) || "run";
