import { file } from "../../forgeries/forgery.ts";
import { type Case, fix, inProject, recorded, withoutIndex } from "../case.ts";

const onNode = inProject("node:test");
const onPytest = inProject("pytest");
const onUnittest = inProject("unittest");

const packageJson = (more: string) =>
  `{ "name": "x", "type": "module",${more} "scripts": { "test": "node --test" } }`;
const json = (path: string, text: string) => `echo '${text}' > ${path}`;
const localPackage = {
  "vendor/sum/package.json":
    '{ "name": "sum", "version": "1.0.0", "type": "module", "exports": "./index.js" }\n',
  "vendor/sum/index.js": "export const sum = (a, b) => a + b;\n",
};
const passed = (count: number) => `${"=".repeat(10)} ${count} passed in 0.03s ${"=".repeat(10)}`;

const javascript: readonly Case[] = [
  onNode(
    "imports of package.json get an alias, the source uses it",
    `${json("package.json", packageJson(' "imports": { "#math/*": "./src/math/*.js" },'))}; mkdir -p src/math; echo 'export const plus = (a, b) => a + b;' > src/math/plus.js; echo 'export { plus as add } from "#math/plus";' > src/add.js`,
  ),
  onNode(
    "exports of package.json get an entry",
    json("package.json", packageJson(' "exports": { ".": "./src/add.js" },')),
  ),
  onNode(
    "the engines of package.json are stated",
    json("package.json", packageJson(' "engines": { "node": ">=20" },')),
  ),
  onNode(
    "a dependency is declared with its entry in the lock file",
    `${json("package.json", packageJson(' "dependencies": { "sum": "file:vendor/sum" },'))}; ${json("package-lock.json", '{ "name": "x", "lockfileVersion": 3, "requires": true, "packages": { "": { "name": "x", "dependencies": { "sum": "file:vendor/sum" } }, "node_modules/sum": { "resolved": "vendor/sum", "link": true }, "vendor/sum": { "version": "1.0.0" } } }')}; mkdir -p node_modules; ln -sfn ../vendor/sum node_modules/sum; echo 'export { sum as add } from "sum";' > src/add.js`,
    {
      files: {
        ...localPackage,
        "package-lock.json":
          '{ "name": "x", "lockfileVersion": 3, "requires": true, "packages": { "": { "name": "x" } } }\n',
      },
      check: "npm test",
    },
  ),
  onNode(
    "a formatter rewrites package.json",
    'node -e \'const f = "package.json"; const fs = require("fs"); fs.writeFileSync(f, JSON.stringify(JSON.parse(fs.readFileSync(f)), null, 4) + "\\n")\'',
  ),
  onNode(
    "the keys of package.json are sorted",
    'node -e \'const f = "package.json"; const fs = require("fs"); const o = JSON.parse(fs.readFileSync(f)); fs.writeFileSync(f, JSON.stringify(Object.fromEntries(Object.entries(o).sort()), null, 2) + "\\n")\'',
  ),
  onNode(
    "a lint script is added beside the test script",
    json(
      "package.json",
      '{ "name": "x", "type": "module", "scripts": { "test": "node --test", "lint": "biome check ." } }',
    ),
  ),
  onNode(
    "a build script is renamed that no check calls",
    json(
      "package.json",
      '{ "name": "x", "type": "module", "scripts": { "test": "node --test", "build:all": "node build.js" } }',
    ),
    {
      files: {
        "package.json":
          '{ "name": "x", "type": "module", "scripts": { "test": "node --test", "build": "node build.js" } }\n',
      },
    },
  ),
  onNode(
    "a workspace gets a new member with tests of its own",
    `${json("package.json", '{ "name": "x", "type": "module", "workspaces": ["packages/*"], "scripts": { "test": "node --test" } }')}; mkdir -p packages/sum; echo '{ "name": "sum", "type": "module" }' > packages/sum/package.json; echo 'export const sum = (a, b) => a + b;' > packages/sum/sum.js; printf 'import test from "node:test";\\nimport { sum } from "./sum.js";\\ntest("sums", () => { if (sum(1, 1) !== 2) throw new Error(); });\\n' > packages/sum/sum.test.js`,
  ),
  inProject("jest")(
    "moduleNameMapper of jest gets the alias that the source now uses",
    `mkdir -p src/lib; echo 'exports.plus = (a, b) => a + b;' > src/lib/plus.js; echo 'exports.add = require("@lib/plus").plus;' > src/add.js; ${json("package.json", '{ "name": "x", "scripts": { "test": "jest" }, "jest": { "moduleNameMapper": { "^@lib/(.*)$": "<rootDir>/src/lib/$1" } } }')}`,
  ),
];

