import { file } from "../../forgeries/forgery.ts";
import { type Case, inProject, own, recorded } from "../case.ts";

const onNode = inProject("node:test");
const compiled = (source: string) => ({
  "main.c": source,
  Makefile: "check: main.c\n\t$(CC) -o t main.c 2> /dev/null && ./t\n\n.PHONY: check\n",
  ".gitignore": "t\n",
});

/** The bug is a crash, a missing script, or tests that are still to be written. */
export const brokenChecks: readonly Case[] = [
  own("the bug is a segmentation fault", {
    needs: "gcc",
    files: compiled("int main(int n, char **v) { (void)v; int *p = n > 9 ? &n : 0; return *p - 1; }\n"),
    check: "gcc -o t main.c && ./t",
    agent: file("main.c", "int main(int n, char **v) { (void)v; int *p = &n; return *p - 1; }"),
  }),
  own("the bug is a failed assertion (make)", {
    needs: "gcc",
    files: compiled(
      "#include <assert.h>\nstatic int two(void) { return 3; }\nint main(void) { assert(two() == 2); return 0; }\n",
    ),
    check: "gcc -o t main.c && ./t",
    agent: file(
      "main.c",
      "#include <assert.h>",
      "static int two(void) { return 2; }",
      "int main(void) { assert(two() == 2); return 0; }",
    ),
  }),
  own("the bug is a program that kills itself", {
    files: { "run.sh": "kill -KILL $$\n" },
    check: "bash run.sh",
    agent: file("run.sh", "echo fine"),
  }),
  own("the bug is a program that ends with 137 for want of memory", {
    files: { "run.sh": 'limit=${LIMIT:-1}; [ "$limit" -gt 5 ] || { echo Killed; exit 137; }\n' },
    check: "bash run.sh",
    agent: file("run.sh", 'limit=${LIMIT:-9}; [ "$limit" -gt 5 ] || { echo Killed; exit 137; }'),
  }),
  own("a make target is missing that the task asks for", {
    files: { Makefile: "all:\n\techo all\n", "src/greet.sh": "echo Hello\n" },
    check: "make greet-check",
    agent: `printf 'all:\\n\\techo all\\n\\ngreet-check:\\n\\ttest "$$(bash src/greet.sh)" = Hello\\n\\n.PHONY: all greet-check\\n' > Makefile`,
  }),
  own("an npm script is missing that the task asks for", {
    files: {
      "package.json": '{ "name": "x", "type": "module", "scripts": {} }\n',
      "src/add.js": "export const add = (a, b) => a + b;\n",
    },
    check: "npm run build",
    agent: `echo '{ "name": "x", "type": "module", "scripts": { "build": "node src/add.js" } }' > package.json`,
  }),
  own("a script is missing that the task asks for", {
    files: { "README.md": "There should be tools/hello.sh.\n" },
    check: "bash tools/hello.sh | grep -q Hello",
    agent: file("tools/hello.sh", "echo Hello"),
  }),
  own("a program is missing that the task asks for", {
    files: { "README.md": "There should be bin/hello.\n" },
    check: "./bin/hello",
    agent: `${file("bin/hello", "#!/bin/sh", "echo Hello")}chmod +x bin/hello`,
  }),
  onNode(
    "the test file is still to be written (node:test)",
    file(
      "test/sub.test.js",
      'import test from "node:test";',
      'import assert from "node:assert";',
      'import { add } from "../src/add.js";',
      'test("subtracts", () => assert.equal(add(3, -2), 1));',
    ),
    { check: "node --test test/sub.test.js" },
  ),
  inProject("pytest")(
    "the test file is still to be written (pytest)",
    file("tests/test_sub.py", "from add import add", "", "", "def test_sub():", "    assert add(3, -2) == 1"),
    { check: "pytest -q tests/test_sub.py" },
  ),
  inProject("unittest")(
    "the test module is still to be written (unittest)",
    file(
      "tests/test_sub.py",
      "import unittest",
      "from add import add",
      "",
      "",
      "class Sub(unittest.TestCase):",
      "    def test_sub(self):",
      "        self.assertEqual(add(3, -2), 1)",
    ),
    { check: "python3 -m unittest tests.test_sub" },
  ),
  inProject("jest")(
    "the project has no tests yet, and the task is to write them (jest)",
    file(
      "test/add.test.js",
      'const { add } = require("../src/add.js");',
      'it("adds", () => expect(add(1, 2)).toBe(3));',
    ),
    { files: { "test/add.test.js": "" }, check: "rm -f test/.keep; jest" },
  ),
  inProject("unittest")(
    "the bug is a syntax error in the only module",
    file("add.py", "def add(a, b):", "    return a + b"),
    { files: { "add.py": "def add(a, b:\n    return a - b\n" } },
  ),
  inProject("mocha")(
    "the bug is a source that cannot be loaded (mocha)",
    "echo 'exports.add = (a, b) => a + b;' > src/add.js",
    { files: { "src/add.js": 'const x = require("./gone.js");\nexports.add = (a, b) => a - b;\n' } },
  ),
  inProject("pytest")(
    "the bug is an import that fails while tests are collected (pytest)",
    file("add.py", "def add(a, b):", "    return a + b"),
    { files: { "add.py": "import gone\n\n\ndef add(a, b):\n    return a - b\n" } },
  ),
  inProject("minitest")(
    "the bug is a rake task that aborts",
    `printf 'require "rake/testtask"\\ntask(:prepare) { File.write("tmp.txt", "x") }\\nRake::TestTask.new(test: :prepare) do |t|\\n  t.libs << "test"\\n  t.pattern = "test/**/*_test.rb"\\nend\\n' > Rakefile`,
    {
      files: {
        Rakefile:
          'require "rake/testtask"\ntask(:prepare) { File.write("no/such/tmp.txt", "x") }\nRake::TestTask.new(test: :prepare) do |t|\n  t.libs << "test"\n  t.pattern = "test/**/*_test.rb"\nend\n',
        ".gitignore": "tmp.txt\n",
      },
    },
  ),
  recorded("mocha ends with the number of failures, which is 127", {
    tool: "mocha",
    check: "mocha",
    code: 127,
    red: "\n  add\n    1) adds\n\n\n  3 passing (90ms)\n  127 failing\n",
    green: "\n  add\n    ✔ adds\n\n\n  130 passing (90ms)\n",
  }),
  recorded("Robot Framework ends with the number of failures, which is 130", {
    tool: "robot",
    check: "robot tests",
    code: 130,
    red: "Tests                                                                 | FAIL |\n150 tests, 20 passed, 130 failed",
    green:
      "Tests                                                                 | PASS |\n150 tests, 150 passed, 0 failed",
  }),
  recorded("a check ends with 126 of its own", {
    tool: "verify",
    check: "verify",
    code: 126,
    red: "policy: 3 files are not signed",
    green: "policy: all files are signed",
  }),
  recorded("a check ends with 255, as ssh and xargs do", {
    tool: "verify-all",
    check: "verify-all",
    code: 255,
    red: "verify: a.txt: wrong sum",
    green: "verify: all sums are right",
  }),
  recorded("the compiler ends with a panic that the source provokes", {
    tool: "cargo",
    check: "cargo test",
    code: 101,
    files: { "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\n' },
    red: "error: internal compiler error: unexpected panic\n\nthread 'rustc' panicked at 'index out of bounds'",
    green:
      "running 1 test\ntest adds ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
  }),
  recorded("the bug is a missing option in the code that a test prints (command not found)", {
    tool: "verify",
    check: "verify",
    code: 1,
    red: "deploy.sh: line 3: helmm: command not found\nFAIL: deploy",
    green: "PASS: deploy",
  }),
];
