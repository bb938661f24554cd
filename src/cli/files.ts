import { filesBeside, type SourceFile } from "../adapters/workflow-files.ts";
import { type Compiled, loadAndCompile } from "../compile/compile.ts";

/** Compiles a workflow file with the files beside it. */
export const compileFile = (source: SourceFile, cwd: string): Promise<Compiled> =>
  loadAndCompile(source, filesBeside(source.file, cwd));