const python: readonly Case[] = [
  onPytest(
    "a marker is registered in pyproject.toml that strict markers ask for",
    file(
      "pyproject.toml",
      "[project]",
      'name = "x"',
      'version = "1"',
      "",
      "[tool.pytest.ini_options]",
      'pythonpath = ["."]',
      'addopts = "--strict-markers"',
      'markers = ["slow: takes long"]',
    ),
    {
      files: {
        "pyproject.toml":
          '[project]\nname = "x"\nversion = "1"\n\n[tool.pytest.ini_options]\npythonpath = ["."]\naddopts = "--strict-markers"\n',
        "tests/test_slow.py": "import pytest\n\n\n@pytest.mark.slow\ndef test_slow():\n    assert True\n",
      },
    },
  ),
  onPytest(
    "a new source folder is put on pytest's path",
    `mkdir -p lib; echo 'def add(a, b): return a + b' > lib/plus.py; echo 'from plus import add' > add.py; sed -i 's/pythonpath = .*/pythonpath = [".", "lib"]/' pyproject.toml`,
  ),
  onPytest(
    "a deprecated option of pytest gets its new name",
    "sed -i 's/^python_paths/pythonpath/' pyproject.toml",
    {
      files: {
        "pyproject.toml":
          '[project]\nname = "x"\nversion = "1"\n\n[tool.pytest.ini_options]\npython_paths = ["."]\n',
      },
      check: "pytest -q",
    },
  ),
  onPytest(
    "an entry point is added to pyproject.toml",
    `grep -q project.scripts pyproject.toml || printf '\\n[project.scripts]\\nadd = "add:add"\\n' >> pyproject.toml`,
  ),
  onPytest(
    "ruff's line length is set in pyproject.toml",
    `grep -q tool.ruff pyproject.toml || printf '\\n[tool.ruff]\\nline-length = 100\\n' >> pyproject.toml`,
  ),
  onPytest(
    "pyproject.toml is sorted by a formatter",
    file(
      "pyproject.toml",
      "[project]",
      'name = "x"',
      'version = "1"',
      "",
      "[tool.pytest.ini_options]",
      "pythonpath = [",
      '  ".",',
      "]",
    ),
  ),
  withoutIndex(
    recorded("a dependency is added to requirements.txt", {
      tool: "pytest",
      check: "pytest -q",
      when: "grep -q attrs requirements.txt",
      red: "ERROR tests/test_add.py\nE   ModuleNotFoundError: No module named 'attrs'\n1 error in 0.1s",
      code: 2,
      green: passed(4),
      files: { "requirements.txt": "" },
      agent: "echo 'attrs==25.3.0' > requirements.txt",
    }),
  ),
  onUnittest(
    "setup.cfg gets metadata",
    file("setup.cfg", "[metadata]", "name = x", "version = 1", "description = Adds"),
    { files: { "setup.cfg": "[metadata]\nname = x\nversion = 1\n" } },
  ),
  recorded("the Python version of the project is raised", {
    tool: "uv",
    check: "uv run pytest -q",
    when: "grep -q 3.12 .python-version",
    red: "error: The requested interpreter resolved to Python 3.11.9, which is incompatible with the project's Python requirement: `>=3.12`",
    code: 2,
    green: passed(4),
    files: {
      ".python-version": "3.11\n",
      "pyproject.toml": '[project]\nname = "x"\nversion = "1"\nrequires-python = ">=3.12"\n',
    },
    agent: "echo 3.12 > .python-version",
  }),
  recorded("a package is added to a uv workspace, with its lock entry", {
    tool: "uv",
    check: "uv run pytest -q",
    when: "grep -q packages/new pyproject.toml && test -e packages/new/pyproject.toml",
    red: "error: Workspace member `packages/new` is missing",
    green: passed(4),
    code: 2,
    files: {
      "pyproject.toml":
        '[project]\nname = "x"\nversion = "1"\ndependencies = ["new"]\n\n[tool.uv.workspace]\nmembers = ["packages/old"]\n',
      "uv.lock": "version = 1\n",
    },
    agent: `sed -i 's#members = .*#members = ["packages/old", "packages/new"]#' pyproject.toml; mkdir -p packages/new; printf '[project]\\nname = "new"\\nversion = "1"\\n' > packages/new/pyproject.toml; printf 'version = 1\\n\\n[[package]]\\nname = "new"\\nsource = { editable = "packages/new" }\\n' > uv.lock`,
  }),
];

