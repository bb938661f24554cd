import { join } from "node:path";
import { type Calls, callsOf } from "../checks/calls.ts";
import { withoutVerboseLinesLive } from "../checks/inventory/go.ts";
import type { ShellAnswer } from "../ports/shell.ts";
import { headAndTail } from "./bounded-output.ts";
import type { PrivateTempDir } from "./private-temp-dir.ts";
import { shownOutput } from "./process-output.ts";
import { readLinkedFile, readRegularFile } from "./regular-file.ts";
import {
  filesIn,
  googleTestReports,
  keepReports,
  watchGradleReports,
  watchMavenReports,
  watchOutputs,
} from "./test-reports.ts";

/** Large, because the inventory of tests needs it: a long test suite prints every name. */
const mostBytes = 4 * 1024 * 1024;

interface CheckRun {
  readonly scratch: PrivateTempDir;
  readonly base: Readonly<Record<string, string>>;
  readonly workspace: string;
  readonly script: string;
  /** A folder that was created when the run began. */
  readonly artifacts: string;
  /** False if pytest cannot be asked for a report. */
  readonly mayAsk?: boolean;
}

/**
 * Finds out which tests a check ran, without changing what it does: a tool is asked for a report only if nothing else
 * asks it for one, or reads what it prints. Environment variables make four tools name their tests: pytest, gotestsum
 * and GoogleTest write report files; go prints verbosely, and that part is removed from the output again. Maven and
 * Gradle write reports by default. tox passes on only the variables that it is configured to.
 */
export function checkReport(check: CheckRun) {
  const printed = headAndTail(mostBytes);
  const calls = callsOf(check.script, filesIn(check.workspace));
  const { env, junit, gotestsum, googleTest, isVerbose, isAsked } = requested(check, calls);
  const pytest = keepReports(junit);
  check.scratch.onRemove(pytest.close);
  const maven = watchMavenReports(check.workspace);
  const gradle = watchGradleReports(check);
  const withOutputs = watchOutputs(check.workspace, calls.outputs);
  let live: ReturnType<typeof withoutVerboseLinesLive> | undefined;
  return {
    env,
    /** Keeps what is printed, and passes it on without what is printed only for the inventory. */
    hear(onText: (text: string) => void) {
      live = isVerbose ? undefined : withoutVerboseLinesLive(onText);
      const push = live?.push ?? onText;
      return (text: string) => {
        printed.push(Buffer.from(text));
        push(text);
      };
    },
    /** True if pytest, or a plugin of the project, did not take what it was asked for. */
    isRefused: ({ exitCode, tail }: ShellAnswer) =>
      isAsked && (exitCode === 3 || exitCode === 4) && /\bpytest\b|INTERNALERROR/.test(tail),
    /** Adds the inventory to the answer, and removes what was printed only for the inventory. */
    async read(answer: ShellAnswer): Promise<ShellAnswer> {
      live?.end();
      const { readTests, withoutAskedFor } = await loadReader();
      const text = printed.text();
      const reports = {
        pytest: pytest.read(),
        maven: maven(),
        gradle: gradle(answer.exitCode === 0),
        gotestsum: readRegularFile(gotestsum) ?? "",
        googleTest: googleTest.read(),
      };
      const tests = readTests(withOutputs(text), reports, calls);
      const plain = (text: string) => withoutAskedFor(text, { junit, isVerbose });
      const shown = plain(text);
      return {
        ...answer,
        ...(shown === text ? {} : { stdout: plain(answer.stdout), tail: shownTail(shown) }),
        ...(tests === undefined ? {} : { tests }),
      };
    },
  };
}

/** The variables by which tools are asked to name their tests. */
function requested({ scratch, base, workspace, mayAsk = true }: CheckRun, { text }: Calls) {
  const junit = scratch.path("pytest.xml");
  const gotestsum = scratch.path("gotestsum.xml");
  const googleTest = googleTestReports(scratch.path("gtest"));
  const configured = settings.map((name) => readRegularFile(join(workspace, name)) ?? "");
  const isAsked = mayAsk && !ownReport.test([text, ...configured].join("\n"));
  const goFlags = base["GOFLAGS"] ?? goFlagsOf(base["HOME"]);
  const isVerbose = /(?:^|\s)-v\b/.test(goFlags) || readsGo.test(text);
  const of = (name: string, value: string, isWanted = !base[name]) => (isWanted ? { [name]: value } : {});
  const joined = (name: string, more: string, sign: string) =>
    of(name, [base[name], more].filter(Boolean).join(sign), isAsked);
  return {
    junit,
    gotestsum,
    googleTest,
    isAsked,
    isVerbose,
    env: {
      ...joined("PYTEST_ADDOPTS", `--junitxml=${junit}`, " "),
      ...joined("TOX_OVERRIDE", toxPassesOn, ";"),
      ...of("GOTESTSUM_JUNITFILE", gotestsum),
      ...of("GTEST_OUTPUT", googleTest.variable),
      ...of("GOFLAGS", `${goFlags} -v`.trim(), !isVerbose),
    },
  };
}

/** A report of the project's own, or none at all. */
const ownReport = /--junit-?xml\b|\bno:junitxml\b/;

/** Where pytest's options may be. */
const settings: readonly string[] = ["pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini", ".pytest.ini"];

/** Something else reads what go prints, or go does more than to test. */
const readsGo =
  /\bgo[ \t]+(?:generate|run|list|env|tool)\b|\bgo[ \t]+test\b[^\n;&|]*(?:\|(?!\|)|(?<!\d)>(?!&))|(?:\$\(|`)[^)`\n]*\bgo[ \t]/;

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

function shownTail(text: string): string {
  const output = shownOutput();
  output.push(text);
  return output.text();
}
