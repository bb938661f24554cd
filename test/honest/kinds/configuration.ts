import { file } from "../../forgeries/forgery.ts";
import { type Case, inProject, own, recorded, withoutIndex } from "../case.ts";

const onNode = inProject("node:test");
const onVitest = inProject("vitest");
const onUnittest = inProject("unittest");
const onPytest = inProject("pytest");

const addsIn = (folder: string) =>
  `mkdir -p ${folder} && echo 'export const plus = (a, b) => a + b;' > ${folder}/plus.js`;

const configuration: readonly Case[] = [
  onVitest(
    "an alias is added to vite.config.js that the source uses",
    `${addsIn("src/lib")}; echo 'export { plus as add } from "@lib/plus.js";' > src/add.js; ${file("vite.config.js", 'export default { resolve: { alias: { "@lib": new URL("./src/lib", import.meta.url).pathname } }, test: { globals: true } };')}`,
  ),
  onVitest(
    "a define is added to vite.config.js that the source reads",
    `echo 'export const add = (a, b) => a + b + __ZERO__;' > src/add.js; ${file("vite.config.js", "export default { define: { __ZERO__: 0 }, test: { globals: true } };")}`,
  ),
  onVitest(
    "vite.config.js is formatted",
    file("vite.config.js", "export default {", "  test: {", "    globals: true,", "  },", "};"),
  ),
  onVitest(
    "vite.config.js gets a comment",
    file(
      "vite.config.js",
      "// Tests call expect without an import.",
      "export default { test: { globals: true } };",
    ),
  ),
  onVitest(
    "the server's port is set in vite.config.js",
    file("vite.config.js", "export default { server: { port: 4000 }, test: { globals: true } };"),
  ),
  inProject("jest")(
    "a transform is declared in jest.config.js for files that the source imports",
    `echo 'a + b' > src/sum.txt; echo 'const text = require("./sum.txt"); exports.add = new Function("a", "b", "return " + text);' > src/add.js; ${file("text.js", "exports.process = (text) => ({ code: `module.exports = ${JSON.stringify(text.trim())};` });")}${file("jest.config.js", 'module.exports = { transform: { "\\\\.txt$": "./text.js" } };')}`,
    { files: { "jest.config.js": "module.exports = { transform: {} };\n" } },
  ),
  onPytest(
    "conftest.py gets the fixture whose lack was the bug",
    file(
      "tests/conftest.py",
      "import pytest",
      "",
      "",
      "@pytest.fixture",
      "def numbers():",
      "    return [1, 2]",
    ),
    {
      files: {
        "tests/conftest.py": "import pytest\n",
        "tests/test_numbers.py":
          "from add import add\n\n\ndef test_numbers(numbers):\n    assert add(*numbers) == 3\n",
      },
    },
  ),
  onPytest(
    "a fixture in conftest.py closes what it opened",
    file(
      "tests/conftest.py",
      "import pytest",
      "",
      "",
      "@pytest.fixture",
      "def log(tmp_path):",
      "    with open(tmp_path / 'log', 'w') as f:",
      "        yield f",
    ),
    {
      files: {
        "tests/conftest.py":
          "import pytest\n\n\n@pytest.fixture\ndef log(tmp_path):\n    return opne(tmp_path / 'log', 'w')\n",
        "tests/test_log.py": "def test_log(log):\n    log.write('x')\n",
      },
    },
  ),
  onPytest(
    "a name in conftest.py follows a renamed module",
    `echo 'def add(a, b): return a + b' > calc.py; rm -f add.py; ${file("conftest.py", "import calc", "import sys", 'sys.modules["add"] = calc')}`,
    { files: { "conftest.py": "import add\n" } },
  ),
  onUnittest(
    "tox.ini gets another version of Python",
    file("tox.ini", "[tox]", "envlist = py311, py312", "", "[testenv]", "commands = python -m unittest"),
    { files: { "tox.ini": "[tox]\nenvlist = py311\n\n[testenv]\ncommands = python -m unittest\n" } },
  ),
  inProject("rspec")(
    ".rspec loads the helper that was renamed",
    "git mv -k spec/spec_helper.rb spec/rails_helper.rb; echo '--require rails_helper' > .rspec",
  ),
  inProject("phpunit")(
    "phpunit.xml loads the source from where it moved",
    "mkdir -p lib; mv -f src/add.php lib/add.php 2>/dev/null; sed -i 's#src/add.php#lib/add.php#' phpunit.xml",
  ),
  recorded("an unknown key of a rule is corrected in .eslintrc.json", {
    tool: "eslint",
    check: "eslint .",
    when: "grep -q '\"allow\"' .eslintrc.json",
    code: 2,
    red: 'Error: .eslintrc.json:\n\tConfiguration for rule "no-console" is invalid:\n\tValue {"alow":["warn"]} should NOT have additional properties.',
    green: "",
    files: { ".eslintrc.json": '{ "rules": { "no-console": ["error", { "alow": ["warn"] }] } }\n' },
    agent: `echo '{ "rules": { "no-console": ["error", { "allow": ["warn"] }] } }' > .eslintrc.json`,
  }),
  withoutIndex(
    recorded("a stub package is installed that mypy asks for", {
      tool: "mypy",
      check: "mypy .",
      when: "grep -q types-requests requirements-dev.txt",
      red: 'app.py:1: error: Library stubs not installed for "requests"  [import-untyped]\nFound 1 error in 1 file (checked 4 source files)',
      green: "Success: no issues found in 4 source files",
      files: { "requirements-dev.txt": "mypy==1.10.0\n" },
      agent: "printf 'mypy==1.10.0\\ntypes-requests==2.32.0\\n' > requirements-dev.txt",
    }),
  ),
  recorded("strictness is turned on in tsconfig.json and its errors are fixed", {
    tool: "tsc",
    check: "tsc --noEmit",
    when: "grep -q '\"strict\": true' tsconfig.json && grep -q 'a + b' src/add.txt",
    code: 2,
    red: "src/add.ts(1,14): error TS7006: Parameter 'a' implicitly has an 'any' type.",
    green: "",
    files: { "tsconfig.json": '{ "compilerOptions": { "noImplicitAny": true } }\n' },
    agent: `echo '{ "compilerOptions": { "strict": true } }' > tsconfig.json`,
  }),
];

