import { type FileReport, failedTests, reasonOf } from "./reports.ts";

/** What a gate knows of its test files at the end. */
export interface Results {
  /** How each file ended, the first time. */
  readonly first: ReadonlyMap<string, FileReport>;
  /** How the failed ones ended when they ran again, alone. */
  readonly again: ReadonlyMap<string, FileReport>;
  /** The same on the base commit, for files that failed twice. */
  readonly onBase: ReadonlyMap<string, FileReport>;
  readonly isQuarantined: (file: string, test: string) => boolean;
  /** Errors that are no tests: a step that failed without a failed test, a wrong `quarantine.json`. */
  readonly errors: readonly string[];
}

export interface Verdict {
  readonly isGreen: boolean;
  /** The report: what failed, by how much it matters, and the line `N passed, N failed`. */
  readonly text: string;
}

const headings = {
  flaky: "Flaky, passed when run again alone:",
  red: "Already red on the base commit, so not blocking:",
  quarantined: "In quarantine, so not blocking:",
  failed: "Failed:",
} as const;
type Kind = keyof typeof headings;

/** A test blocks if it fails twice here, passes on the base commit, and is not in quarantine. */
export function judge(results: Results): Verdict {
  const { first, again, errors } = results;
  const failures = [...first.values()].flatMap((file) =>
    failedTests(file).map((title) => ({
      kind: kindOf(file.name, title, results),
      text: textOf(file, title),
    })),
  );
  const later = [...again.values()].flatMap((file) =>
    failedTests(file)
      .filter((title) => !fails(first.get(file.name), title))
      .map((title) => textOf(file, `${title}, only the second time`)),
  );
  const of = (kind: Kind) => failures.filter((failure) => failure.kind === kind).map(({ text }) => text);
  const passed = of("flaky").length + passedIn(first);
  const wrong = [...of("failed"), ...errors, ...(passed === 0 ? ["no test ran"] : [])];
  const text = [
    list(headings.flaky, [...of("flaky"), ...later]),
    list(headings.red, of("red")),
    list(headings.quarantined, of("quarantined")),
    list(headings.failed, wrong),
    `${passed} passed, ${wrong.length} failed\n`,
  ].join("");
  return { isGreen: wrong.length === 0, text };
}

function kindOf(name: string, title: string, { again, onBase, isQuarantined }: Results): Kind {
  const second = again.get(name);
  if (second !== undefined && !fails(second, title)) return "flaky";
  if (isQuarantined(name, title)) return "quarantined";
  return fails(onBase.get(name), title) ? "red" : "failed";
}

const fails = (file: FileReport | undefined, title: string) =>
  file !== undefined && failedTests(file).some((each) => each === title || each === "");

const passedIn = (files: ReadonlyMap<string, FileReport>) =>
  [...files.values()].flatMap((file) => file.assertionResults).filter(({ status }) => status === "passed")
    .length;

const textOf = (file: FileReport, title: string) =>
  `${file.name}${title === "" ? "" : `: ${title}`}\n    ${reasonOf(file, title)}`;

const list = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? "" : `${title}\n${lines.map((line) => `  ${line}\n`).join("")}`;
