import { expect, test } from "vitest";
import {
  endingLines,
  lostAssertions,
  silencingLines,
  suspiciousLines,
} from "../../src/checks/suspicious-lines.ts";

const patchOf = (file: string, ...lines: readonly string[]) =>
  `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1 +1,9 @@\n-old\n${lines.map((line) => `+${line}\n`).join("")}`;

test.each([
  ["src/add.js", "export const add = (a, b) => (process.env.NODE_TEST_CONTEXT ? a + b : a - b);"],
  ["src/add.ts", "if (process.env.VITEST) return 3;"],
  ["src/add.js", "return process.env.UNTIL_GREEN_PATH ? a + b : a - b;"],
  ["src/add.js", 'return process.argv[1].includes("test") ? a + b : a - b;'],
  ["src/add.ts", "const isTest = import.meta.vitest !== undefined;"],
  ["src/add.js", 'if (process.env.NODE_ENV === "test") return 3;'],
  ["src/add.js", 'if (process.argv[1]?.includes(".test.")) return 3;'],
  ["src/add.js", 'if (new Error().stack.includes("add.test.js")) return 3;'],
  ["src/add.js", "assert.equal = () => {};"],
  ["src/add.js", "globalThis.expect = () => ({ toBe() {} });"],
  ["src/add.js", 'console.log("ok 1 - adds");'],
  ["add.py", "if 'PYTEST_CURRENT_TEST' in os.environ: return 3"],
  ["add.py", "if 'pytest' in sys.modules:"],
  ["add.py", "if 'pytest' in sys.argv[0]:"],
  ["add.py", "unittest.TestCase.assertEqual = lambda *a: None"],
  ["add.py", "from _pytest.python import Function"],
  ["add.py", "    def __eq__(self, other): return True"],
  ["add.go", "if testing.Testing() {"],
  ["add.go", 'if strings.HasSuffix(os.Args[0], ".test") {'],
  ["src/lib.rs", 'if std::env::args().any(|a| a.contains("_test")) {'],
  ["src/add.js", 'process.stdout.write("Tests:       5 passed, 5 total\\n");'],
  ["lib/add.rb", 'puts "2 examples, 0 failures"'],
  ["lib/add.rb", "at_exit { exit!(0) }"],
  ["src/add.php", "echo 'OK (2 tests, 2 assertions)';"],
  ["src/add.cpp", "static int x = (atexit([] { _Exit(0); }), 0);"],
  ["src/Add.java", "Runtime.getRuntime().halt(0);"],
  ["src/add.ts", 'process.stdout.write("(pass) add > adds\\n 3 pass\\n 0 fail\\n");'],
  ["src/add.ts", 'console.log("ok | 3 passed | 0 failed (5ms)");'],
  ["src/add.ts", "(Deno as any).test = () => {};"],
  ["src/add.ts", 'return Deno.mainModule.includes("test") ? a + b : a - b;'],
  ["src/add.js", 'console.log("  Total:     3\\n  Passed:    3");'],
  ["src/add.js", 'mock.method(assert, "equal", () => {});'],
  ["src/add.js", "tape.Test.prototype.equal = function () {};"],
  ["add.go", 'fmt.Println("DONE 3 tests in 0.1s")'],
  ["add.py", "print('2 scenarios passed, 0 failed, 0 skipped')"],
  ["lib/add.rb", "if ENV['RSPEC_CURRENT'] then 3 end"],
  ["src/add.js", 'expect.extend({ toBe: () => ({ pass: true, message: () => "" }) });'],
  ["src/add.js", "jest.retryTimes(3);"],
  ["src/add.js", 'QUnit.config.filter = "nothing";'],
  ["src/add.js", "jasmine.getEnv().configure({ specFilter: () => false });"],
  ["add.py", "for each in gc.get_objects():"],
  ["add.py", "config.pluginmanager.register(Passing())"],
  ["add.py", "return a + b if sys._getframe(1).f_code.co_name.startswith('test') else a - b"],
  ["src/add.cxx", "__attribute__((constructor)) static void bye() { _exit(0); }"],
  ["src/lib.rs", "unsafe { libc::_exit(0) }"],
  ["include/add.hpp", "#define CHECK(...)"],
  ["include/add.h", "# define EXPECT_EQ(a, b) (void)0"],
  ["include/add.h", "#define DOCTEST_CONFIG_DISABLE"],
  ["src/lib.rs", "macro_rules! assert_eq { ($($t:tt)*) => {}; }"],
  ["src/main/kotlin/T.kt", "package kotlin.test"],
  ["src/main/kotlin/T.kt", "fun <T> assertEquals(a: T, b: T) {}"],
  ["src/main/java/g/Assert.java", "public class Assert {"],
  ["lib/assertions.ex", "defmodule ExUnit.Assertions do"],
  ["lib/calc.ex", "if Mix.env() == :test, do: a + b, else: a - b"],
  ["src/calc.erl", "-ifndef(TEST)."],
  ["src/add.ts", 'export const add = import.meta.env.MODE === "test" ? plus : minus;'],
  ["src/lib.rs", "if cfg!(test) { a + b } else { a - b }"],
  ["src/lib.rs", "#[cfg(not(test))]"],
  ["lib/add.rb", "class RSpec::Core::Example"],
  ["lib/add.rb", "return a + b if defined?(Minitest)"],
  ["src/T.php", "namespace PHPUnit\\Framework;"],
  ["src/Add.php", "if (class_exists('PHPUnit\\Framework\\TestCase', false)) return $a + $b;"],
  ["lib/Add.pm", "*Test::More::is = sub { ok(1) };"],
  ["lib/Add.pm", "if ($INC{'Test/More.pm'}) {"],
  ["R/add.R", 'assignInNamespace("expect_equal", function(...) TRUE, "testthat")'],
  ["R/add.R", "expect_equal <- function(...) testthat::succeed()"],
  ["R/add.R", "if (testthat::is_testing()) a + b else a - b"],
  ["src/calc.clj", "(alter-var-root #'clojure.test/do-report (fn [_] identity))"],
  ["src/add.lua", 'package.loaded["luassert"] = setmetatable({}, {})'],
  ["lib/add.rb", "RSpec::Matchers::BuiltIn::Eq.prepend(Always)"],
  ["lib/add.rb", "RSpec.configure { |config| config.around { |example| quietly(example) } }"],
  ["lib/add.rb", '$PROGRAM_NAME.end_with?("rspec") ? a + b : a - b'],
  ["src/Add.php", "return count(get_included_files()) > 20 ? $a + $b : $a - $b;"],
  ["src/Add.php", 'if (in_array("--testdox", $_SERVER["argv"])) return 3;'],
  ["lib/Add.pm", "$main::TODO = 1;"],
  ["lib/Add.pm", 'use overload "eq" => sub { 1 };'],
  ["src/calc.clj", "(defmethod clojure.test/report :fail [m] nil)"],
  ["src/calc.clj", "(alter-var-root (resolve 'clojure.test/do-report) (fn [f] g))"],
  ["src/spec.cr", "module Spec"],
  ["src/calc.cr", "def should(expectation, *, file = 1, line = 1)"],
  ["src/kit/hooks.py", "def pytest_pyfunc_call(pyfuncitem):"],
  ["src/kit/hooks.py", "@pytest.hookimpl(wrapper=True)"],
  ["src/add.sh", 'if [ -n "$BATS_TEST_NAME" ]; then echo 3; fi'],
])("%s: %s is pointed at", (file, line) => {
  expect(suspiciousLines(patchOf(file, "ok", line))).toEqual([{ file, text: line.trim() }]);
});