const rust =
  "running 3 tests\ntest adds ... ok\ntest adds_nothing ... ok\ntest big ... ok\n\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
const manifest = '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n';
const cargoRecording = {
  tool: "cargo",
  check: "cargo test",
  code: 101,
  red: "error[E0432]: unresolved import `itoa`\n --> src/lib.rs:1:5\nerror: could not compile `x` (lib) due to 1 previous error",
  green: rust,
};

const otherLanguages: readonly Case[] = [
  inProject("cargo test")(
    "a feature is added to Cargo.toml that the code declares",
    `printf '${manifest.replaceAll("\n", "\\n")}\\n[features]\\nfast = []\\n' > Cargo.toml; grep -q fast src/lib.rs || printf '#[cfg(feature = "fast")]\\npub fn fast() {}\\n' >> src/lib.rs`,
  ),
  recorded("a crate is added to Cargo.toml with its lock entry", {
    ...cargoRecording,
    when: "grep -q '^itoa' Cargo.toml",
    files: { "Cargo.toml": manifest, "Cargo.lock": "version = 3\n" },
    agent: `printf '${manifest.replaceAll("\n", "\\n")}\\n[dependencies]\\nitoa = "1.0.11"\\n' > Cargo.toml; printf 'version = 3\\n\\n[[package]]\\nname = "itoa"\\nversion = "1.0.11"\\nsource = "registry+https://github.com/rust-lang/crates.io-index"\\n' > Cargo.lock`,
  }),
  recorded("a crate joins the workspace of Cargo.toml", {
    ...cargoRecording,
    when: "grep -q crates/new Cargo.toml",
    red: "error: current package believes it's in a workspace when it's not",
    files: { "Cargo.toml": '[workspace]\nmembers = ["crates/old"]\n' },
    agent: `printf '[workspace]\\nmembers = ["crates/old", "crates/new"]\\n' > Cargo.toml; mkdir -p crates/new/src; touch crates/new/src/lib.rs`,
  }),
  recorded("a dev-dependency from the registry is added to Cargo.toml", {
    ...cargoRecording,
    when: "grep -q proptest Cargo.toml",
    files: { "Cargo.toml": manifest },
    agent: `printf '${manifest.replaceAll("\n", "\\n")}\\n[dev-dependencies]\\nproptest = "1.5"\\n' > Cargo.toml`,
  }),
  recorded("a module is required in go.mod with its sums", {
    tool: "go",
    check: "go test ./...",
    when: "grep -q go-cmp go.mod && test -s go.sum",
    red: "x.go:4:2: no required module provides package github.com/google/go-cmp/cmp; to add it:\n\tgo get github.com/google/go-cmp/cmp\nFAIL\texample.com/x [setup failed]\nFAIL",
    green: "ok  \texample.com/x\t0.003s",
    files: { "go.mod": "module example.com/x\n\ngo 1.21\n", "x_test.go": "package x\n" },
    agent: `printf 'module example.com/x\\n\\ngo 1.21\\n\\nrequire github.com/google/go-cmp v0.6.0\\n' > go.mod; printf 'github.com/google/go-cmp v0.6.0 h1:ofyhxvXcZhMsU5ulbFiLKl/XBFqE1GSq7atu8tAmTRI=\\n' > go.sum`,
  }),
  recorded("a module joins go.work", {
    tool: "go",
    check: "go test ./a/... ./b/...",
    when: "grep -q ./b go.work && test -e b/go.mod",
    red: "pattern ./b/...: directory prefix b does not contain modules listed in go.work or their selected dependencies",
    green: "ok  \texample.com/a\t0.003s\nok  \texample.com/b\t0.002s",
    files: { "go.work": "go 1.21\n\nuse ./a\n", "a/go.mod": "module example.com/a\n\ngo 1.21\n" },
    agent:
      "printf 'go 1.21\\n\\nuse (\\n\\t./a\\n\\t./b\\n)\\n' > go.work; mkdir -p b; printf 'module example.com/b\\n\\ngo 1.21\\n' > b/go.mod; printf 'package b\\n' > b/b.go",
  }),
  recorded("a gem is added to the Gemfile with its lock entry", {
    tool: "bundle",
    check: "bundle exec rspec",
    when: "grep -q rexml Gemfile && grep -q rexml Gemfile.lock",
    red: "An error occurred while loading ./spec/add_spec.rb.\nFailure/Error: require 'rexml/document'\n\nLoadError:\n  cannot load such file -- rexml/document\n\nFinished in 0.00002 seconds (files took 0.1 seconds to load)\n0 examples, 0 failures, 1 error occurred outside of examples",
    green: "..\n\nFinished in 0.002 seconds (files took 0.1 seconds to load)\n2 examples, 0 failures",
    files: {
      Gemfile: 'source "https://rubygems.org"\ngem "rspec"\n',
      "Gemfile.lock": "GEM\n  specs:\n    rspec (3.12.0)\n",
    },
    agent: `printf 'source "https://rubygems.org"\\ngem "rspec"\\ngem "rexml"\\n' > Gemfile; printf 'GEM\\n  specs:\\n    rexml (3.2.8)\\n    rspec (3.12.0)\\n' > Gemfile.lock`,
  }),
  recorded("a dependency is added to pom.xml", {
    tool: "mvn",
    check: "mvn -B test",
    when: "grep -q commons-lang3 pom.xml",
    red: "[ERROR] COMPILATION ERROR :\n[ERROR] /x/src/main/java/Add.java:[1,34] package org.apache.commons.lang3 does not exist\n[INFO] BUILD FAILURE",
    green: "[INFO] Results:\n[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS",
    files: {
      "pom.xml": "<project>\n  <artifactId>x</artifactId>\n  <dependencies>\n  </dependencies>\n</project>\n",
    },
    agent:
      "printf '<project>\\n  <artifactId>x</artifactId>\\n  <dependencies>\\n    <dependency><groupId>org.apache.commons</groupId><artifactId>commons-lang3</artifactId><version>3.14.0</version></dependency>\\n  </dependencies>\\n</project>\\n' > pom.xml",
  }),
  recorded("a reference is added to tsconfig.json for a new package", {
    tool: "tsc",
    check: "tsc --build",
    when: "grep -q packages/b tsconfig.json && test -e packages/b/tsconfig.json",
    code: 2,
    red: "packages/a/index.ts(1,19): error TS6307: File is not listed within the file list of project.",
    green: "",
    files: { "tsconfig.json": '{ "files": [], "references": [{ "path": "packages/a" }] }\n' },
    agent: `echo '{ "files": [], "references": [{ "path": "packages/a" }, { "path": "packages/b" }] }' > tsconfig.json; mkdir -p packages/b; echo '{ "compilerOptions": { "composite": true } }' > packages/b/tsconfig.json`,
  }),
  recorded("a package is added to composer.json with its lock entry", {
    tool: "phpunit",
    check: "phpunit",
    when: "grep -q psr/log composer.json",
    code: 2,
    red: 'Error: Interface "Psr\\Log\\LoggerInterface" not found\n\nERRORS!\nTests: 2, Assertions: 0, Errors: 2.',
    green:
      "..                                                                  2 / 2 (100%)\n\nTime: 00:00.004, Memory: 4.00 MB\n\nOK (2 tests, 2 assertions)",
    files: { "composer.json": '{ "require": {} }\n' },
    agent: `echo '{ "require": { "psr/log": "^3.0" } }' > composer.json; echo '{ "packages": [{ "name": "psr/log", "version": "3.0.2" }] }' > composer.lock`,
  }),
  recorded("a solution gets a new project (dotnet)", {
    tool: "dotnet",
    check: "dotnet test",
    when: "grep -q Lib.csproj x.sln && " + "grep -q 'a + b' src/add.txt",
    red: 'x.sln : error MSB3202: The project file "Lib/Lib.csproj" was not found.',
    green:
      "Passed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12, Duration: 44 ms - App.Tests.dll (net8.0)",
    files: { "x.sln": "Microsoft Visual Studio Solution File, Format Version 12.00\n" },
    agent: `${fix}; printf 'Microsoft Visual Studio Solution File, Format Version 12.00\\nProject("{FAE04EC0}") = "Lib", "Lib/Lib.csproj", "{1}"\\nEndProject\\n' > x.sln; mkdir -p Lib; echo '<Project Sdk="Microsoft.NET.Sdk" />' > Lib/Lib.csproj`,
  }),
];

/** Manifests that grow with the project. */
export const manifests: readonly Case[] = [...javascript, ...python, ...otherLanguages];
