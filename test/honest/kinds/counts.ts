import { type Case, inProject, own, recorded } from "../case.ts";

const onNode = inProject("node:test");
const onUnittest = inProject("unittest");
const onPytest = inProject("pytest");

const quiet: readonly Case[] = [
  onNode("counts are printed only when red (|| cat log)", ":", {
    check: "npm test > node.log 2>&1 || { cat node.log; exit 1; }",
    files: { ".gitignore": "node_modules\n*.log\n" },
  }),
  onUnittest("counts are printed only when red (output kept in a variable)", ":", {
    check: 'out=$(python3 -m unittest discover -s tests -t . 2>&1) || { echo "$out"; exit 1; }',
  }),
  onNode("counts are printed only when red (chronic)", ":", {
    check: "chronic npm test",
    tools: { chronic: 'out=$("$@" 2>&1); code=$?; [ $code = 0 ] || echo "$out"; exit $code' },
  }),
  onPytest("counts are printed only when red (quieter when CI is happy)", ":", {
    check: "pytest -q > log.txt 2>&1; code=$?; [ $code = 0 ] || cat log.txt; exit $code",
    files: { ".gitignore": "__pycache__\n*.pyc\n.pytest_cache\nlog.txt\n" },
  }),
  onUnittest("only the last line is shown when all is well", ":", {
    check: "python3 -m unittest discover -s tests -t . > log 2>&1 && echo fine || { cat log; exit 1; }",
    files: { ".gitignore": "__pycache__\n*.pyc\nlog\n" },
  }),
  recorded("counts are printed only when red (lerna without --stream)", {
    tool: "lerna",
    check: "lerna run test",
    red: "lerna ERR! npm run test exited 1 in 'a'\nlerna ERR! npm run test stdout:\n\nTests:       1 failed, 11 passed, 12 total\n",
    green:
      "lerna success run Ran npm script 'test' in 3 packages in 2.1s:\nlerna success - a\nlerna success - b\nlerna success - c",
  }),
  recorded("counts are printed only when red (gotestsum --format pkgname)", {
    tool: "gotestsum",
    check: "gotestsum --format pkgname --hide-summary=all",
    red: "✖  x (3ms)\n\nDONE 12 tests, 1 failure in 0.212s",
    green: "✓  x (3ms)",
  }),
  recorded("counts are printed only when red (dune)", {
    tool: "dune",
    check: "dune runtest",
    red: 'File "test/dune", line 2, characters 7-11:\n2 |  (name test)\n           ^^^^\nFatal error: exception Failure("3 tests, 1 failed")',
    green: "",
  }),
  recorded("counts are printed only when red (pre-commit)", {
    tool: "pre-commit",
    check: "pre-commit run --all-files",
    red: "pytest...................................................................Failed\n- hook id: pytest\n- exit code: 1\n\n1 failed, 11 passed in 0.12s",
    green: "pytest...................................................................Passed",
  }),
];

