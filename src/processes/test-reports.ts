import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { entriesIn, namesIn } from "./lenient-reads.ts";
import { readRegularFile } from "./regular-file.ts";

/** If the reports are larger than this in total, they are ignored: then the check's output counts. */
const mostBytes = 32 * 1024 * 1024;
const mostFolders = 2000;

/** Watches for JUnit XML that Surefire and Failsafe write from now on into the folders of a build. */
export function watchMavenReports(workspace: string): () => string {
  const before = new Map(mavenReports(workspace).map((path) => [path, stampOf(path)]));
  return () => textOf(mavenReports(workspace).filter((path) => stampOf(path) !== before.get(path)));
}

function mavenReports(workspace: string): readonly string[] {
  if (!isModule(workspace)) return [];
  return mavenModules(workspace).flatMap((module) =>
    ["surefire-reports", "failsafe-reports"].flatMap((name) => reportsIn(join(module, "target", name))),
  );
}

const isModule = (folder: string) => existsSync(join(folder, "pom.xml"));

/** A module has its own manifest; its parent folder may have none. */
function mavenModules(top: string): readonly string[] {
  const modules: string[] = [];
  let level: readonly string[] = [top];
  for (let depth = 0; depth < 4 && modules.length < mostFolders; depth++) {
    modules.push(...level.filter(isModule));
    level = level
      .flatMap((folder) =>
        entriesIn(folder)
          .filter((entry) => entry.isDirectory() && !ignored.test(entry.name))
          .map(({ name }) => join(folder, name)),
      )
      .slice(0, mostFolders);
  }
  return modules;
}

const ignored = /^(?:\..*|node_modules|target|src)$/;

/** The reports that GoogleTest writes to a folder, which it creates, and the value of `GTEST_OUTPUT` for it. */
export const googleTestReports = (folder: string) => ({
  variable: `xml:${folder}/`,
  read: () => textOf(reportsIn(folder)),
});

/** Usually the folder is missing: to read it would take much longer than to look for it. */
const reportsIn = (folder: string) =>
  (existsSync(folder) ? namesIn(folder) : [])
    .filter((name) => name.endsWith(".xml"))
    .map((name) => join(folder, name));

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return "";
  }
}

/** The concatenated files; empty if they are too large, or not regular files. */
function textOf(paths: readonly string[]): string {
  try {
    const stats = paths.map((path) => statSync(path));
    const size = stats.reduce((all, stat) => all + stat.size, 0);
    if (size > mostBytes || stats.some((stat) => !stat.isFile())) return "";
    return paths.map((path) => readRegularFile(path) ?? "").join("\n");
  } catch {
    return "";
  }
}
