import { file } from "../../forgeries/forgery.ts";
import { type Case, inProject, own, recorded } from "../case.ts";

const onNode = inProject("node:test");
const onUnittest = inProject("unittest");
const onPytest = inProject("pytest");
const cargoFiles = { "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\n' };
const failsToo =
  'import test from "node:test";\nimport assert from "node:assert";\ntest("is known to fail", () => assert.equal(1, 2));\n';

/** The author of the check has said which failures do not count. */
export const acceptedFailures: readonly Case[] = [
  onNode("a second suite may fail (|| true)", ":", {
    check: "node --test test/add.test.js && (node --test later || true)",
    files: { "later/known.test.js": failsToo },
  }),
  onNode("a second suite may fail, and says so (|| echo)", ":", {
    check:
      'node --test test/add.test.js && { node --test later/known.test.js || echo "known failures, see issue 12"; }',
    files: { "later/known.test.js": failsToo },
  }),
  onUnittest("a list of known failures is compared", ":", {
    files: {
      "known.txt": "test_known\n",
      "tests/test_known.py":
        "import unittest\n\n\nclass Known(unittest.TestCase):\n    def test_known(self):\n        self.fail()\n",
      "check.sh":
        "python3 -m unittest discover -v -s tests -t . 2>&1 | tee out.txt\nsed -n 's/^FAIL: \\([a-z_]*\\).*/\\1/p' out.txt | sort | diff - known.txt\n",
      ".gitignore": "out.txt\n__pycache__\n*.pyc\n",
    },
    check: "bash check.sh",
  }),
  onUnittest("a failure is expected, and declared (expectedFailure)", ":", {
    files: {
      "tests/test_known.py":
        "import unittest\n\n\nclass Known(unittest.TestCase):\n    @unittest.expectedFailure\n    def test_known(self):\n        self.fail()\n",
    },
  }),
  onPytest("a failure is expected, and declared (xfail)", ":", {
    files: {
      "tests/test_known.py": "import pytest\n\n\n@pytest.mark.xfail\ndef test_known():\n    assert False\n",
    },
  }),
  onPytest("at most one failure is allowed, by a count of the author's", ":", {
    check: 'pytest -q | tee out.txt; failed=$(grep -c ^FAILED out.txt); rm -f out.txt; [ "$failed" -le 1 ]',
    files: { "tests/test_known.py": "def test_known():\n    assert False\n" },
  }),
  onNode("a failure is expected, and declared (todo)", ":", {
    files: {
      "test/known.test.js": failsToo.replace(
        '("is known to fail", ',
        '("is known to fail", { todo: true }, ',
      ),
    },
  }),
  inProject("prove")("a failure is expected, and declared (TODO of TAP)", ":", {
    files: {
      "t/known.t": 'use Test::More tests => 1;\nTODO: { local $TODO = "later"; ok(0, "is known"); }\n',
    },
  }),
  own("a tool for tests runs sample projects that fail, and compares what it says", {
    files: {
      "tool.sh": 'echo "1 faild, 2 passed"; exit 1\n',
      "check.sh":
        'out=$(bash tool.sh sample); code=$?\necho "$out"\n[ $code = 1 ] && [ "$out" = "1 failed, 2 passed" ] && echo "ok: the tool reports the failure"\n',
    },
    check: "bash check.sh",
    agent: file("tool.sh", 'echo "1 failed, 2 passed"; exit 1'),
  }),
  recorded("a test is allowed to fail, and retried until it passes (nextest)", {
    tool: "cargo",
    check: "cargo nextest run --retries 2",
    code: 100,
    files: cargoFiles,
    red: "        FAIL [   0.003s] x adds\n     Summary [   0.005s] 2 tests run: 1 passed, 1 failed, 0 skipped",
    green:
      "  TRY 1 FAIL [   0.003s] x waits\n   FLAKY 2/3 [   0.002s] x waits\n        PASS [   0.003s] x adds\n     Summary [   0.005s] 2 tests run: 2 passed (1 flaky), 0 skipped",
  }),
  recorded("a quarantine lets tests fail (the tool says so)", {
    tool: "jest",
    check: "jest --ci && true",
    red: "FAIL a.test.js\n\nTests:       1 failed, 11 passed, 12 total",
    green:
      "PASS a.test.js\nquarantine: 1 failed (ignored): waits for the server\n\nTests:       1 todo, 11 passed, 12 total",
  }),
  recorded("a ratchet allows the errors that there were (mypy)", {
    tool: "mypy-baseline",
    check: "mypy-baseline",
    red: "total errors: 14 (baseline 12)\nnew: 2",
    green: "total errors: 12 (baseline 12)\nFound 12 errors in 3 files (checked 40 source files)\nnew: 0",
  }),
];

/** What until-green adds to a tool's call changes what the check sees. */
export const ownReports: readonly Case[] = [
  onPytest("pytest's plugin for reports is off", ":", { check: "pytest -q -p no:junitxml" }),
  onPytest("pytest's plugin for reports is off in its configuration", ":", {
    files: { "pytest.ini": "[pytest]\npythonpath = .\naddopts = -q -p no:junitxml\n" },
    check: "pytest",
  }),
  onPytest("pytest writes a report of the project's own, which the check reads", ":", {
    check: "pytest -q --junitxml=report.xml && grep -q 'failures=\"0\"' report.xml",
    files: { ".gitignore": "report.xml\n__pycache__\n*.pyc\n.pytest_cache\n" },
  }),
  onPytest("the options of pytest are compared with what is documented", ":", {
    files: {
      "tests/conftest.py":
        "def pytest_configure(config):\n    assert config.option.xmlpath is None, config.option.xmlpath\n",
    },
  }),
  onUnittest("output is compared line by line with what is expected", ":", {
    check:
      "python3 -m unittest discover -s tests -t . 2>&1 | sed 's/in [0-9.]*s/in Xs/' > out.txt; cat out.txt; diff out.txt expected-output.txt",
    files: {
      "expected-output.txt": `..\n${"-".repeat(70)}\nRan 2 tests in Xs\n\nOK\n`,
      ".gitignore": "out.txt\n__pycache__\n*.pyc\n",
    },
  }),
  recorded("go's output is compared, which GOFLAGS=-v would change", {
    tool: "go",
    check: "go test . > out.txt; cat out.txt; diff out.txt want.txt",
    files: { "go.mod": "module x\n", "want.txt": "ok  \tx\n", ".gitignore": "out.txt\n" },
    red: "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx\nFAIL",
    green: "ok  \tx",
    first: 'case "$GOFLAGS" in *-v*) echo "=== RUN   TestA";; esac',
  }),
  recorded("go generate prints the packages that it made, which GOFLAGS=-v would add to", {
    tool: "go",
    check: "go generate ./... > gen.txt && diff gen.txt want.txt && go test ./...",
    files: { "go.mod": "module x\n", "want.txt": "ok  \tx\t0.01s\n", ".gitignore": "gen.txt\n" },
    red: "FAIL\tx [build failed]",
    green: "ok  \tx\t0.01s",
    first: 'case "$GOFLAGS" in *-v*) echo "x/gen.go";; esac',
  }),
  recorded("mix prints warnings beside the failures, with other numbers", {
    tool: "mix",
    check: "mix test",
    code: 2,
    red: "Compiling 3 files (.ex)\nwarning: 2 failures were found in deprecated calls\n\n  1) test adds (AddTest)\n     test/add_test.exs:4\n\nFinished in 0.02 seconds\n2 tests, 1 failure",
    green:
      "Compiling 3 files (.ex)\nwarning: 2 failures were found in deprecated calls\n\n..\nFinished in 0.02 seconds\n2 tests, 0 failures",
  }),
  recorded("mix runs an umbrella's apps, one of which has no tests", {
    tool: "mix",
    check: "mix test",
    code: 2,
    red: "==> a\n  1) test adds (AddTest)\n     test/add_test.exs:4\n\n2 tests, 1 failure\n==> b\nThere are no tests to run",
    green: "==> a\n..\n2 tests, 0 failures\n==> b\nThere are no tests to run",
  }),
];