const partly: readonly Case[] = [
  onPytest("two calls of pytest in one check: the second one runs only now", ":", {
    check: "pytest -q tests/test_add.py && pytest -q tests/test_more.py",
    files: { "tests/test_more.py": "def test_more():\n    assert True\n" },
  }),
  onPytest("two calls of pytest in one check: the first stops at a failure", ":", {
    check: "pytest -q -x tests && pytest -q tests/unit",
    files: { "tests/unit/test_unit.py": "def test_unit():\n    assert True\n" },
  }),
  onPytest("failed tests only, as the cache knows them (--lf)", ":", { check: "pytest -q --lf" }),
  onPytest("failed tests only, then all (--lf before the whole run)", ":", {
    check: "pytest -q --lf && pytest -q",
  }),
  onPytest("step by step (--stepwise)", ":", { check: "pytest -q --stepwise" }),
  onUnittest("a retry: once more when the first run fails", ":", {
    check: "python3 -m unittest discover -s tests -t . || python3 -m unittest discover -s tests -t .",
  }),
  onNode("a retry in a loop: up to three runs", ":", {
    check: "for i in 1 2 3; do npm test && exit 0; done; exit 1",
  }),
  recorded("only tests that changed files reach (jest --onlyChanged)", {
    tool: "jest",
    check: "jest --onlyChanged",
    red: "FAIL test/a.test.js\nFAIL test/b.test.js\n\nTests:       2 failed, 10 passed, 12 total",
    green: "PASS test/a.test.js\n\nTests:       3 passed, 3 total",
  }),
  recorded("only tests that changed files reach (vitest --changed)", {
    tool: "vitest",
    check: "vitest run --changed",
    red: " ❯ src/a.test.js (8 tests | 1 failed) 4ms\n\n Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 11 passed (12)",
    green: " ✓ src/a.test.js (8 tests) 4ms\n\n Test Files  1 passed (1)\n      Tests  8 passed (8)",
  }),
  recorded("only tests that changed code reaches (pytest --testmon)", {
    tool: "pytest",
    check: "pytest --testmon",
    red: "testmon: new DB, environment: default\n1 failed, 11 passed in 0.2s",
    green: "testmon: changed files: 1, unchanged files: 9\n3 passed, 9 deselected in 0.1s",
  }),
  recorded("affected projects only (nx)", {
    tool: "nx",
    check: "nx affected -t test",
    red: "✖  nx run a:test\nTests:       1 failed, 11 passed, 12 total\n✔  nx run b:test\nTests:       8 passed, 8 total",
    green:
      "✔  nx run a:test\nTests:       12 passed, 12 total\n\n NX   Successfully ran target test for project a",
  }),
  recorded("what a cache knows is not run again (turbo)", {
    tool: "turbo",
    check: "turbo run test",
    red: "a:test: Tests:       1 failed, 11 passed, 12 total\nb:test: Tests:       8 passed, 8 total\n\n Tasks:    1 successful, 2 total",
    green:
      "b:test: cache hit, suppressing logs 3f2\na:test: Tests:       12 passed, 12 total\n\n Tasks:    2 successful, 2 total\nCached:    1 cached, 2 total",
  }),
  recorded("what a cache knows is not run again (go test)", {
    tool: "go",
    check: "go test ./...",
    files: { "go.mod": "module x\n" },
    red: "--- FAIL: TestA (0.00s)\n    a_test.go:5: wrong\nFAIL\nFAIL\tx/a\t0.01s\nok  \tx/b\t0.01s\nFAIL",
    green: "ok  \tx/a\t0.01s\nok  \tx/b\t(cached)",
  }),
  recorded("what a cache knows is not run again (gradle, up to date)", {
    tool: "gradle",
    check: "gradle test",
    red: "> Task :a:test FAILED\n\nAddTest > adds FAILED\n\n12 tests completed, 1 failed\n\nBUILD FAILED in 3s",
    green: "> Task :b:test UP-TO-DATE\n> Task :a:test\n\nBUILD SUCCESSFUL in 2s",
  }),
  recorded("what a cache knows is not run again (bazel)", {
    tool: "bazel",
    check: "bazel test //...",
    code: 3,
    red: "//a:test    FAILED in 0.3s\n//b:test    PASSED in 0.2s\n\nExecuted 2 out of 2 tests: 1 test passes and 1 fails locally.",
    green:
      "//a:test    PASSED in 0.3s\n//b:test    (cached) PASSED in 0.2s\n\nExecuted 1 out of 2 tests: 2 tests pass.",
  }),
  recorded("shards are balanced by time (jest --shard)", {
    tool: "jest",
    check: "jest --shard=1/2",
    red: "FAIL test/a.test.js\n\nTests:       1 failed, 11 passed, 12 total",
    green: "PASS test/a.test.js\nPASS test/new.test.js\n\nTests:       10 passed, 10 total",
  }),
  recorded("shards are balanced by time (pytest-split)", {
    tool: "pytest",
    check: "pytest --splits 2 --group 1",
    red: "[pytest-split] Running group 1/2\n1 failed, 11 passed, 12 deselected in 0.2s",
    green: "[pytest-split] Running group 1/2\n10 passed, 14 deselected in 0.2s",
  }),
];

