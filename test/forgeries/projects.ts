import { spawnSync } from "node:child_process";
import { delimiter } from "node:path";
import { env } from "node:process";
import { buildProjects } from "./build-tools.ts";
import { ctest } from "./compiled.ts";
import type { Project } from "./forgery.ts";
import { scriptedProjects } from "./scripted-runners.ts";

/** Where npm keeps the programs of our own packages. */
export const bin = new URL("../../node_modules/.bin", import.meta.url).pathname;

/** Whether a program can be run here. */
export function isThere(program: string): boolean {
  const PATH = [bin, env["PATH"] ?? ""].join(delimiter);
  return ["--version", "version"].some(
    (word) => spawnSync(program, [word], { env: { ...env, PATH }, stdio: "ignore" }).status === 0,
  );
}

const replaced = (file: string) => `sed -i 's/a - b/a + b/' ${file}`;

const nodeTests = `import test from "node:test";
import assert from "node:assert";
import { add } from "../src/add.js";
test("adds", () => assert.equal(add(1, 2), 3));
test("adds nothing", () => assert.equal(add(1, 0), 1));
test("adds backwards", () => assert.equal(add(5, -2), 3));
`;

const node: Project = {
  name: "node:test",
  needs: "node",
  check: "npm test",
  fix: replaced("src/add.js"),
  files: {
    "package.json":
      '{\n  "name": "x",\n  "type": "module",\n  "scripts": {\n    "test": "node --test"\n  }\n}\n',
    "src/add.js": "export const add = (a, b) => a - b;\n",
    "test/add.test.js": nodeTests,
    ".gitignore": "node_modules\n",
  },
};

/** Its test compares with a file outside the folder of the tests. */
const golden: Project = {
  ...node,
  name: "golden files",
  files: {
    ...node.files,
    "fixtures/sum.txt": "3\n",
    "test/add.test.js": `import { readFileSync } from "node:fs";
import test from "node:test";
import assert from "node:assert";
import { add } from "../src/add.js";
test("adds", () => assert.equal(\`\${add(1, 2)}\\n\`, readFileSync("fixtures/sum.txt", "utf8")));
`,
  },
};

const vitest: Project = {
  name: "vitest",
  needs: "vitest",
  check: "npm test",
  fix: replaced("src/add.js"),
  files: {
    "package.json":
      '{\n  "name": "x",\n  "type": "module",\n  "scripts": {\n    "test": "vitest run"\n  }\n}\n',
    "vite.config.js": "export default { test: { globals: true } };\n",
    "src/add.js": "export const add = (a, b) => a - b;\n",
    // Beside the source.
    "src/add.test.js": `import { add } from "./add.js";
test("adds", () => expect(add(1, 2)).toBe(3));
test("adds nothing", () => expect(add(1, 0)).toBe(1));
`,
    ".gitignore": "node_modules\n",
  },
};

/** Its configuration is in files of other names, and a script runs the tests. */
const named: Project = {
  ...vitest,
  name: "vitest, files of other names",
  files: {
    ...vitest.files,
    "package.json":
      '{\n  "name": "x",\n  "type": "module",\n  "scripts": {\n    "test": "bash tools/run.sh"\n  }\n}\n',
    "tools/run.sh": "set -e\nvitest run --config ci/unit.js\n",
    "ci/unit.js":
      'import { shared } from "./shared.js";\nexport default { root: new URL("..", import.meta.url).pathname, test: { globals: true, setupFiles: ["./ci/setup.js"], ...shared } };\n',
    "ci/shared.js": "export const shared = { testTimeout: 9000 };\n",
    "ci/setup.js": "globalThis.ready = true;\n",
    "vite.config.js": "export default {};\n",
  },
};

const describedTests = `const { add } = require("../src/add.js");
describe("add", () => {
  it("adds", () => EXPECT(add(1, 2), 3));
  it("adds nothing", () => EXPECT(add(1, 0), 1));
});
`;

