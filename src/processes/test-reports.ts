import { existsSync, statSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Checkout } from "../checks/checkout.ts";
import { attempt, entriesIn, namesIn } from "./lenient-reads.ts";
import { readRegularBytes, readRegularFile } from "./regular-file.ts";

/** If the reports are larger than this in total, they are ignored: then the check's output counts. */
const mostBytes = 32 * 1024 * 1024;
const mostFolders = 2000;

/** A build tool that writes JUnit XML into the folders of its modules. */
interface ReportWriter {
  isModule(folder: string): boolean;
  /** The folders of a module that contain reports. */
  foldersIn(module: string): readonly string[];
}

const maven: ReportWriter = {
  isModule: (folder) => existsSync(join(folder, "pom.xml")),
  foldersIn: (module) => ["surefire-reports", "failsafe-reports"].map((name) => join(module, "target", name)),
};

/** Modules may be configured by their parent, and have no build file of their own. */
const gradle: ReportWriter = {
  isModule: (folder) => existsSync(gradleResults(folder)),
  foldersIn: (module) => namesIn(gradleResults(module)).map((task) => join(gradleResults(module), task)),
};

const gradleResults = (module: string) => join(module, "build/test-results");

/** Watches for JUnit XML that Surefire and Failsafe write from now on into the folders of a build. */
export function watchMavenReports(workspace: string): () => string {
  if (!maven.isModule(workspace)) return () => "";
  const { isNew } = watchReports(maven, workspace);
  return () => textOf(reportsOf(maven, workspace).filter(isNew));
}

interface GradleCheck {
  readonly workspace: string;
  /** The check's script. */
  readonly script: string;
  /** A folder that was created when the run began. */
  readonly artifacts: string;
}

/**
 * The same for Gradle. It does not repeat tests that passed and whose inputs have not changed, so after a check that
 * passed, all reports since the run began count, also those of the agent's own calls.
 */
export function watchGradleReports({ workspace, script, artifacts }: GradleCheck) {
  const isGradle =
    /\bgradlew?\b/.test(script) || gradleFiles.some((name) => existsSync(join(workspace, name)));
  if (!isGradle) return () => "";
  const { isNew } = watchReports(gradle, workspace);
  const begun = attempt(() => statSync(artifacts).birthtimeMs) ?? Number.POSITIVE_INFINITY;
  const isOfRun = (path: string) => (attempt(() => statSync(path).mtimeMs) ?? 0) >= begun;
  return (hasPassed: boolean) =>
    textOf(reportsOf(gradle, workspace).filter((path) => isNew(path) || (hasPassed && isOfRun(path))));
}

const gradleFiles = ["build", "settings"].flatMap((name) => [`${name}.gradle`, `${name}.gradle.kts`]);

function watchReports(writer: ReportWriter, workspace: string) {
  const before = new Map(reportsOf(writer, workspace).map((path) => [path, stampOf(path)]));
  return { isNew: (path: string) => stampOf(path) !== before.get(path) };
}

const reportsOf = (writer: ReportWriter, workspace: string): readonly string[] =>
  modulesIn(workspace, writer).flatMap((module) => writer.foldersIn(module).flatMap(reportsIn));

/** A module may be in a folder that is none. */
function modulesIn(top: string, { isModule }: ReportWriter): readonly string[] {
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

const ignored = /^(?:\..*|node_modules|target|build|src)$/;

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

/** Each report that is written to this path, also if a later one replaces it. */
export function keepReports(path: string) {
  const reports = new Set<string>();
  const look = () => {
    const text = readRegularFile(path) ?? "";
    if (text.trimEnd().endsWith("</testsuites>")) reports.add(text);
  };
  const isNamed = (name: string | null) => name === null || name === basename(path);
  const watcher = attempt(() =>
    watch(dirname(path), { persistent: false }, (_, name) => (isNamed(name) ? look() : undefined)),
  );
  // If it cannot be watched, the last one counts.
  watcher?.on("error", () => {});
  return {
    read: () => {
      look();
      return [...reports].join("\n");
    },
    close: () => watcher?.close(),
  };
}

/** Adds the text of files that a check has redirected output to, unless it printed them itself. */
export function watchOutputs(workspace: string, names: readonly string[]) {
  const files = names.map((name) => join(workspace, name));
  const before = new Map(files.map((path) => [path, stampOf(path)]));
  return (printed: string) =>
    files
      .filter((path) => stampOf(path) !== before.get(path))
      .flatMap((path) => readRegularBytes(path, workspace)?.toString("utf8") ?? [])
      .filter((text) => !printed.includes(text.trim()))
      .reduce((all, text) => `${all}\n${text}`, printed);
}

const mostText = 256 * 1024;

/** The files at the top of a folder and in those below, for what a check calls. */
export function filesIn(workspace: string): Checkout {
  const paths: string[] = [];
  let level: readonly string[] = [""];
  for (let depth = 0; depth < 3; depth++) {
    const entries = level.flatMap((folder) =>
      entriesIn(join(workspace, folder)).map((entry) => ({ entry, path: folder + entry.name })),
    );
    paths.push(...entries.flatMap(({ entry, path }) => (entry.isFile() ? [path] : [])));
    level = entries
      .flatMap(({ entry, path }) => (entry.isDirectory() && !ignored.test(entry.name) ? [`${path}/`] : []))
      .slice(0, mostFolders);
  }
  const known = new Set(paths.slice(0, 5 * mostFolders));
  return {
    paths: [...known],
    text(path) {
      const body = known.has(path) ? readRegularBytes(join(workspace, path), workspace) : undefined;
      return body === undefined ? undefined : body.length > mostText ? "" : body.toString("utf8");
    },
  };
}
