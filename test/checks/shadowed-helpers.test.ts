import { expect, test } from "vitest";
import { shadowsHelper } from "../../src/checks/shadowed-helpers.ts";

const tests = [
  "test/helpers.js",
  "test/add.test.js",
  "tests/helpers.py",
  "tests/test_add.py",
  "test/data/sample.js",
  "test_sub.py",
  "test/support/sums.rb",
  "test/support/old.rb",
  "test/calc.rb",
];
const paths = [...tests, "lib/support/old.rb"];

test.each([
  ["test/helpers.mjs", "an import without an extension may load it"],
  ["tests/helpers/__init__.py", "Python prefers a package to a module"],
  ["tests/helpers.cpython-311-x86_64-linux-gnu.so", "Python prefers a compiled module"],
  ["tests/test_add/__init__.py", "runners of Python import a test by its name"],
  ["tests/test_add.so", "runners of Python import a test by its name"],
  ["test_sub/__init__.py", "a test need not be in a folder of tests"],
  ["lib/support/sums.rb", "rake looks there first"],
])("%s replaces a file of the tests: %s", (path) => {
  expect(shadowsHelper(tests, paths)(path)).toBe(true);
});

test.each([
  ["test/add.test.mjs", "nothing imports a test of JavaScript"],
  ["lib/calc.rb", "the code that a test is about may have its name"],
  ["tests/test_sub/__init__.py", "there is no test of that name"],
  ["tests/__init__.py", "it makes a package of the folder"],
  ["test/data/sample.mjs", "it is data"],
  ["test/helpers.js", "it was there"],
  ["lib/support/old.rb", "it was there"],
])("%s does not: %s", (path) => {
  expect(shadowsHelper(tests, paths)(path)).toBe(false);
});
