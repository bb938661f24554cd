import { expect, test } from "vitest";
import { keepParts } from "../../src/checks/keep-parts.ts";
import { tools } from "../../src/checks/tools/index.ts";

const partsOf = (id: string, file: string) =>
  tools.find((tool) => tool.id === id)?.parts?.filter((part) => part.file === `**/${file}`) ?? [];

const manifest = partsOf("npm", "package.json");
const pyproject = partsOf("pytest", "pyproject.toml");
const setupCfg = partsOf("pytest", "setup.cfg");
const cmake = partsOf("cmake", "CMakeLists.txt");
const goMod = partsOf("go", "go.mod");
const deno = tools.find(({ id }) => id === "deno")?.parts ?? [];
const cargo = partsOf("cargo", "Cargo.toml");

const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;

test("a script of package.json comes back, a new dependency stays", () => {
  const before = json({ name: "x", scripts: { test: "vitest run" }, dependencies: {} });
  const now = json({ name: "x", scripts: { test: "true" }, dependencies: { a: "1.0.0" } });
  expect(keepParts(manifest, { before, now })).toBe(
    json({ name: "x", scripts: { test: "vitest run" }, dependencies: { a: "1.0.0" } }),
  );
});

test("a manifest whose only change is undone has its old bytes, however it was formatted", () => {
  const before = '{ "scripts": { "test": "vitest run" },\n\n  "files": ["src", "types"] }';
  const changed = before.replace("vitest run", "true");
  const removed = '{\n  "files": ["src", "types"]\n}\n';
  for (const now of [changed, removed]) expect(keepParts(manifest, { before, now })).toBe(before);
});

test("a further script stays, one that npm runs by itself does not", () => {
  const before = json({ scripts: { test: "vitest run" } });
  const more = json({ scripts: { test: "vitest run", lint: "biome" } });
  expect(keepParts(manifest, { before, now: more })).toBeUndefined();
  expect(
    keepParts(manifest, {
      before,
      now: json({ scripts: { test: "true", lint: "biome", pretest: "exit 0", prepare: "sh x" } }),
    }),
  ).toBe(more);
});

test("scripts that were removed come back, and configuration that was added goes", () => {
  const before = json({ scripts: { test: "jest" } });
  const now = json({ jest: { testMatch: [] } });
  expect(keepParts(manifest, { before, now })).toBe(json({ scripts: { test: "jest" } }));
});

test("a test runner taken from a folder restores the whole manifest", () => {
  const before = json({ devDependencies: { vitest: "5.0.0" } });
  const now = json({ devDependencies: { vitest: "file:./fake" } });
  expect(keepParts(manifest, { before, now })).toBe(before);
});

test("a newer test runner stays", () => {
  const before = json({ devDependencies: { vitest: "5.0.0" } });
  expect(
    keepParts(manifest, { before, now: json({ devDependencies: { vitest: "5.1.0" } }) }),
  ).toBeUndefined();
});

test("a section of pyproject.toml is restored, others stay", () => {
  const before = '[project]\nname = "x"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n\n[tool.ruff]\n';
  const now =
    '[project]\nname = "x"\nversion = "2"\n\n[tool.pytest.ini_options]\naddopts = "--co"\n\n[tool.ruff]\n';
  expect(keepParts(pyproject, { before, now })).toBe(
    '[project]\nname = "x"\nversion = "2"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n\n[tool.ruff]\n',
  );
});

test.each([
  ["a dotted key", '[project]\nname = "x"\n[tool]\npytest.ini_options.addopts = "--co"\n'],
  ["an inline table", 'tool = { pytest = { ini_options = { addopts = "--co" } } }\n[project]\nname = "x"\n'],
  ["a quoted header", '[project]\nname = "x"\n[tool."pytest".ini_options]\naddopts = "--co"\n'],
  ["a file that cannot be read", "[project\n"],
])("configuration that hides in %s does not stay", (_title, now) => {
  const before = '[project]\nname = "x"\n';
  const kept = keepParts(pyproject, { before, now });
  expect(kept).toBeDefined();
  expect(kept).not.toContain("--co");
});

test("a section of setup.cfg goes where there was none, the others stay", () => {
  const now = "[metadata]\nname = x\nversion = 2\n[tool:pytest]\naddopts = --co\n";
  expect(keepParts(setupCfg, { before: "[metadata]\nname = x\n", now })).toBe(
    "[metadata]\nname = x\nversion = 2\n",
  );
});

