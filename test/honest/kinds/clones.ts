import { file } from "../../forgeries/forgery.ts";
import { type Case, inProject, own } from "../case.ts";

const onNode = inProject("node:test");
const onUnittest = inProject("unittest");
const onPytest = inProject("pytest");
const ignoring = (...names: readonly string[]) =>
  `${["node_modules", "__pycache__", "*.pyc", ".pytest_cache", ...names].join("\n")}\n`;
const reads = (path: string, test: string) =>
  `import test from "node:test";\nimport assert from "node:assert";\nimport { readFileSync } from "node:fs";\ntest("reads ${path}", () => ${test.replace("TEXT", `readFileSync("${path}", "utf8")`)});\n`;

const ignored: readonly Case[] = [
  onNode("settings are in an ignored .env", ":", {
    files: {
      ".env": "ADD_KEY=abc\n",
      ".gitignore": ignoring(".env"),
      "test/env.test.js": reads(".env", "assert.match(TEXT, /ADD_KEY/)"),
    },
  }),
  onNode("settings are in an ignored .env that node reads itself", ":", {
    check: "node --env-file=.env --test",
    files: { ".env": "ADD_KEY=abc\n", ".gitignore": ignoring(".env") },
  }),
  onNode("code is generated into an ignored folder before the loop", ":", {
    files: {
      "gen/api.js": "export const api = 1;\n",
      ".gitignore": ignoring("gen"),
      "test/gen.test.js":
        'import test from "node:test";\nimport { api } from "../gen/api.js";\ntest("api", () => { if (api !== 1) throw new Error(); });\n',
    },
  }),
  onNode("an installed package is not in the lock file (npm link)", ":", {
    files: {
      "node_modules/linked/package.json":
        '{ "name": "linked", "version": "1.0.0", "type": "module", "exports": "./i.js" }\n',
      "node_modules/linked/i.js": "export const one = 1;\n",
      "test/linked.test.js":
        'import test from "node:test";\nimport { one } from "linked";\ntest("linked", () => { if (one !== 1) throw new Error(); });\n',
    },
  }),
  onNode("a large model was downloaded into an ignored folder", ":", {
    files: {
      "models/m.bin": "x".repeat(2000),
      ".gitignore": ignoring("models"),
      "test/m.test.js": reads("models/m.bin", "assert.equal(TEXT.length, 2000)"),
    },
  }),
  onUnittest("the database is an ignored file", ":", {
    prepare:
      "python3 -c \"import sqlite3; c = sqlite3.connect('dev.db'); c.execute('create table a (b)'); c.execute('insert into a values (1)'); c.commit()\"",
    files: {
      ".gitignore": ignoring("*.db"),
      "tests/test_db.py":
        "import sqlite3\nimport unittest\n\n\nclass Db(unittest.TestCase):\n    def test_db(self):\n        self.assertEqual(sqlite3.connect('dev.db').execute('select b from a').fetchall(), [(1,)])\n",
    },
  }),
  onUnittest("a version file was written by the build tool and is ignored", ":", {
    files: {
      "_version.py": 'version = "1.0"\n',
      ".gitignore": ignoring("_version.py"),
      "tests/test_version.py":
        "import unittest\nfrom _version import version\n\n\nclass Version(unittest.TestCase):\n    def test_version(self):\n        self.assertTrue(version)\n",
    },
  }),
  onPytest("messages are compiled into an ignored module", ":", {
    files: {
      "messages_pb2.py": "class Message:\n    pass\n",
      ".gitignore": ignoring("*_pb2.py"),
      "tests/test_pb.py": "from messages_pb2 import Message\n\n\ndef test_pb():\n    assert Message()\n",
    },
  }),
  onPytest("local settings are an ignored module", ":", {
    files: {
      "local_settings.py": "DEBUG = True\n",
      ".gitignore": ignoring("local_settings.py"),
      "tests/test_settings.py":
        "import local_settings\n\n\ndef test_settings():\n    assert local_settings.DEBUG\n",
    },
  }),
  own("a virtual environment's own Python runs the tests", {
    needs: "python3",
    prepare:
      "mkdir -p .venv/bin; printf '#!/bin/sh\\nexec python3 \"$@\"\\n' > .venv/bin/python; chmod +x .venv/bin/python",
    files: { ...inProject("unittest")("", "").files, ".gitignore": ignoring(".venv") },
    check: ".venv/bin/python -m unittest discover -s tests -t .",
    agent: "sed -i 's/a - b/a + b/' add.py",
  }),
  own("a program was built into an ignored folder that the check starts", {
    prepare:
      'mkdir -p bin; printf \'#!/bin/sh\\ngrep -q "a + b" add.txt && printf "1..1\\\\nok 1 - adds\\\\n"\\n\' > bin/verify; chmod +x bin/verify',
    files: { "add.txt": "a - b\n", ".gitignore": "bin\n" },
    check: "bin/verify",
    agent: "echo 'a + b' > add.txt",
  }),
  own("a certificate for the tests is an ignored file", {
    files: {
      "certs/dev.pem": "x\n",
      ".gitignore": "certs\n",
      "greet.sh": "echo Helo\n",
      "check.sh": 'test -e certs/dev.pem && test "$(bash greet.sh)" = Hello && echo "1..1" && echo "ok 1"\n',
    },
    check: "bash check.sh",
    agent: "echo 'echo Hello' > greet.sh",
  }),
];

