import { filesBeside, type SourceFile } from "../adapters/workflow-files.ts";
import { type Compiled, compile } from "../compile/compile.ts";

/** Compiles a workflow file with the files beside it. */
export const compileFile = (source: SourceFile, cwd: string): Compiled =>
  compile(source, filesBeside(source.file, cwd));
