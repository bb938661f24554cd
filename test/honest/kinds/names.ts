import { file } from "../../forgeries/forgery.ts";
import { type Case, inProject, recorded } from "../case.ts";

const onNode = inProject("node:test");
const onJest = inProject("jest");
const onUnittest = inProject("unittest");
const onPytest = inProject("pytest");
const baseline = "check: { baseline: true, timeout: 10m }";
const allowed = (...globs: readonly string[]) =>
  `${baseline}\nallow: [${globs.map((glob) => `"${glob}"`).join(", ")}]`;
const mayChangeTests = { keys: allowed("test/**", "tests/**", "package.json") };

const head = [
  'import test from "node:test";',
  'import assert from "node:assert";',
  'import { add } from "../src/add.js";',
];
const nodeTests = (...names: readonly string[]) => [
  ...head,
  `test("${names[0]}", () => assert.equal(add(1, 2), 3));`,
  `test("${names[1]}", () => assert.equal(add(1, 0), 1));`,
  `test("${names[2]}", () => assert.equal(add(5, -2), 3));`,
];

const moved: readonly Case[] = [
  onNode(
    "a test is renamed, with permission",
    file("test/add.test.js", ...nodeTests("adds two numbers", "adds nothing", "adds backwards")),
    mayChangeTests,
  ),
  onNode(
    "all tests get better names, with permission",
    file("test/add.test.js", ...nodeTests("sums", "sums with zero", "sums with a negative number")),
    mayChangeTests,
  ),
  onNode(
    "a test file moves to a folder, with permission",
    `mkdir -p test/unit; rm -f test/add.test.js; ${file("test/unit/add.test.js", ...nodeTests("adds", "adds nothing", "adds backwards").map((line) => line.replace("../src", "../../src")))}`,
    mayChangeTests,
  ),
  onNode(
    "tests are grouped in a suite, with permission",
    file(
      "test/add.test.js",
      'import { describe } from "node:test";',
      ...nodeTests("adds", "adds nothing", "adds backwards").slice(0, 3),
      'describe("add", () => {',
      ...nodeTests("adds", "adds nothing", "adds backwards").slice(3),
      "});",
    ),
    mayChangeTests,
  ),
  onNode(
    "one test is split in two, with permission",
    file(
      "test/add.test.js",
      ...nodeTests("adds two", "adds nothing", "adds backwards"),
      'test("adds three", () => assert.equal(add(add(1, 1), 1), 3));',
    ),
    mayChangeTests,
  ),
  onUnittest(
    "a test class is renamed, with permission",
    "sed -i 's/class Add(/class Sum(/' tests/test_add.py",
    mayChangeTests,
  ),
  onUnittest(
    "unittest becomes pytest's style, with permission",
    file(
      "tests/test_add.py",
      "from add import add",
      "",
      "",
      "def test_adds():",
      "    assert add(1, 2) == 3",
      "",
      "",
      "def test_adds_nothing():",
      "    assert add(1, 0) == 1",
    ),
    { ...mayChangeTests, needs: "pytest", check: "python3 -m pytest -q -p no:cacheprovider" },
  ),
  onPytest(
    "two tests become one with parameters, with permission",
    file(
      "tests/test_add.py",
      "import pytest",
      "",
      "from add import add",
      "",
      "",
      '@pytest.mark.parametrize("a, b, c", [(1, 2, 3), (1, 0, 1)])',
      "def test_adds(a, b, c):",
      "    assert add(a, b) == c",
    ),
    mayChangeTests,
  ),
  onPytest(
    "a test module moves with its source, with permission",
    "mkdir -p tests/calc; git mv -k tests/test_add.py tests/calc/test_add.py",
    mayChangeTests,
  ),
  onJest(
    "a describe block is renamed, with permission",
    `sed -i 's/describe("add"/describe("the sum"/' test/add.test.js`,
    mayChangeTests,
  ),
  onJest(
    "a test is renamed in a table, with permission",
    "sed -i 's/adds nothing/adds zero/' test/add.test.js",
    mayChangeTests,
  ),
  inProject("mocha")(
    "mocha becomes node:test, with permission",
    `${file("test/add.test.js", 'const assert = require("assert");', 'const { describe, it } = require("node:test");', 'const { add } = require("../src/add.js");', 'describe("add", () => {', '  it("adds", () => assert.equal(add(1, 2), 3));', '  it("adds nothing", () => assert.equal(add(1, 0), 1));', "});")}echo '{ "name": "x", "scripts": { "test": "node --test" } }' > package.json`,
    mayChangeTests,
  ),
  recorded("mocha becomes vitest, with permission", {
    tool: "npm",
    check: "npm test",
    keys: allowed("test/**", "package.json"),
    red: "\n  add\n    ✔ adds nothing\n    1) adds\n\n\n  1 passing (4ms)\n  1 failing",
    green:
      " ✓ test/add.test.js > add > adds 1ms\n ✓ test/add.test.js > add > adds nothing 0ms\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)",
  }),
  recorded("JUnit 4 becomes JUnit 5, with permission", {
    tool: "mvn",
    check: "mvn -B test",
    keys: allowed("src/test/**", "pom.xml"),
    files: { "pom.xml": "<project />\n" },
    red: "[INFO] Running AddTest\n[ERROR] adds(AddTest)  Time elapsed: 0.01 s  <<< FAILURE!\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE",
    green:
      "[INFO] Running AddTest$Numbers\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.01 s -- in AddTest$Numbers\n[INFO] Results:\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS",
  }),
  recorded("a module of Rust with tests in it is split", {
    tool: "cargo",
    check: "cargo test",
    code: 101,
    red: "running 2 tests\ntest math::tests::adds ... FAILED\ntest math::tests::subs ... ok\n\nfailures:\n    math::tests::adds\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    green:
      "running 2 tests\ntest math::add::tests::adds ... ok\ntest math::sub::tests::subs ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    files: { "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\n' },
  }),
  recorded("a module of Rust with doctests is renamed", {
    tool: "cargo",
    check: "cargo test --doc",
    code: 101,
    red: "   Doc-tests x\n\nrunning 2 tests\ntest src/lib.rs - add (line 3) ... FAILED\ntest src/lib.rs - sub (line 12) ... ok\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.3s",
    green:
      "   Doc-tests x\n\nrunning 2 tests\ntest src/lib.rs - add (line 5) ... ok\ntest src/lib.rs - sub (line 16) ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.3s",
  }),
];