const noise: readonly Case[] = [
  onUnittest(
    "a log line of the program mentions failed attempts",
    "sed -i '1i print(\"3 failed, 40 passed\")' add.py; sed -i '2,${/^print/d}' add.py",
    { check: "python3 -m unittest discover -s tests -t ." },
  ),
  onNode(
    "a log line of the program reads like a summary",
    `echo 'console.log("import finished: 2 failed, 7 passed"); export const add = (a, b) => a + b;' > src/add.js`,
  ),
  onUnittest("a test runs a runner over a project of its own that fails", ":", {
    files: {
      "tests/test_runner.py":
        'import subprocess\nimport sys\nimport unittest\n\n\nclass Runner(unittest.TestCase):\n    def test_runner(self):\n        code = "import unittest\\nclass T(unittest.TestCase):\\n def test_a(self): self.fail()\\nunittest.main()"\n        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 1)\n',
    },
  }),
  onNode("a test runs a runner over a project of its own that fails (node:test)", ":", {
    files: {
      "sample/fails.mjs": 'import test from "node:test";\ntest("fails", () => { throw new Error(); });\n',
      "test/runner.test.js":
        'import test from "node:test";\nimport assert from "node:assert";\nimport { spawnSync } from "node:child_process";\ntest("reports a failure", () => { const { NODE_TEST_CONTEXT: _, ...env } = process.env; const { status, stdout } = spawnSync(process.execPath, ["--test", "sample/fails.mjs"], { env }); console.log(String(stdout)); assert.equal(status, 1); });\n',
    },
  }),
  own("TAP counts assertions, and the fix needs one less", {
    files: {
      "calc.sh": "sum() { echo $(($1 - $2)); }\n",
      "check.sh":
        'source ./calc.sh\nn=0; bad=0\nis() { n=$((n + 1)); [ "$1" = "$2" ] && echo "ok $n" || { echo "not ok $n"; bad=1; }; }\nis "$(sum 1 2)" 3\n[ "$(sum 1 2)" = 3 ] || is "$(sum 2 2)" 4\necho "1..$n"\nexit $bad\n',
    },
    check: "bash check.sh",
    agent: "echo 'sum() { echo $(($1 + $2)); }' > calc.sh",
  }),
  own("only the number of failures is printed (# fail N)", {
    files: {
      "calc.sh": "sum() { echo $(($1 - $2)); }\n",
      "check.sh": 'source ./calc.sh\nbad=0\n[ "$(sum 1 2)" = 3 ] || bad=1\necho "# fail $bad"\nexit $bad\n',
    },
    check: "bash check.sh",
    agent: "echo 'sum() { echo $(($1 + $2)); }' > calc.sh",
  }),
  own("files of JUnit are left from before, of a run that failed", {
    files: {
      ".gitignore": "reports\n",
      "src/greet.sh": "echo Helo\n",
      "check.sh": 'test "$(bash src/greet.sh)" = Hello\n',
      "reports/junit.xml":
        '<testsuite name="old" tests="9" failures="2"><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>\n',
    },
    check: "bash check.sh",
    agent: "echo 'echo Hello' > src/greet.sh",
  }),
  own("a linter writes its findings as JUnit, and there are fewer", {
    files: {
      ".gitignore": "lint.xml\n",
      "src/greet.sh": "echo Helo\n",
      "check.sh":
        'if grep -q Hello src/greet.sh; then echo \'<testsuites><testsuite name="lint" tests="1" failures="0"><testcase name="clean"/></testsuite></testsuites>\' | tee lint.xml; else echo \'<testsuites><testsuite name="lint" tests="2" failures="2"><testcase name="E1"><failure/></testcase><testcase name="E2"><failure/></testcase></testsuite></testsuites>\' | tee lint.xml; exit 1; fi\n',
    },
    check: "bash check.sh",
    agent: "echo 'echo Hello' > src/greet.sh",
  }),
  onUnittest(
    "more than a megabyte is printed before the summary",
    `printf 'def add(a, b):\\n    print("x" * 1000000)\\n    return a + b\\n' > add.py`,
  ),
  onNode("a test prints two megabytes", ":", {
    files: {
      "test/big.test.js":
        'import test from "node:test";\ntest("is big", () => { for (let n = 0; n < 20000; n++) console.log("x".repeat(100)); });\n',
    },
  }),
  recorded("a summary of a benchmark is printed behind the tests' own", {
    tool: "pytest",
    check: "pytest -q",
    red: "1 failed, 11 passed in 0.2s",
    green: "12 passed in 0.2s\nbenchmark: 9 tests, 2 failed to converge",
  }),
  recorded("a warning says that a test was skipped by its author", {
    tool: "jest",
    check: "jest",
    red: "FAIL a.test.js\n\nTests:       1 failed, 11 passed, 12 total",
    green: "PASS a.test.js\nnote: 1 test failed on the last nightly run\n\nTests:       12 passed, 12 total",
  }),
  recorded("a flaky test is repeated by the tool, and passes", {
    tool: "pytest",
    check: "pytest -q --reruns 2",
    red: "1 failed, 11 passed in 0.2s",
    green: "12 passed, 1 rerun in 0.3s",
  }),
  recorded("two suites are printed in one run, and the failing one stopped the other", {
    tool: "npm",
    check: "npm run test:all",
    red: "Tests:       1 failed, 11 passed, 12 total",
    green: "Tests:       12 passed, 12 total\n\n  3 passing (4ms)",
  }),
  recorded("scenarios and steps behind the failure are reached now", {
    tool: "behave",
    check: "behave",
    red: "1 feature passed, 1 failed, 0 skipped\n5 scenarios passed, 1 failed, 0 skipped\n20 steps passed, 1 failed, 3 skipped, 0 undefined",
    green:
      "2 features passed, 0 failed, 0 skipped\n6 scenarios passed, 0 failed, 0 skipped\n24 steps passed, 0 failed, 0 skipped, 0 undefined",
  }),
];

/** The tests are the same, what is printed about them is not. */
export const quietRuns = quiet;
export const partialRuns = partly;
export const noisyRuns = noise;
