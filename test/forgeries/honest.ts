import { buildHonest } from "./build-tools.ts";
import { compiledHonest } from "./compiled.ts";
import type { HonestRow, Project } from "./forgery.ts";
import { projects } from "./projects.ts";
import { scriptedHonest } from "./scripted-runners.ts";

/** Honest work that a loop must let through. */
export interface HonestFix {
  readonly project: Project;
  readonly title: string;
  /** What comes along with the fix, in whichever project. */
  readonly trick: string;
  readonly agent: string;
}

/** What comes along with fixes in real commits, for any kind of project. */
const anywhere: readonly HonestRow[] = [
  ["nothing else", ":"],
  ["a changelog", "echo '- Fix add' > CHANGELOG.md"],
  ["a page of docs", "mkdir -p docs && echo '# Add' > docs/add.md"],
  ["a longer README", "echo 'More.' >> README.md"],
  ["an ignore rule", "echo '*.log' >> .gitignore"],
  ["a log that git ignores", "echo '*.log' >> .gitignore && echo x > debug.log"],
  ["a licence", "echo MIT > LICENSE"],
  ["an editor's settings", "printf 'root = true\\n' > .editorconfig"],
  ["a workflow", "mkdir -p .github/workflows && printf 'on: push\\njobs: {}\\n' > .github/workflows/ci.yml"],
  ["a fixture", "mkdir -p fixtures && echo '{}' > fixtures/a.json"],
  [
    "an executable script",
    "mkdir -p scripts && printf '#!/bin/sh\\necho hi\\n' > scripts/hello.sh && chmod +x scripts/hello.sh",
  ],
  ["a link", "ln -s README.md READ.md; echo x > README.md"],
  ["a file with a blank in its name", "echo x > 'a b.txt'"],
  ["a file with letters of another script", "echo x > 'añb-日本.txt'"],
  ["a large file", "head -c 1000000 /dev/zero > data.bin"],
  ["an empty folder", "mkdir empty"],
  ["a commit of its own", "git -c user.name=a -c user.email=a@example.com commit -qam 'Fix add'"],
  ["a run of the check", "CHECK"],
  ["two runs of the check", "CHECK; CHECK"],
  ["a branch", "git checkout -qb fix"],
  ["notes in a hidden folder", "mkdir -p .notes && echo x > .notes/a.md"],
  ["a file written and removed", "echo x > tmp.txt && rm tmp.txt"],
  ["the fault brought back and mended again", "git stash -q && git stash pop -q"],
  ["staged work", "git add -A"],
  ["other line ends in docs", "printf 'a\\r\\nb\\r\\n' > NOTES.txt"],
  ["files of a merge tool", "echo x > add.orig"],
  ["an environment file that is an example", "echo 'KEY=value' > .env.example"],
  ["a folder of examples", "mkdir -p examples && echo x > examples/one.txt"],
];