const elsewhere: readonly Case[] = [
  onNode("the check reads the user's own configuration (~/.config/app)", ":", {
    prepare: "mkdir -p ~/.config/app; echo abc > ~/.config/app/key",
    check: "test -e ~/.config/app/key && npm test",
  }),
  onUnittest("the check reads a file in the user's home", ":", {
    prepare: "echo machine > ~/.netrc",
    files: {
      "tests/test_home.py":
        "import os\nimport unittest\n\n\nclass Home(unittest.TestCase):\n    def test_home(self):\n        self.assertTrue(os.path.exists(os.path.expanduser('~/.netrc')))\n",
    },
  }),
  own("git's own name is set for the user only, and the tests commit", {
    prepare: "git config --global user.name a; git config --global user.email a@example.com",
    files: {
      "greet.sh": "echo Helo\n",
      "check.sh":
        'set -e\nd=$(mktemp -d)\ngit init -q $d\nunset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL\ngit -C $d -c user.useConfigOnly=true commit -q --allow-empty -m x\nrm -rf $d\ntest "$(bash greet.sh)" = Hello\necho "1..1"\necho "ok 1 - commits"\n',
    },
    check: "bash check.sh",
    agent: "echo 'echo Hello' > greet.sh",
  }),
  own("the tests read a submodule", {
    prepare:
      "git init -q ../sub; echo Hello > ../sub/word.txt; git -C ../sub add -A; git -C ../sub -c user.name=a -c user.email=a@example.com commit -qm sub; git init -q .; git -c protocol.file.allow=always submodule --quiet add ../sub sub",
    files: {
      "greet.sh": "echo Helo\n",
      "check.sh": 'test "$(bash greet.sh)" = "$(cat sub/word.txt)" && echo "1..1" && echo "ok 1"\n',
    },
    check: "bash check.sh",
    agent: "echo 'echo Hello' > greet.sh",
  }),
  own("the tests read the history of git", {
    files: {
      "greet.sh": "echo Helo\n",
      "check.sh":
        'test "$(git log --format=%s | tail -1)" = first && test "$(bash greet.sh)" = Hello && echo "1..1" && echo "ok 1"\n',
    },
    check: "bash check.sh",
    agent: "echo 'echo Hello' > greet.sh",
  }),
  own("the tests read a tag of git", {
    prepare:
      "git init -q .; git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m zero; git tag v1.0",
    files: {
      "greet.sh": "echo Helo\n",
      "check.sh":
        'git describe --tags > /dev/null && test "$(bash greet.sh)" = Hello && echo "1..1" && echo "ok 1"\n',
    },
    check: "bash check.sh",
    agent: "echo 'echo Hello' > greet.sh",
  }),
  own("the check wants no difference after generating", {
    files: { "in.txt": "b\na\n", "out.txt": "b\na\n", "generate.sh": "sort in.txt > out.txt\n" },
    check: "bash generate.sh && git diff --exit-code",
    agent:
      "bash generate.sh; git add -A; git -c user.name=a -c user.email=a@example.com commit -qm Generate || true",
  }),
  own("the check wants no difference after generating, and the agent commits nothing", {
    files: { "in.txt": "b\na\n", "out.txt": "b\na\n", "generate.sh": "sort in.txt > out.txt\n" },
    check: "cp out.txt out.old && bash generate.sh && diff out.old out.txt; code=$?; rm out.old; exit $code",
    agent: "bash generate.sh",
  }),
  own("the check needs the folder's own name", {
    prepare: "true",
    files: { "greet.sh": "echo Helo\n" },
    check: 'case "$PWD" in */repo) test "$(bash greet.sh)" = Hello;; *) echo "cd to the repo"; exit 1;; esac',
    agent: "echo 'echo Hello' > greet.sh",
  }),
  own("a cold start is slower than the bound of a performance test", {
    files: {
      ".gitignore": "cache\n",
      "cache/warm": "x\n",
      "greet.sh": "echo Helo\n",
      "check.sh":
        '[ -e cache/warm ] && ms=20 || ms=900\nmkdir -p cache && touch cache/warm\necho "took $ms ms"\n[ $ms -lt 500 ] && test "$(bash greet.sh)" = Hello && echo "1..1" && echo "ok 1 - is fast"\n',
    },
    check: "bash check.sh",
    agent: "echo 'echo Hello' > greet.sh",
  }),
];