test("a replaced module restores go.mod, a required one stays", () => {
  const before = "module x\n\ngo 1.22\n";
  expect(keepParts(goMod, { before, now: `${before}replace a => ./b\n` })).toBe(before);
  expect(keepParts(goMod, { before, now: `${before}replace (\n\ta v1 => ./b\n)\n` })).toBe(before);
  expect(keepParts(goMod, { before, now: `${before}require a v1.0.0\n` })).toBeUndefined();
});

const tsconfig = partsOf("node", "tsconfig*.json");
const environment = partsOf("version managers", ".env{,.*}");

test.each([
  {
    what: "a package that takes the name of a test library",
    parts: manifest,
    before: '{\n  "name": "x"\n}\n',
    now: '{\n  "name": "chai"\n}\n',
  },
  {
    what: "a path that leads to another test library",
    parts: tsconfig,
    before: '{\n  "strict": true\n}\n',
    now: '{\n  "paths": {\n    "chai": ["./c.ts"]\n  }\n}\n',
  },
  {
    what: "options of Node in an environment file",
    parts: environment,
    before: "PORT=1\n",
    now: "PORT=2\nNODE_OPTIONS=--import ./q.mjs\n",
  },
])("$what restores the file", ({ parts, before, now }) => {
  expect(keepParts(parts, { before, now })).toBe(before);
});

test.each([
  { what: "another name of the package", parts: manifest, now: '{\n  "name": "chai-extra"\n}\n' },
  { what: "a path for the project's own code", parts: tsconfig, now: '{\n  "@/*": ["./src/*"]\n}\n' },
  { what: "a setting of the program", parts: environment, now: "PORT=2\nURL=x\n" },
])("$what stays", ({ parts, now }) => {
  expect(keepParts(parts, { before: "{}\n", now })).toBeUndefined();
});

test("a Cargo library that is no longer tested restores the manifest, a dependency stays", () => {
  const before = '[package]\nname = "x"\nversion = "0.1.0"\n';
  expect(keepParts(cargo, { before, now: `${before}[lib]\ntest = false\n` })).toBe(before);
  expect(keepParts(cargo, { before, now: `${before}[dependencies]\na = "1"\n` })).toBeUndefined();
});

test("a test that is no longer found restores CMakeLists.txt, a source and another test stay", () => {
  const before = "project(x)\nenable_testing()\ngtest_discover_tests(add_test)\n";
  for (const now of [
    before.replace("(add_test)", "(add_test TEST_FILTER None)"),
    before.replace("gtest", "# gtest"),
    `${before}gtest_discover_tests(other PROPERTIES WILL_FAIL TRUE)\n`,
    `macro(gtest_discover_tests)\nendmacro()\n${before}`,
  ])
    expect(keepParts(cmake, { before, now })).toBe(before);
  const more = "add_library(a a.cpp)\ngtest_discover_tests(more_test)\nadd_test(NAME all COMMAND all_test)\n";
  expect(keepParts(cmake, { before, now: before + more })).toBeUndefined();
});

test("a task of Deno may be added, a package too, and its version may change", () => {
  const before = json({
    tasks: { test: "deno test" },
    imports: { ms: "npm:ms@2.1.2", "@std/assert": "jsr:@std/assert@1" },
  });
  const now = json({
    tasks: { test: "deno test", dev: "deno run a.ts" },
    imports: { ms: "npm:ms@2.1.3", "@std/assert": "jsr:@std/assert@^1.0.2", chalk: "npm:chalk@5" },
    compilerOptions: { jsx: "react" },
  });
  expect(keepParts(deno, { before, now })).toBeUndefined();
});

test.each([
  ["another source of a package", { imports: { ms: "./ms.ts" } }],
  ["another package", { imports: { ms: "npm:mss@2.1.2" } }],
  ["a path with another meaning", { imports: { ms: "npm:ms@2.1.2", "./src/add.ts": "./good.ts" } }],
  ["a scheme with another meaning", { imports: { ms: "npm:ms@2.1.2", "node:assert": "./assert.ts" } }],
  ["files that are left out", { imports: { ms: "npm:ms@2.1.2" }, exclude: ["test"] }],
  ["another map", { imports: { ms: "npm:ms@2.1.2" }, importMap: "map.json" }],
  ["a task that tests", { imports: { ms: "npm:ms@2.1.2" }, tasks: { test: "true" } }],
])("Deno's configuration comes back: %s", (_what, changed) => {
  const before = json({ imports: { ms: "npm:ms@2.1.2" } });
  expect(keepParts(deno, { before, now: json(changed) })).toBe(before);
});