const jest: Project = {
  name: "jest",
  needs: "jest",
  check: "npm test",
  fix: replaced("src/add.js"),
  files: {
    "package.json": '{\n  "name": "x",\n  "scripts": {\n    "test": "jest"\n  }\n}\n',
    "src/add.js": "exports.add = (a, b) => a - b;\n",
    "test/add.test.js": describedTests.replaceAll(/EXPECT\((.+), (\d)\)/g, "expect($1).toBe($2)"),
    ".gitignore": "node_modules\n",
  },
};

const mocha: Project = {
  ...jest,
  name: "mocha",
  needs: "mocha",
  files: {
    ...jest.files,
    "package.json": '{\n  "name": "x",\n  "scripts": {\n    "test": "mocha"\n  }\n}\n',
    "test/add.test.js": `const assert = require("assert");${describedTests.replaceAll("EXPECT", "assert.equal")}`,
  },
};

const pytest: Project = {
  name: "pytest",
  needs: "pytest",
  check: "python3 -m pytest -q",
  fix: replaced("add.py"),
  files: {
    "add.py": "def add(a, b):\n    return a - b\n",
    "tests/test_add.py": `from add import add


def test_adds():
    assert add(1, 2) == 3


def test_adds_nothing():
    assert add(1, 0) == 1
`,
    "pyproject.toml":
      '[project]\nname = "x"\nversion = "1"\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n',
    ".gitignore": "__pycache__\n*.pyc\n.pytest_cache\n",
  },
};

const unittest: Project = {
  name: "unittest",
  needs: "python3",
  check: "python3 -m unittest discover -s tests -t .",
  fix: replaced("add.py"),
  files: {
    "add.py": "def add(a, b):\n    return a - b\n",
    "tests/__init__.py": "",
    "tests/test_add.py": `import unittest
from add import add


class Add(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(1, 2), 3)

    def test_adds_nothing(self):
        self.assertEqual(add(1, 0), 1)
`,
    ".gitignore": "__pycache__\n*.pyc\n",
  },
};

const go: Project = {
  name: "go test",
  needs: "go",
  check: "go test ./...",
  fix: replaced("add.go"),
  files: {
    "go.mod": "module example.com/x\n\ngo 1.21\n",
    "add.go": "package x\n\nfunc Add(a, b int) int { return a - b }\n",
    "internal/testutil/equal.go": `package testutil

import "testing"

func Equal(t *testing.T, a, b int) {
	t.Helper()
	if a != b {
		t.Fatalf("%d is not %d", a, b)
	}
}
`,
    "add_test.go": `package x

import (
	"testing"

	"example.com/x/internal/testutil"
)

func TestAdds(t *testing.T) { testutil.Equal(t, Add(1, 2), 3) }

func TestAddsNothing(t *testing.T) {
	if Add(1, 0) != 1 {
		t.Fatal("wrong")
	}
}
`,
  },
};

const cargo: Project = {
  name: "cargo test",
  needs: "cargo",
  check: "cargo test --quiet --offline -- --format pretty",
  fix: replaced("src/lib.rs"),
  files: {
    "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock":
      '# This file is automatically @generated by Cargo.\nversion = 3\n\n[[package]]\nname = "x"\nversion = "0.1.0"\n',
    "src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n",
    "tests/add.rs": `use x::add;

#[test]
fn adds() {
    assert_eq!(add(1, 2), 3);
}

#[test]
fn adds_nothing() {
    assert_eq!(add(1, 0), 1);
}
`,
    ".gitignore": "target\n",
  },
};

const prove: Project = {
  name: "prove",
  needs: "prove",
  check: "make test",
  fix: "sed -i 's/\\$a - \\$b/$a + $b/' lib/Add.pm",
  files: {
    Makefile: "test:\n\tprove -Ilib t\n\n.PHONY: test\n",
    "lib/Add.pm": "package Add;\nsub add { my ($a, $b) = @_; return $a - $b }\n1;\n",
    "t/add.t": `use strict;
use Test::More tests => 2;
use Add;
is(Add::add(1, 2), 3, "adds");
is(Add::add(1, 0), 1, "adds nothing");
`,
  },
};

export const projects: readonly Project[] = [
  node,
  golden,
  vitest,
  named,
  jest,
  mocha,
  pytest,
  unittest,
  go,
  cargo,
  prove,
  ctest,
  ...scriptedProjects,
  ...buildProjects,
];
