import { existsSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { env } from "node:process";
import { agentNames } from "../agents/index.ts";
import { type Compiled, loadAndCompile } from "../compile/compile.ts";
import {
  filesBeside,
  findWorkflow,
  listWorkflows,
  MissingFileError,
  type SourceFile,
  TwoFilesError,
} from "../local/workflow-files.ts";
import { nearestWord } from "../ports/nearest-word.ts";
import { promptVariable } from "../processes/environment.ts";

/** Compiles a workflow file and the files it uses. */
export const compileFile = (source: SourceFile, cwd: string): Promise<Compiled> =>
  loadAndCompile(source, {
    ...filesBeside(source.file, cwd),
    agents: agentNames,
    environment: (name) => promptVariable(env, name),
  });

/** Finds a workflow by path or name; if there is none, the error suggests a similar one. */
export function findNamed(name: string, cwd: string): SourceFile {
  try {
    return findWorkflow(name, cwd);
  } catch (error) {
    if (!(error instanceof MissingFileError) || error instanceof TwoFilesError) throw error;
    const known = [...new Set(listWorkflows(cwd).map((path) => basename(path, extname(path))))];
    const meant = nearestWord(basename(name, extname(name)), known);
    if (meant !== undefined)
      throw new MissingFileError(`there is no workflow ${name}; did you mean ${meant}?`);
    const strayed = [".yml", ".yaml"]
      .map((ending) => `.github/workflows/${name}${ending}`)
      .find((path) => existsSync(resolve(cwd, path)));
    if (strayed !== undefined)
      throw new MissingFileError(
        `${error.message}; there is a file ${strayed}, but loops belong in .github/loops`,
      );
    const others =
      known.length === 0
        ? "write one with until-green init"
        : `there ${known.length === 1 ? "is" : "are"} ${known.join(", ")}`;
    throw new MissingFileError(`${error.message}; ${others}`);
  }
}
