import { expect, test } from "vitest";
import { productLookalikes } from "../../src/checks/lookalikes.ts";

const test1 =
  'import test from "node:test";\nimport { add } from "../src/add.js";\ntest("adds", () => add(1));\n';
const plain = "export const add = (one) => one;\n";

/** The lookalikes among the files whose path names a test. */
async function lookalikes(files: Readonly<Record<string, string>>) {
  const paths = Object.keys(files);
  const named = paths.filter((path) => /test|fixtures/i.test(path));
  const read = new Set<string>();
  const found = await productLookalikes(named, {
    paths,
    text: (path) => (read.has(path) ? files[path] : ""),
    read: async (more) => {
      for (const path of more) read.add(path);
    },
  });
  return [...found].sort();
}

test("a module that code under test imports is no test, whatever its name", async () => {
  const found = await lookalikes({
    "test/add.test.js": test1,
    "src/add.js": 'import { b } from "./tests/score";\nconst c = require("./sum.js");\n',
    "src/sum.ts": 'export * from "./fixtures/index.js";\n',
    "src/tests/score.js": 'import "./inner.js";\n',
    "src/tests/inner.js": plain,
    "src/fixtures/index.ts": plain,
  });
  expect(found).toEqual(["src/fixtures/index.ts", "src/tests/inner.js", "src/tests/score.js"]);
});

test("the same holds in Python, with relative and absolute imports", async () => {
  const found = await lookalikes({
    "tests/test_add.py": "import unittest\nfrom add import add\nfrom pkg import core\n",
    "add.py": "from ab_test import add\n",
    "pkg/core.py": "from .tests_of_blood import (one,\n",
    "ab_test.py": "def add(): pass\n",
    "pkg/tests_of_blood/__init__.py": "one = 1\n",
  });
  expect(found).toEqual(["ab_test.py", "pkg/tests_of_blood/__init__.py"]);
});

test.each<[string, Readonly<Record<string, string>>]>([
  [
    "only tests import it",
    { "test/helper.js": plain, "test/b.test.js": 'test("b", 1); import "./helper.js";' },
  ],
  [
    "something in it tests",
    {
      "src/add.js": 'import "./tests/a.js";',
      "src/tests/a.js": "export const same = () => assert.equal(1, 1);",
    },
  ],
  [
    "only a script that no test imports does",
    { "scripts/seed.js": 'import "../test/users.js";', "test/users.js": plain, "src/add.js": plain },
  ],
  ["only a test of the product's folder does", { "src/add.js": plain, "src/test/user.js": plain }],
  ["it is data", { "src/add.js": 'import "./test/a.json";', "src/test/a.json": "{}" }],
])("a file that is a test by its name stays one if %s", async (_, files) => {
  expect(await lookalikes({ "test/add.test.js": test1, ...files })).toEqual([]);
});

test("in a project with too many files, every name counts", async () => {
  const many = Object.fromEntries(Array.from({ length: 1_501 }, (_, at) => [`test/${at}.test.js`, test1]));
  expect(
    await lookalikes({ ...many, "src/add.js": 'import "./test/a.js";', "src/test/a.js": plain }),
  ).toEqual([]);
});

test("a file in a place from which no tool runs tests is no test, unless it helps to test", async () => {
  const found = await lookalikes({
    "src/main/java/a/TestResult.java": "class TestResult { int a; }\n",
    "src/main/java/a/TestBase.java": "import org.junit.jupiter.api.Assertions;\n",
    "src/test/java/a/TestData.java": "class TestData { int a; }\n",
    "app/services/grade_test.rb": "def grade = 1\n",
    "app/models/model_test.rb": "class ModelTest < Minitest::Test\n  def test_it = assert(1)\nend\n",
    "lib/grade_test.rb": "def grade = 1\n",
    "testutil/equal.go": "package testutil\n\nfunc Equal(a, b int) bool { return a == b }\n",
    "testutil/equal_test.go": 'package testutil\n\nimport "testing"\n',
    "testutil/mock.go": "package testutil\n",
  });
  expect(found).toEqual([
    "app/services/grade_test.rb",
    "src/main/java/a/TestResult.java",
    "testutil/equal.go",
  ]);
});
