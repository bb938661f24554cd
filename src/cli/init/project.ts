import { join } from "node:path";
import { type Folder, openFolder, type Project } from "./folder.ts";
import { withMakefile } from "./makefile.ts";
import { findNode } from "./node.ts";
import {
  findCmake,
  findDotnet,
  findGo,
  findGradle,
  findMake,
  findMaven,
  findPhp,
  findRuby,
  findRust,
} from "./other-tools.ts";
import { findPython } from "./python.ts";
import { findByFile, findCaller } from "./tools-by-file.ts";

type Detector = (folder: Folder) => Project | undefined;

/** The language's own tool is preferred to a Makefile, unless its target adds something. */
const detectors: readonly Detector[] = [
  findNode,
  findPython,
  findGo,
  findRust,
  findMaven,
  findGradle,
  findRuby,
  findPhp,
  findDotnet,
  findCmake,
  findByFile,
  findMake,
  findCaller,
];

/** How to test the project in this folder; `undefined` if it is not recognized. */
export function findProject(path: string, top = path): Project | undefined {
  const folder = openFolder(path, top);
  for (const detector of detectors) {
    const project = detector(folder);
    if (project !== undefined) return withMakefile(project, folder);
  }
  return undefined;
}

/** Folders with a tested project, at most two levels below this one, sorted; those of other repositories left out. */
export function findProjectsBelow(path: string): readonly string[] {
  const { folders, has } = openFolder(path);
  const foldersIn = (below: string) =>
    folders(below)
      .filter((name) => !name.startsWith(".") && !skipped.has(name) && !has(join(below, name, ".git")))
      .slice(0, mostFolders)
      .map((name) => (below === "" ? name : `${below}/${name}`))
      .sort();
  return foldersIn("").flatMap((first) => {
    if (findProject(join(path, first)) !== undefined) return [first];
    return foldersIn(first).filter((second) => findProject(join(path, second)) !== undefined);
  });
}

/** A folder with more subfolders is no monorepo. */
const mostFolders = 300;

const skipped: ReadonlySet<string> = new Set([
  "node_modules",
  "vendor",
  "target",
  "build",
  "dist",
  "venv",
  "examples",
  "fixtures",
]);