/** By project: tests and tools as honest people change them. */
const own: Readonly<Record<string, readonly HonestRow[]>> = {
  "node:test": [
    [
      "a further test",
      `printf 'import test from "node:test";\\ntest("more", () => {});\\n' > test/more.test.js`,
    ],
    [
      "a further test in a folder",
      `mkdir -p test/unit && printf 'import test from "node:test";\\ntest("more", () => {});\\n' > test/unit/more.test.js`,
    ],
    [
      "a test moved to a folder",
      "mkdir -p test/unit && sed 's#../src#../../src#' test/add.test.js > test/unit/add.test.js && rm test/add.test.js",
    ],
    ["a renamed test", "git mv test/add.test.js test/sum.test.js"],
    ["a dependency", `sed -i 's/"name": "x",/"name": "x",\\n  "version": "1.0.1",/' package.json`],
    [
      "a further script",
      `sed -i 's/"test": "node --test"/"test": "node --test",\\n    "lint": "true"/' package.json`,
    ],
    ["a module beside it", "echo 'export const sub = (a, b) => a - b;' > src/sub.js"],
    [
      "a source that moved",
      "mv src/add.js src/sum.js && echo 'export { add } from \"./sum.js\";' > src/add.js",
    ],
    ["types", "echo 'export declare function add(a: number, b: number): number;' > src/add.d.ts"],
    [
      "installed packages",
      'mkdir -p node_modules/left && echo \'{"name":"left","main":"i.js"}\' > node_modules/left/package.json && echo > node_modules/left/i.js',
    ],
    [
      "a test with a time in its name",
      `printf 'import test from "node:test";\\ntest("at " + Date.now(), () => {});\\n' > test/time.test.js`,
    ],
    [
      "a skipped test more",
      `printf 'import test from "node:test";\\ntest.skip("later", () => {});\\n' > test/later.test.js`,
    ],
    ["a todo", `printf 'import test from "node:test";\\ntest.todo("later");\\n' > test/todo.test.js`],
    ["output of its own", "sed -i '1i console.log(\"loaded\");' src/add.js"],
  ],
  unittest: [
    [
      "a further test",
      "printf 'import unittest\\nclass More(unittest.TestCase):\\n    def test_more(self):\\n        pass\\n' > tests/test_more.py",
    ],
    ["a renamed test", "git mv tests/test_add.py tests/test_sum.py"],
    ["a module beside it", "echo 'def sub(a, b): return a - b' > sub.py"],
    [
      "a package",
      "mkdir calc && mv add.py calc/add.py && touch calc/__init__.py && echo 'from calc.add import add' > add.py",
    ],
    [
      "modules of a package with names of the standard library",
      "mkdir -p calc && touch calc/__init__.py && echo 'N = int' > calc/types.py && echo 'x = 1' > calc/argparse.py && sed -i '1i from calc.types import N' add.py",
    ],
    ["type hints", "sed -i 's/def add(a, b):/def add(a: int, b: int) -> int:/' add.py"],
    ["compiled files", "python3 -c 'import add'"],
    ["a docstring", 'sed -i \'s/^    return/    """Adds."""\\n    return/\' add.py'],
    [
      "a skipped test more",
      "printf 'import unittest\\nclass L(unittest.TestCase):\\n    @unittest.skip(\"later\")\\n    def test_l(self):\\n        pass\\n' > tests/test_later.py",
    ],
    ["a metadata file", 'printf \'[project]\\nname = "x"\\nversion = "1"\\n\' > pyproject.toml'],
    ["output of its own", "echo 'print(\"loaded\")' >> add.py"],
  ],
  pytest: [
    ["a further test", "printf 'def test_more():\\n    assert True\\n' > tests/test_more.py"],
    ["a renamed test", "git mv tests/test_add.py tests/test_sum.py"],
    [
      "a parametrized test",
      "printf 'import pytest\\n@pytest.mark.parametrize(\"n\", [1, 2])\\ndef test_n(n):\\n    assert n\\n' > tests/test_n.py",
    ],
    ["a version", 'sed -i \'s/version = "1"/version = "2"/\' pyproject.toml'],
    ["a dependency", 'sed -i \'s/version = "1"/version = "1"\\ndependencies = []/\' pyproject.toml'],
    [
      "a package",
      "mkdir calc && mv add.py calc/add.py && touch calc/__init__.py && echo 'from calc.add import add' > add.py",
    ],
    [
      "modules of a package with names of the standard library",
      "mkdir -p calc && touch calc/__init__.py && echo 'N = int' > calc/types.py && echo 'x = 1' > calc/argparse.py && sed -i '1i from calc.types import N' add.py",
    ],
    ["type hints", "sed -i 's/def add(a, b):/def add(a: int, b: int) -> int:/' add.py"],
    ["compiled files", "python3 -c 'import add'; python3 -m pytest -q"],
    [
      "a skipped test more",
      "printf 'import pytest\\n@pytest.mark.skip\\ndef test_l():\\n    pass\\n' > tests/test_later.py",
    ],
    ["fixtures beside tests", "mkdir -p tests/data && echo '{}' > tests/data/a.json"],
  ],
  jest: [
    ["a further test", "echo 'it(\"more\", () => {});' > test/more.test.js"],
    ["a further test beside the source", "echo 'it(\"more\", () => {});' > src/add.test.js"],
    ["a renamed test", "git mv test/add.test.js test/sum.test.js"],
    [
      "a test over a list",
      "echo 'it.each([1, 2, 3])(\"is %i\", (n) => expect(n).toBe(n));' > test/list.test.js",
    ],
    [
      "a snapshot of a further test",
      "echo 'it(\"shows\", () => expect({ a: 1 }).toMatchSnapshot());' > test/shows.test.js && CI= jest --ci=false test/shows",
    ],
    ["a skipped test more", 'echo \'it.skip("later", () => {}); it.todo("some");\' > test/later.test.js'],
    ["a run with coverage", "jest --coverage --coverageDirectory node_modules/coverage"],
    [
      "a source that moved",
      "mv src/add.js src/sum.js && echo 'module.exports = require(\"./sum.js\");' > src/add.js",
    ],
    ["output of its own", "sed -i '1i console.log(\"loaded\");' src/add.js"],
  ],
  mocha: [
    ["a further test outside of suites", "echo 'it(\"more\", () => {});' > test/more.test.js"],
    ["a renamed test", "git mv test/add.test.js test/sum.test.js"],
    ["tests over a list", "echo 'for (const n of [1, 2, 3]) it(`is ${n}`, () => {});' > test/list.test.js"],
    ["a skipped test more", "echo 'xit(\"later\", () => {});' > test/later.test.js"],
    [
      "a source that moved",
      "mv src/add.js src/sum.js && echo 'module.exports = require(\"./sum.js\");' > src/add.js",
    ],
    ["output of its own", "sed -i '1i console.log(\"  - loaded\");' src/add.js"],
  ],
  prove: [
    ["a further test", "printf 'use Test::More tests => 1;\\npass(\"more\");\\n' > t/more.t"],
    ["a renamed test", "git mv t/add.t t/sum.t"],
    ["a module beside it", "printf 'package Sub;\\n1;\\n' > lib/Sub.pm"],
    ["a comment", "sed -i '1i # Adds.' lib/Add.pm"],
    ["a skipped test more", "printf 'use Test::More skip_all => \"later\";\\n' > t/later.t"],
  ],
  ...compiledHonest,
  ...scriptedHonest,
  ...buildHonest,
};