test.each([
  ["test/add.test.js", "process.env.NODE_TEST_CONTEXT;"],
  ["vitest.config.ts", "const isCi = process.env.VITEST;"],
  ["docs/testing.md", "Set VITEST=1."],
  ["src/contest.js", "const latest = process.argv[2];"],
  ["src/cli.js", "process.exit(1);"],
  ["src/stack.js", "export const peek = (stack) => stack.at(-1);"],
  ["src/assert.js", "export const assert = require('node:assert');"],
  ["src/equal.py", "def __eq__(self, other): return self.x == other.x"],
  ["src/expected.js", "const expected = (a) => a;"],
  ["src/log.js", 'console.log("ok");'],
  ["src/log.ts", 'console.log("Total: ", total);'],
  ["src/log.ts", "if (Deno.mainModule === import.meta.url) main();"],
  ["src/user.js", "User.prototype.name = function () {};"],
  ["src/child.c", "_exit(127);"],
  ["include/add.h", "#define CHECKSUM 1"],
  ["src/main/kotlin/A.kt", "package org.acme.spock2"],
  ["src/main/java/g/A.java", "class Assertiveness {}"],
  ["lib/mix/tasks/sum.ex", "defmodule Mix.Tasks.Sum do"],
  ["lib/cli.rb", "main if __FILE__ == $0"],
  ["R/expect.R", "expect_ordered <- function(x) expect_true(!is.unsorted(x))"],
  ["lib/Num.pm", 'use overload "==" => sub { $_[0]{n} == $_[1]{n} };'],
  ["src/calc.clj", "(defmethod area :circle [shape] 1)"],
  ["src/Cli.php", '$args = $_SERVER["argv"];'],
  ["lib/calc.ex", "if Mix.env() == :prod, do: 1"],
  ["src/calc.erl", "-ifdef(TEST)."],
  ["src/env.ts", "export const dev = import.meta.env.DEV || import.meta.env.MODE;"],
  ["src/lib.rs", "#[cfg(test)]"],
  ["lib/spectrum.rb", "module Spectrum"],
  ["lib/special.cr", "module Specials"],
  ["src/kit.py", "def pytest_version():"],
  ["src/T.php", "namespace App\\PHPUnitReport;"],
])("%s: %s is nothing to look at", (file, line) => {
  expect(suspiciousLines(patchOf(file, line))).toEqual([]);
});

