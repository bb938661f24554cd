import { basename, extname } from "node:path";
import {
  filesBeside,
  findWorkflow,
  listWorkflows,
  MissingFileError,
  type SourceFile,
} from "../adapters/workflow-files.ts";
import { type Compiled, loadAndCompile } from "../compile/compile.ts";
import { nearest } from "../expr/nearest.ts";

/** Compiles a workflow file with the files beside it. */
export const compileFile = (source: SourceFile, cwd: string): Promise<Compiled> =>
  loadAndCompile(source, filesBeside(source.file, cwd));

/** Finds a workflow by path or name; where there is none it says which was likely meant. */
export function findNamed(name: string, cwd: string): SourceFile {
  try {
    return findWorkflow(name, cwd);
  } catch (error) {
    const meant = nearest(
      name,
      listWorkflows(cwd).map((path) => basename(path, extname(path))),
    );
    if (!(error instanceof MissingFileError) || meant === undefined) throw error;
    throw new MissingFileError(`there is no workflow ${name}; did you mean ${meant}?`);
  }
}
