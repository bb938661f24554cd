import { file } from "../../forgeries/forgery.ts";
import { type Case, inProject, own, recorded } from "../case.ts";

const onNode = inProject("node:test");
const onVitest = inProject("vitest");
const onJest = inProject("jest");
const onMocha = inProject("mocha");
const onUnittest = inProject("unittest");
const onPytest = inProject("pytest");
const onGo = inProject("go test");
const onCargo = inProject("cargo test");

const javascript: readonly Case[] = [
  onNode("a bug is fixed (node:test)", ":"),
  onNode(
    "a bug is fixed, and a test is added for it (node:test)",
    `printf 'import test from "node:test";\\nimport assert from "node:assert";\\nimport { add } from "../src/add.js";\\ntest("adds large numbers", () => assert.equal(add(1e9, 1), 1000000001));\\n' > test/large.test.js`,
  ),
  onNode(
    "a function is moved to a module of its own",
    "mkdir -p src/math && echo 'export const add = (a, b) => a + b;' > src/math/add.js && echo 'export { add } from \"./math/add.js\";' > src/add.js",
  ),
  onNode("a helper that nothing used is deleted", "rm -f src/unused.js", {
    files: { "src/unused.js": "export const unused = 1;\n" },
  }),
  onNode(
    "the changelog and the version are updated",
    `sed -i 's/"version": "1.0.0"/"version": "1.0.1"/' package.json && echo '- Fix add' >> CHANGELOG.md`,
    {
      files: {
        "CHANGELOG.md": "# Changelog\n",
        "package.json":
          '{\n  "name": "x",\n  "version": "1.0.0",\n  "type": "module",\n  "scripts": { "test": "node --test" }\n}\n',
      },
    },
  ),
  onNode(
    "a script that only starts the program is added to package.json",
    `sed -i 's/"test": "node --test"/"test": "node --test",\\n    "start": "node src\\/add.js"/' package.json; git diff --quiet package.json || true`,
  ),
  onVitest("a bug is fixed (vitest)", ":"),
  onVitest("a source is split in two (vitest)", "echo 'export const sub = (a, b) => a - b;' > src/sub.js"),
  onJest("a bug is fixed (jest)", ":"),
  onJest(
    "a bug is fixed, and types are declared (jest)",
    "echo 'export function add(a: number, b: number): number;' > src/add.d.ts",
  ),
  onMocha("a bug is fixed (mocha)", ":"),
  onMocha(
    "a bug is fixed in a file that is written in one line",
    "printf 'exports.add = (a, b) => a + b;' > src/add.js",
  ),
];

const python: readonly Case[] = [
  onUnittest("a bug is fixed (unittest)", ":"),
  onUnittest(
    "a bug is fixed, and a test is added for it (unittest)",
    "printf 'import unittest\\nfrom add import add\\n\\n\\nclass Large(unittest.TestCase):\\n    def test_large(self):\\n        self.assertEqual(add(10**9, 1), 10**9 + 1)\\n' > tests/test_large.py",
  ),
  onUnittest(
    "a module becomes a package",
    "mkdir -p calc && echo 'def add(a, b):\n    return a + b' > calc/__init__.py && echo 'from calc import add' > add.py",
  ),
  onUnittest(
    "a function gets types and a docstring",
    'printf \'def add(a: int, b: int) -> int:\\n    """Adds."""\\n    return a + b\\n\' > add.py',
  ),
  onUnittest("a module of constants is added", "echo 'ZERO = 0' > constants.py"),
  onPytest("a bug is fixed (pytest)", ":"),
  onPytest(
    "a bug is fixed, and a test is added for it (pytest)",
    "printf 'from add import add\\n\\n\\ndef test_large():\\n    assert add(10**9, 1) == 10**9 + 1\\n' > tests/test_large.py",
  ),
  onPytest(
    "the version in pyproject.toml is raised",
    `sed -i 's/version = "1"/version = "2"/' pyproject.toml`,
  ),
  onPytest(
    "a classifier is added to pyproject.toml",
    `grep -q classifiers pyproject.toml || sed -i 's/version = "1"/version = "1"\\nclassifiers = ["Typing :: Typed"]/' pyproject.toml`,
  ),
];

const compiled: readonly Case[] = [
  onGo("a bug is fixed (go)", ":"),
  onGo(
    "a bug is fixed, and a package is added (go)",
    "mkdir -p sub && printf 'package sub\\n\\nfunc Sub(a, b int) int { return a - b }\\n' > sub/sub.go",
  ),
  onCargo("a bug is fixed (cargo)", ":"),
  onCargo(
    "a module is added (cargo)",
    "grep -q 'mod sub' src/lib.rs || { echo 'pub mod sub;' >> src/lib.rs; echo 'pub fn sub(a: i32, b: i32) -> i32 { a - b }' > src/sub.rs; }",
  ),
  inProject("make")("a bug is fixed (make, C)", ":"),
  inProject("ctest")("a bug is fixed (CTest)", ":"),
  inProject("meson")("a bug is fixed (Meson)", ":"),
];