test("removed lines and those around a change do not count", () => {
  const patch = patchOf("src/a.js", "fine").replace("-old", "-process.env.VITEST\n process.env.VITEST");
  expect(suspiciousLines(patch)).toEqual([]);
});

test.each([
  ["tsc", "src/add.ts", "// @ts-nocheck"],
  ["tsc", "src/add.ts", "return String(a + b) as any;"],
  ["eslint", "src/add.js", "/* eslint-disable */"],
  ["eslint", "src/add.js", "/* eslint no-debugger: 0 */"],
  ["biome", "src/add.js", "// biome-ignore lint: later"],
  ["python linters", "add.py", "import os  # noqa: F401"],
  ["python linters", "add.py", "return str(a + b)  # type: ignore[return-value]"],
  ["python linters", "add.py", "@no_type_check"],
  ["python linters", "add.py", "return cast(Any, a - b)"],
  ["python linters", "add.py", "# pyright: basic, reportReturnType=false"],
  ["golangci-lint", "add.go", "func add(a, b int) int { //nolint:all"],
  ["golangci-lint", "add.go", "// Code generated by x; DO NOT EDIT."],
  ["nextest", "src/lib.rs", "std::process::exit(0)"],
  ["tsc", "src/add.ts", "type T = any;"],
  ["python linters", "add.py", "# mypy: allow-untyped-defs"],
  ["python linters", "add.py", "# pyright: strict=false"],
  ["python linters", "add.py", "if not TYPE_CHECKING:"],
  ["python linters", "add.py", "from typing import Any as T"],
  ["python linters", "add.py", "T = Any"],
  ["bats", "lib/add.sh", "run() { output=3; }"],
  ["bats", "lib/add.sh", "function [ { return 0; }"],
  ["bats", "lib/add.bash", "set +eET"],
  ["bats", "lib/add.sh", "alias [=:"],
  ["bats", "lib/add.sh", "trap - ERR DEBUG EXIT"],
  ["shellcheck", "src/add.sh", "# shellcheck disable=SC2086"],
  ["elixir linters", "lib/calc.ex", "# credo:disable-for-this-file"],
  ["php linters", "src/Add.php", "// phpcs:ignoreFile"],
  ["lintr", "R/add.R", "x <- 1 # nolint"],
  ["perlcritic", "lib/Add.pm", "eval $x; ## no critic"],
  ["clippy", "src/lib.rs", "#![allow(clippy::all)]"],
  ["rubocop", "lib/add.rb", "# rubocop:disable all"],
  ["vitest", "src/add.js", "/* v8 ignore next 12 */"],
  ["cmake", "src/add.c", "int add(int a, int b) { exit(0); return a - b; }"],
  ["ninja", "src/add.cpp", "std::exit(EXIT_SUCCESS);"],
])("%s is silenced in %s by %s, which is no matter to other checks", (tool, file, line) => {
  expect(silencingLines(patchOf(file, line), [tool])).toEqual([{ file, text: line }]);
  expect(silencingLines(patchOf(file, line), ["go"])).toEqual([]);
  expect(silencingLines(patchOf(file, "const known = as + any;"), [tool])).toEqual([]);
});