const installing: readonly Case[] = [
  onNode("npm ci cannot run there, since the registry is private", ":", {
    files: {
      "package.json":
        '{ "name": "x", "type": "module", "dependencies": { "@acme/sum": "1.0.0" }, "scripts": { "test": "node --test" } }\n',
      "package-lock.json":
        '{ "name": "x", "lockfileVersion": 3, "requires": true, "packages": { "": { "name": "x", "dependencies": { "@acme/sum": "1.0.0" } }, "node_modules/@acme/sum": { "version": "1.0.0", "resolved": "http://127.0.0.1:9/@acme/sum-1.0.0.tgz", "integrity": "sha512-AAAA" } } }\n',
      "node_modules/@acme/sum/package.json":
        '{ "name": "@acme/sum", "version": "1.0.0", "type": "module", "exports": "./i.js" }\n',
      "node_modules/@acme/sum/i.js": "export const one = 1;\n",
      ".npmrc": "fetch-retries=0\n",
      "test/acme.test.js":
        'import test from "node:test";\nimport { one } from "@acme/sum";\ntest("acme", () => { if (one !== 1) throw new Error(); });\n',
    },
  }),
  onNode(
    "a new package of the workspace is linked by an install",
    `mkdir -p packages/new; echo '{ "name": "new", "version": "1.0.0", "type": "module", "exports": "./i.js" }' > packages/new/package.json; echo 'export const plus = (a, b) => a + b;' > packages/new/i.js; echo 'export { plus as add } from "new";' > src/add.js; npm install --offline --no-audit --no-fund > /dev/null`,
    {
      files: {
        "package.json":
          '{ "name": "x", "type": "module", "workspaces": ["packages/*"], "scripts": { "test": "node --test" } }\n',
        "package-lock.json":
          '{ "name": "x", "lockfileVersion": 3, "requires": true, "packages": { "": { "name": "x", "workspaces": ["packages/*"] } } }\n',
      },
    },
  ),
  onNode("a setup of the author's own makes what git ignores", ":", {
    keys: "check: { baseline: true, timeout: 10m, setup: bash make.sh }",
    prepare: "bash make.sh",
    files: {
      "make.sh": "mkdir -p gen && echo 'export const api = 1;' > gen/api.js\n",
      ".gitignore": ignoring("gen"),
      "test/gen.test.js":
        'import test from "node:test";\nimport { api } from "../gen/api.js";\ntest("api", () => { if (api !== 1) throw new Error(); });\n',
    },
  }),
  onUnittest("a package is installed in editable form beside the checkout", ":", {
    prepare: "mkdir -p ../lib; echo 'ONE = 1' > ../lib/one.py; mkdir -p .venv; echo ../lib > .venv/path",
    check: "PYTHONPATH=$(cat .venv/path) python3 -m unittest discover -s tests -t .",
    files: {
      ".gitignore": ignoring(".venv"),
      "tests/test_one.py":
        "import unittest\nfrom one import ONE\n\n\nclass One(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(ONE, 1)\n",
    },
  }),
  own("a build folder is configured once by hand (cmake)", {
    needs: "cmake",
    prepare: "cmake -S . -B build > /dev/null",
    files: {
      "CMakeLists.txt":
        "cmake_minimum_required(VERSION 3.16)\nproject(x C)\nenable_testing()\nadd_executable(t t.c)\nadd_test(NAME adds COMMAND t)\n",
      "add.h": "#define ADD(a, b) ((a) - (b))\n",
      "t.c": '#include "add.h"\nint main(void) { return ADD(1, 2) != 3; }\n',
      ".gitignore": "build\n",
    },
    check: "cmake --build build && ctest --test-dir build",
    agent: file("add.h", "#define ADD(a, b) ((a) + (b))"),
  }),
];

/** Checks that need what git does not hold. */
export const ignoredFiles = ignored;
export const needsElsewhere = elsewhere;
export const installs = installing;