const changing = (title: string, name: string) =>
  onNode(title, ":", {
    files: { "test/changing.test.js": `import test from "node:test";\ntest(${name}, () => {});\n` },
  });

const values: readonly Case[] = [
  changing("a test's name has the time in it", "`at ${Date.now()}`"),
  changing(
    "a test's name has a temporary path in it",
    '`reads ${process.env.TMPDIR ?? "/tmp"}/x-${process.pid}`',
  ),
  changing("a test's name has a random word in it", "`seed ${crypto.randomUUID()}`"),
  onNode("a test's name has the computed value in it", ":", {
    files: {
      "test/value.test.js":
        'import test from "node:test";\nimport assert from "node:assert";\nimport { add } from "../src/add.js";\ntest(`1 + 2 is ${add(1, 2)}`, () => assert.equal(add(1, 2), 3));\n',
    },
  }),
  onNode(
    "tests are made from a list that the fix corrects",
    'echo \'export const ops = ["add", "sub"];\' > src/ops.js',
    {
      files: {
        "src/ops.js": 'export const ops = ["ad", "sub"];\n',
        "test/ops.test.js":
          'import test from "node:test";\nimport assert from "node:assert";\nimport { ops } from "../src/ops.js";\nfor (const op of ops) test(op, () => assert.equal(op.length, 3));\n',
      },
    },
  ),
  onPytest(
    "a parameter's identifier is the value that was wrong",
    `printf 'WORDS = ["red", "blue"]\\n' > words.py`,
    {
      files: {
        "words.py": 'WORDS = ["rd", "blue"]\n',
        "tests/test_words.py":
          "import pytest\n\nfrom words import WORDS\n\n\n@pytest.mark.parametrize('word', WORDS)\ndef test_word(word):\n    assert word in ('red', 'blue')\n",
      },
    },
  ),
  onPytest("a parameter's identifier is an object's address", ":", {
    files: {
      "tests/test_object.py":
        "import pytest\n\n\n@pytest.mark.parametrize('f', [object()], ids=repr)\ndef test_object(f):\n    assert f\n",
    },
  }),
  onUnittest(
    "a test is named by the pages of the docs, one of which is renamed",
    "git mv -k docs/instal.md docs/install.md",
    {
      files: {
        "docs/instal.md": "x\n",
        "tests/test_docs.py":
          "import os\nimport unittest\n\n\nclass Docs(unittest.TestCase):\n    pass\n\n\nfor page in os.listdir('docs'):\n    setattr(Docs, 'test_' + page, lambda self, page=page: self.assertIn(page, ['install.md', 'a.md']))\n",
      },
    },
  ),
];

/** Tests that still run, under other names. */
export const renamedTests = moved;
export const changingNames = values;
