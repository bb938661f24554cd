import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** What became of one test file, as vitest's JSON reporter writes it. */
export interface FileReport {
  /** The path, relative to the repository. */
  readonly name: string;
  readonly status: "passed" | "failed";
  /** Why the file could not be run, if it could not. */
  readonly message?: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly assertionResults: readonly TestReport[];
}

export interface TestReport {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

/** The reports in a folder, by file; none if its tests never started. */
export function readReports(folder: string, root: string): ReadonlyMap<string, FileReport> {
  if (!existsSync(folder)) return new Map();
  const reports = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
  const files: readonly FileReport[] = reports.flatMap(({ testResults }) => testResults);
  return new Map(
    files.map((file) => {
      const name = relative(root, file.name);
      return [name, { ...file, name }];
    }),
  );
}

/** The titles of a file's failed tests; one empty title if the file itself could not be run. */
export function failedTests(file: FileReport): readonly string[] {
  if (file.status !== "failed") return [];
  const failed = file.assertionResults.filter(({ status }) => status === "failed");
  return failed.length === 0 ? [""] : failed.map(({ fullName }) => fullName);
}

/** The first lines of why a test of a file failed, without the frames of the stack. */
export function reasonOf(file: FileReport, title: string): string {
  const test = file.assertionResults.find(({ fullName }) => fullName === title);
  const text = test === undefined ? (file.message ?? "") : test.failureMessages.join("\n");
  return stripVTControlCharacters(text)
    .split("\n")
    .filter((line) => !/^\s+at /.test(line))
    .slice(0, 12)
    .join("\n    ")
    .slice(0, 2_000);
}