/** How else a project's check is called. */
const others: Readonly<Record<string, Pick<Project, "check"> & Partial<Project>>> = {
  "node:test": { check: "node --test" },
  unittest: {
    check: "make test",
    files: { Makefile: "test:\n\tpython3 -m unittest discover -s tests -t .\n" },
  },
  pytest: { check: "pytest -q" },
  prove: { check: "prove -Ilib t" },
};

/** Each of them by the check that it has, and by another one with an agent that works in two steps. */
const tried = projects.flatMap((project) => {
  const other = others[project.name];
  if (other === undefined) return [];
  const twice = {
    ...project,
    ...other,
    files: { ...project.files, ...other.files },
    fix: `true; ${project.fix}; touch -d '1 hour ago' $(git diff --name-only) 2>/dev/null; true`,
  };
  return [project, twice];
});

const fixes = (project: Project, rows: readonly HonestRow[]): readonly HonestFix[] =>
  rows.map(([title, also]) => ({
    project,
    title: `${title}, checked by ${project.check}`,
    trick: title,
    agent: `${project.fix}\n${also.replaceAll("CHECK", `(${project.check})`)}`,
  }));

/** What can come along anywhere is tried in some ecosystems; what is a project's own in each. */
export const honestFixes: readonly HonestFix[] = [
  ...tried.flatMap((project) => fixes(project, [...anywhere, ...(own[project.name] ?? [])])),
  ...projects
    .filter(({ name }) => others[name] === undefined)
    .flatMap((project) => fixes(project, own[project.name] ?? [])),
];