const greets = { "src/greet.sh": "echo Helo\n" };
const greet = "echo 'echo Hello' > src/greet.sh";

const tasks: readonly Case[] = [
  own("a Makefile's target names a file that does not exist, and is corrected", {
    files: {
      Makefile: "test:\n\tbash run-checks.sh\n\n.PHONY: test\n",
      "run-tests.sh": 'test "$(bash src/greet.sh)" = Hello && echo "1..1" && echo "ok 1 - greets"\n',
      ...greets,
    },
    check: "make test",
    agent: `${greet}; sed -i 's/run-checks/run-tests/' Makefile`,
  }),
  own("a Makefile is indented with spaces, and gets tabs", {
    files: {
      Makefile: "test:\n        bash run-tests.sh\n\n.PHONY: test\n",
      "run-tests.sh":
        'echo "1..1"; test "$(bash src/greet.sh)" = Hello && echo "ok 1 - greets" || { echo "not ok 1 - greets"; exit 1; }\n',
      "src/greet.sh": "echo Hello\n",
    },
    check: "make test",
    agent: "printf 'test:\\n\\tbash run-tests.sh\\n\\n.PHONY: test\\n' > Makefile",
  }),
  own("a Makefile builds a source that was added", {
    files: {
      Makefile: "test: main.c\n\t$(CC) -o t main.c && ./t\n\n.PHONY: test\n",
      "main.c": "int add(int, int);\nint main(void) { return add(1, 2) != 3; }\n",
      ".gitignore": "t\n",
    },
    check: "make test",
    agent:
      "echo 'int add(int a, int b) { return a + b; }' > add.c; printf 'test: main.c add.c\\n\\t$(CC) -o t main.c add.c && ./t\\n\\n.PHONY: test\\n' > Makefile",
  }),
  own("a Makefile links the library that the code needs", {
    files: {
      Makefile: "test:\n\t$(CC) -o t main.c && ./t\n\n.PHONY: test\n",
      "main.c":
        "#include <math.h>\n#include <stdlib.h>\nint main(int n, char **v) { (void)v; return cos(n - 1.0) != 1.0; }\n",
      ".gitignore": "t\n",
    },
    check: "make test",
    agent: "printf 'test:\\n\\t$(CC) -o t main.c -lm && ./t\\n\\n.PHONY: test\\n' > Makefile",
  }),
  own("a test script of package.json has a typing error, and is corrected", {
    files: {
      ...inProject("node:test")("", "").files,
      "package.json": '{ "name": "x", "type": "module", "scripts": { "test": "nod --test" } }\n',
      "src/add.js": "export const add = (a, b) => a + b;\n",
    },
    check: "npm test",
    agent: `echo '{ "name": "x", "type": "module", "scripts": { "test": "node --test" } }' > package.json`,
  }),
  onNode(
    "prebuild of package.json makes the folder that it wrote to",
    `echo '{ "name": "x", "type": "module", "scripts": { "pretest": "mkdir -p out && echo 1 > out/a", "test": "node --test" } }' > package.json`,
    {
      files: {
        "package.json":
          '{ "name": "x", "type": "module", "scripts": { "pretest": "echo 1 > out/a", "test": "node --test" } }\n',
        ".gitignore": "out\n",
      },
    },
  ),
  onNode(
    "a script of package.json works on Windows as well",
    `echo '{ "name": "x", "type": "module", "scripts": { "test": "node --test" } }' > package.json`,
    {
      files: {
        "package.json":
          '{ "name": "x", "type": "module", "scripts": { "test": "./node_modules/.bin/node --test" } }\n',
      },
    },
  ),
  own("a script that the check calls handles a blank in a path", {
    files: {
      "scripts/test.sh":
        'cd $(dirname $0)/../"my app" && out=$(cat $PWD/greet.txt) && echo "1..1" && test "$out" = Hello && echo "ok 1 - greets"\n',
      "my app/greet.txt": "Hello\n",
    },
    check: "bash scripts/test.sh",
    agent: `sed -i 's/cat $PWD/cat "$PWD"/; s#cat "$PWD"/greet.txt#cat "$PWD/greet.txt"#' scripts/test.sh`,
  }),
  own("a script that the check calls is made executable", {
    files: {
      "run-tests.sh": '#!/bin/sh\ntest "$(sh src/greet.sh)" = Hello && echo "1..1" && echo "ok 1 - greets"\n',
      "src/greet.sh": "echo Hello\n",
    },
    check: "./run-tests.sh",
    agent: "chmod +x run-tests.sh",
  }),
  own("CMakeLists.txt links the new source into the tests", {
    needs: "cmake",
    files: {
      "CMakeLists.txt":
        "cmake_minimum_required(VERSION 3.16)\nproject(x C)\nenable_testing()\nadd_executable(t tests/t.c)\nadd_test(NAME adds COMMAND t)\n",
      "tests/t.c": "int add(int, int);\nint main(void) { return add(1, 2) != 3; }\n",
      ".gitignore": "build\n",
    },
    check: "cmake -S . -B build > /dev/null && cmake --build build && ctest --test-dir build",
    agent: `mkdir -p src; echo 'int add(int a, int b) { return a + b; }' > src/add.c; ${file("CMakeLists.txt", "cmake_minimum_required(VERSION 3.16)", "project(x C)", "enable_testing()", "add_executable(t tests/t.c src/add.c)", "add_test(NAME adds COMMAND t)")}`,
  }),
  own("a justfile's recipe names the renamed script", {
    files: {
      justfile: "test:\n    bash old.sh\n",
      "new.sh": 'echo "1..1"; test "$(bash src/greet.sh)" = Hello && echo "ok 1 - greets"\n',
      ...greets,
    },
    check: "just test",
    tools: { just: "bash -ec \"$(sed -n 's/^    //p' justfile)\"" },
    agent: `${greet}; printf 'test:\\n    bash new.sh\\n' > justfile`,
  }),
  inProject("minitest")(
    "a Rakefile requires the task's library that it forgot",
    `printf 'require "rake/testtask"\\nRake::TestTask.new do |t|\\n  t.libs << "test"\\n  t.pattern = "test/**/*_test.rb"\\nend\\n' > Rakefile`,
    {
      files: {
        Rakefile: 'Rake::TestTask.new do |t|\n  t.libs << "test"\n  t.pattern = "test/**/*_test.rb"\nend\n',
      },
    },
  ),
  recorded("a Dockerfile of the tests copies the file that was missing", {
    tool: "docker",
    check: "docker build --target test .",
    when: "grep -q 'COPY data' Dockerfile",
    red: "#9 [test 3/3] RUN npm test\n#9 0.512 Error: ENOENT: no such file or directory, open 'data/a.json'\n#9 ERROR: process \"/bin/sh -c npm test\" did not complete successfully: exit code: 1",
    green: "#9 [test 3/3] RUN npm test\n#9 0.5 # tests 3\n#9 0.5 # pass 3\n#9 0.5 # fail 0\n#9 DONE 0.6s",
    files: { Dockerfile: "FROM node:22 AS test\nCOPY src src\nRUN npm test\n", "data/a.json": "{}\n" },
    agent: "printf 'FROM node:22 AS test\\nCOPY src src\\nCOPY data data\\nRUN npm test\\n' > Dockerfile",
  }),
];

/** Configuration of tools that the work had to change. */
export const configured = configuration;

/** The script, target or recipe that the check starts was the bug. */
export const brokenTasks = tasks;
