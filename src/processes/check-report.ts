import { join } from "node:path";
import { withoutVerboseLinesLive } from "../checks/inventory/go.ts";
import type { ShellAnswer } from "../ports/shell.ts";
import { headAndTail } from "./bounded-output.ts";
import type { PrivateTempDir } from "./private-temp-dir.ts";
import { readLinkedFile, readRegularFile } from "./regular-file.ts";
import { googleTestReports, watchGradleReports, watchMavenReports } from "./test-reports.ts";

/** Large, because the inventory of tests needs it: a long test suite prints every name. */
const mostBytes = 4 * 1024 * 1024;

interface CheckRun {
  readonly scratch: PrivateTempDir;
  readonly base: Readonly<Record<string, string>>;
  readonly workspace: string;
  readonly script: string;
  /** A folder that was created when the run began. */
  readonly artifacts: string;
}

/**
 * Finds out which tests a check ran. Environment variables make four tools name their tests: pytest, gotestsum and
 * GoogleTest write report files; go prints verbosely, and that part is removed from the output again. Maven and Gradle
 * write reports by default. tox passes on only the variables that it is configured to.
 */
export function checkReport({ scratch, base, ...check }: CheckRun) {
  const printed = headAndTail(mostBytes);
  const maven = watchMavenReports(check.workspace);
  const gradle = watchGradleReports(check);
  const junit = scratch.path("pytest.xml");
  const googleTest = base["GTEST_OUTPUT"] ? undefined : googleTestReports(scratch.path("gtest"));
  const gotestsum = base["GOTESTSUM_JUNITFILE"] ? undefined : scratch.path("gotestsum.xml");
  const joined = (name: string, more: string) => ({ [name]: [base[name], more].filter(Boolean).join(" ") });
  const goFlags = base["GOFLAGS"] ?? goFlagsOf(base["HOME"]);
  const isVerbose = /(?:^|\s)-v\b/.test(goFlags);
  let live: ReturnType<typeof withoutVerboseLinesLive> | undefined;
  return {
    env: {
      ...joined("PYTEST_ADDOPTS", `--junitxml=${junit}`),
      TOX_OVERRIDE: [base["TOX_OVERRIDE"], toxPassesOn].filter(Boolean).join(";"),
      ...(gotestsum === undefined ? {} : { GOTESTSUM_JUNITFILE: gotestsum }),
      ...(googleTest === undefined ? {} : { GTEST_OUTPUT: googleTest.variable }),
      ...(isVerbose ? {} : { GOFLAGS: `${goFlags} -v`.trim() }),
    },
    /** Keeps what is printed, and passes it on without what is printed only for the inventory. */
    hear(onText: (text: string) => void) {
      live = isVerbose ? undefined : withoutVerboseLinesLive(onText);
      const push = live?.push ?? onText;
      return (text: string) => {
        printed.push(Buffer.from(text));
        push(text);
      };
    },
    /** Adds the inventory to the answer, and removes what was printed only for the inventory. */
    async read(answer: ShellAnswer): Promise<ShellAnswer> {
      live?.end();
      const { readTests, withoutAskedFor } = await loadReader();
      const text = printed.text();
      const tests = readTests(text, {
        pytest: readRegularFile(junit) ?? "",
        maven: maven(),
        gradle: gradle(answer.exitCode === 0),
        gotestsum: gotestsum === undefined ? "" : (readRegularFile(gotestsum) ?? ""),
        googleTest: googleTest?.read() ?? "",
      });
      const plain = (text: string) => withoutAskedFor(text, { junit, isVerbose });
      const shown = plain(text);
      return {
        ...answer,
        ...(shown === text ? {} : { stdout: plain(answer.stdout), tail: shown.slice(-tailCharacters) }),
        ...(tests === undefined ? {} : { tests }),
      };
    },
  };
}

/** Loaded with the first answer. */
function loadReader() {
  reader ??= import("../checks/inventory/read-tests.ts");
  return reader;
}

let reader: Promise<typeof import("../checks/inventory/read-tests.ts")> | undefined;

/** The setting's names in `tox.ini` and in `tox.toml`. */
const toxPassesOn = ["testenv", "env_run_base"]
  .map((section) => `${section}.pass_env+=PYTEST_ADDOPTS`)
  .join(";");

/** The GOFLAGS that `go env -w` has saved: the variable would override them. */
function goFlagsOf(home = ""): string {
  return /^GOFLAGS=(.*)$/m.exec(readLinkedFile(join(home, ".config/go/env")) ?? "")?.[1] ?? "";
}

const tailCharacters = 12 * 1024;