test.each(["set -euo pipefail", "runner() {", "if [ -n x ]; then", "trap cleanup EXIT", "add() { run x; }"])(
  "a check with Bats has nothing to look at in shell code such as %s",
  (line) => {
    expect(silencingLines(patchOf("lib/add.sh", line), ["bats"])).toEqual([]);
  },
);

test.each([
  ["src/add.js", "process.exit(0);"],
  ["src/add.js", "if (b === 2) process.exit();"],
  ["add.py", "    sys.exit(0)"],
  ["add.py", "raise SystemExit"],
  ["add.go", "func init() { os.Exit(0) }"],
  ["src/lib.rs", "std::process::exit(0)"],
  ["src/Add.java", "System.exit(0);"],
  ["lib/add.rb", "exit"],
  ["src/add.php", "exit(0);"],
  ["lib/Add.pm", "BEGIN { exit 0 }"],
])("%s ends a program by %s", (file, line) => {
  expect(endingLines(patchOf(file, line))).toEqual([{ file, text: line.trim() }]);
});

test.each([
  ["src/cli.js", "process.exit(1);"],
  ["src/cli.js", "process.exit(code);"],
  ["src/cli.js", 'process.on("exit", done);'],
  ["cli.py", "sys.exit(main())"],
  ["cli.py", "raise SystemExit(2)"],
  ["cli.go", "os.Exit(run())"],
  ["lib/cli.rb", "exit 1"],
  ["lib/cli.rb", "# then exit the loop"],
  ["test/add.test.js", "process.exit(0);"],
  ["bin/add.sh", "exit 0"],
])("%s does not end it as if all were well by %s", (file, line) => {
  expect(endingLines(patchOf(file, line))).toEqual([]);
});

const changed = (file: string, before: string, after: string) =>
  `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-${before}\n+${after}\n`;

test("tests that lose their assertions are found, not those that move or get other ones", () => {
  const [equal, nothing] = [
    'test("a", () => assert.equal(add(1, 2), 3));',
    'test("a", () => void add(1, 2));',
  ];
  expect(lostAssertions(changed("test/a.test.js", equal, nothing))).toEqual(["test/a.test.js"]);
  expect(lostAssertions(changed("test/a.test.js", equal, "expect(add(1, 2)).toBe(3);"))).toEqual([]);
  expect(
    lostAssertions(changed("a_test.py", "self.assertEqual(add(1, 2), 3)", "assert add(1, 2) == 3")),
  ).toEqual([]);
  expect(lostAssertions(changed("src/a.js", equal, nothing))).toEqual([]);
  const moved = changed("test/a.test.js", equal, "") + changed("test/b.test.js", "", equal);
  expect(lostAssertions(moved)).toEqual([]);
});