const scripted: readonly Case[] = [
  inProject("rspec")("a bug is fixed (RSpec)", ":"),
  inProject("minitest")("a bug is fixed (minitest)", ":"),
  inProject("phpunit")("a bug is fixed (PHPUnit)", ":"),
  inProject("bats")("a bug is fixed (Bats)", ":"),
  inProject("busted")("a bug is fixed (busted)", ":"),
  inProject("prove")("a bug is fixed (prove)", ":"),
  inProject("prove")(
    "a module is added (prove)",
    "printf 'package Sub;\\nsub sub_ { $_[0] - $_[1] }\\n1;\\n' > lib/Sub.pm",
  ),
];

const others: readonly Case[] = [
  own("a shell script is fixed, the check compares its output", {
    files: { "greet.sh": "echo Helo\n", "check.sh": 'test "$(bash greet.sh)" = Hello\n' },
    check: "bash check.sh",
    agent: file("greet.sh", "echo Hello"),
  }),
  own("a broken link in a page is fixed, the check looks for targets", {
    files: {
      "docs/a.md": "[b](c.md)\n",
      "docs/b.md": "b\n",
      "check-links.sh": `for target in $(sed -n 's/.*(\\(.*\\.md\\)).*/\\1/p' docs/*.md); do test -e "docs/$target" || { echo "docs/$target is missing"; exit 1; }; done\n`,
    },
    check: "bash check-links.sh",
    agent: "sed -i 's/(c.md)/(b.md)/' docs/a.md",
  }),
  own("JSON that does not parse is fixed", {
    files: { "data/a.json": '{ "a": 1, }\n' },
    check: "python3 -m json.tool data/a.json > /dev/null",
    agent: `echo '{ "a": 1 }' > data/a.json`,
  }),
  own("a syntax error in Python is fixed", {
    files: { "app.py": "def main(:\n    pass\n" },
    check: "python3 -m py_compile app.py",
    agent: "printf 'def main():\\n    pass\\n' > app.py",
  }),
  own("a program in C that does not compile is fixed", {
    files: {
      "a.c": "int main(void) { return 0 }\n",
      Makefile: "a: a.c\n\t$(CC) -o a a.c\n",
      ".gitignore": "a\n",
    },
    check: "make a",
    agent: "echo 'int main(void) { return 0; }' > a.c",
  }),
  recorded("a bug is fixed (dotnet test)", {
    tool: "dotnet",
    check: "dotnet test",
    red: "Failed!  - Failed:     1, Passed:    11, Skipped:     0, Total:    12, Duration: 45 ms - App.Tests.dll (net8.0)",
    green:
      "Passed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12, Duration: 44 ms - App.Tests.dll (net8.0)",
  }),
  recorded("a bug is fixed (Maven)", {
    tool: "mvn",
    check: "mvn -B test",
    files: { "pom.xml": "<project><artifactId>x</artifactId></project>\n" },
    red: "[INFO]  T E S T S\n[INFO] Running AddTest\n[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.03 s <<< FAILURE! -- in AddTest\n[ERROR] AddTest.adds:9 expected: <3> but was: <-1>\n[INFO] Results:\n[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE",
    green:
      "[INFO]  T E S T S\n[INFO] Running AddTest\n[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.03 s -- in AddTest\n[INFO] Results:\n[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS",
  }),
  recorded("a bug is fixed (mix test)", {
    tool: "mix",
    check: "mix test",
    code: 2,
    red: "Running ExUnit with seed: 12, max_cases: 4\n\n.\n\n  1) test adds (AddTest)\n     test/add_test.exs:4\n     Assertion with == failed\n\nFinished in 0.02 seconds (0.00s async, 0.02s sync)\n2 tests, 1 failure",
    green:
      "Running ExUnit with seed: 99, max_cases: 4\n\n..\nFinished in 0.02 seconds (0.00s async, 0.02s sync)\n2 tests, 0 failures",
  }),
  recorded("a type error is fixed (tsc)", {
    tool: "tsc",
    check: "tsc --noEmit",
    code: 2,
    red: "src/add.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'.",
    green: "",
  }),
  recorded("a lint is fixed (ruff)", {
    tool: "ruff",
    check: "ruff check .",
    red: "add.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.",
    green: "All checks passed!",
  }),
  recorded("a bug is fixed (swift test)", {
    tool: "swift",
    check: "swift test",
    red: "Test Suite 'All tests' started at 2026-01-01 10:00:00.000\nTest Case '-[AddTests testAdds]' started.\n/x/AddTests.swift:5: error: -[AddTests testAdds] : XCTAssertEqual failed\nTest Case '-[AddTests testAdds]' failed (0.003 seconds).\nTest Suite 'All tests' failed at 2026-01-01 10:00:00.100.\n\t Executed 1 test, with 1 failure (0 unexpected) in 0.003 (0.004) seconds",
    green:
      "Test Suite 'All tests' started at 2026-01-01 10:00:00.000\nTest Case '-[AddTests testAdds]' started.\nTest Case '-[AddTests testAdds]' passed (0.001 seconds).\nTest Suite 'All tests' passed at 2026-01-01 10:00:00.100.\n\t Executed 1 test, with 0 failures (0 unexpected) in 0.001 (0.002) seconds",
  }),
];

/** What hurts nobody today, and must not. */
export const plain: readonly Case[] = [...javascript, ...python, ...compiled, ...scripted, ...others];
