import { join } from "node:path";
import type { ShellAnswer } from "../ports/shell.ts";
import { headAndTail } from "./bounded-output.ts";
import type { PrivateTempDir } from "./private-temp-dir.ts";
import { readLinkedFile, readRegularFile } from "./regular-file.ts";
import { googleTestReports, watchMavenReports } from "./test-reports.ts";

/** Much of what a check prints is kept for the inventory of its tests: a long suite names each. */
const mostBytes = 4 * 1024 * 1024;

interface CheckRun {
  readonly scratch: PrivateTempDir;
  readonly base: Readonly<Record<string, string>>;
  readonly workspace: string;
}

/**
 * Reads from a check which tests it ran. Four tools are asked by their environment to name them: pytest, gotestsum
 * and GoogleTest by reports beside their output, go by being verbose, which is taken out of the output again. Maven
 * writes reports by itself. tox passes on only the variables that it is told to.
 */
export function checkReport({ scratch, base, workspace }: CheckRun) {
  const printed = headAndTail(mostBytes);
  const maven = watchMavenReports(workspace);
  const junit = scratch.path("pytest.xml");
  const googleTest = base["GTEST_OUTPUT"] ? undefined : googleTestReports(scratch.path("gtest"));
  const gotestsum = base["GOTESTSUM_JUNITFILE"] ? undefined : scratch.path("gotestsum.xml");
  const joined = (name: string, more: string) => ({ [name]: [base[name], more].filter(Boolean).join(" ") });
  const goFlags = base["GOFLAGS"] ?? goFlagsOf(base["HOME"]);
  const isVerbose = /(?:^|\s)-v\b/.test(goFlags);
  return {
    env: {
      ...joined("PYTEST_ADDOPTS", `--junitxml=${junit}`),
      TOX_OVERRIDE: [base["TOX_OVERRIDE"], toxPassesOn].filter(Boolean).join(";"),
      ...(gotestsum === undefined ? {} : { GOTESTSUM_JUNITFILE: gotestsum }),
      ...(googleTest === undefined ? {} : { GTEST_OUTPUT: googleTest.variable }),
      ...(isVerbose ? {} : { GOFLAGS: `${goFlags} -v`.trim() }),
    },
    hear: (onText: (text: string) => void) => (text: string) => {
      printed.push(Buffer.from(text));
      onText(text);
    },
    /** The answer with its inventory, and without what was printed only for that. */
    async read(answer: ShellAnswer): Promise<ShellAnswer> {
      const { readTests, withoutAskedFor } = await import("../checks/inventory/read-tests.ts");
      const text = printed.text();
      const tests = readTests(text, {
        pytest: readRegularFile(junit) ?? "",
        maven: maven(),
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

/** In `tox.ini`, and in `tox.toml`. */
const toxPassesOn = ["testenv", "env_run_base"]
  .map((section) => `${section}.pass_env+=PYTEST_ADDOPTS`)
  .join(";");

/** The variable would hide what `go env -w` has written for it. */
function goFlagsOf(home = ""): string {
  return /^GOFLAGS=(.*)$/m.exec(readLinkedFile(join(home, ".config/go/env")) ?? "")?.[1] ?? "";
}

const tailCharacters = 12 * 1024;
