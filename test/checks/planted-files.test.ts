import { describe, expect, test } from "vitest";
import { shadowsHelper } from "../../src/checks/shadowed-helpers.ts";
import { type Files, guardOf } from "./guard-of.ts";

const calls = (test: string): Files => ({ "package.json": JSON.stringify({ scripts: { test } }) });

describe("a package of the checkout", () => {
  const { kept } = guardOf("npm test", calls("mocha"));
  test.each([
    '{"name":"chai","exports":"./fake.js"}',
    '{\n  "n\\u0061me": "chai"\n}',
    '{\n  "name":\n    "mocha"\n}',
    '{"dependencies":{"chai":{".":"file:./fake"}}}',
    '{"overrides":{"x":{"chai":"file:./fake"}}}',
  ])("does not stand in for one that runs tests: %s", (text) => {
    expect(kept("test/package.json", text)).not.toBe(text);
  });

  test("runs no script when it is installed, and may have others", () => {
    const text = (scripts: Files) => JSON.stringify({ name: "kit", scripts }, undefined, 2);
    const others = text({ build: "tsc" });
    expect(kept("kit/package.json", others)).toBe(others);
    expect(kept("kit/package.json", text({ postinstall: "node x", build: "tsc" }))).toBe(others);
  });

  test("may get its first scripts", () => {
    const text = JSON.stringify({ name: "x", scripts: { build: "tsc" } });
    expect(kept("x/package.json", text, '{"name":"x"}')).toBe(text);
  });
});

describe("a name that tests import", () => {
  const manifest = { imports: { "#test/*": "./test/support/*.js", "#lib/*": "./lib/*.js" } };
  const text = (imports: object) => JSON.stringify({ ...manifest, imports }, undefined, 2);
  const { kept } = guardOf("npm test", { "package.json": text(manifest.imports) });

  test("keeps its meaning in package.json", () => {
    for (const target of ["./fake/*.js", { node: "./fake/*.js", default: "./test/support/*.js" }])
      expect(kept("package.json", text({ ...manifest.imports, "#test/*": target }))).toBe(
        text(manifest.imports),
      );
  });

  test("may be added, and the code's may change", () => {
    const other = text({ "#test/*": "./test/support/*.js", "#lib/*": "./src/*.js", "#x": "./x.js" });
    expect(kept("package.json", other)).toBe(other);
  });

  test("keeps its meaning in tsconfig.json", () => {
    const paths = (target: string) =>
      `{\n  "compilerOptions": {\n    "paths": {\n      "@test/*": ["${target}"]\n    }\n  }\n}\n`;
    const before = paths("test/*");
    const ts = guardOf("npm test", { ...calls("vitest run"), "tsconfig.json": before });
    expect(ts.kept("tsconfig.json", paths("fake/*"))).toBe(before);
  });
});

test.each([
  ['  "ts-node": { "require": ["./x.cjs"] },'],
  ['  "ts-node": {\n    "compiler": "./x"\n  },'],
  ['  "extends": "./other.json",'],
])("ts-node loads nothing new by its settings: %s", (line) => {
  const before = '{\n  "compilerOptions": {}\n}\n';
  const { kept } = guardOf("npm test", {
    ...calls("mocha -r ts-node/register t/*.ts"),
    "tsconfig.json": before,
  });
  expect(kept("tsconfig.json", before.replace("{\n", `{\n${line}\n`))).toBe(before);
  const stricter = before.replace("{}", '{ "strict": true }');
  expect(kept("tsconfig.json", stricter)).toBe(stricter);
});

describe("a file that a test script sources", () => {
  const files = { "ci/test.sh": "set -e\n. ./settings.sh\nsource ci/more.env\nnode --test\n" };
  const all = { ...files, "settings.sh": "export A=1\n", "ci/more.env": "B=1\n", "calc.sh": "" };
  test("is protected next to a test runner", () => {
    const { refuses } = guardOf("bash ci/test.sh", all);
    expect(["settings.sh", "ci/more.env"].map(refuses)).toEqual([true, true]);
  });

  test("is the code under test where there is no other", () => {
    const { refuses } = guardOf("bash run-tests.sh", { ...all, "run-tests.sh": ". ./calc.sh\nadd 1 2\n" });
    expect(refuses("calc.sh")).toBe(false);
  });
});

describe("a program in C", () => {
  const Makefile = "test: t.c add.o\n\tcc -Iinclude -o t t.c add.o && ./t\n\n-include $(OBJ:.o=.d)\n";
  test.each(["make test", "ctest"])("finds the system's headers, not new ones: %s", (check) => {
    const { refuses } = guardOf(check, { Makefile, "include/string.h": "" });
    expect(["include/assert.h", "stdio.h", "src/cassert"].map(refuses)).toEqual([true, true, true]);
    expect(["include/string.h", "include/sub.h"].map(refuses)).toEqual([false, false]);
  });

  test.each([
    "all:\n\ttrue\n",
    "CFLAGS += -DNDEBUG\n",
    "add.o: CFLAGS=-DNDEBUG\n",
    "include x.mk\n",
    "t: t.c ; @true\n",
  ])("has no rules of make among the dependencies that a compiler writes: %j", (text) => {
    expect(guardOf("make test", { Makefile }).kept("src/add.d", text)).toBe("");
  });

  test("keeps the dependencies that a compiler writes", () => {
    const text = "src/add.o: src/add.c include/add.h \\\n include/sub.h\ninclude/add.h:\n";
    expect(guardOf("make test", { Makefile }).kept("src/add.d", text)).toBe(text);
  });
});

describe("CMake", () => {
  const lists = "project(x C)\nenable_testing()\nadd_test(NAME a COMMAND a)\n";
  const { kept } = guardOf("ctest", { "CMakeLists.txt": lists });
  test.each(["set(CMAKE_BUILD_TYPE Release)", "add_compile_definitions(NDEBUG)"])(
    "keeps assertions on: %s",
    (line) => {
      expect(kept("CMakeLists.txt", `${lists}${line}\n`)).toBe(lists);
    },
  );

  test.each([
    ["cmake/x.cmake", "set_tests_properties(a PROPERTIES WILL_FAIL TRUE)\n"],
    ["cmake/x.cmake", "macro(add_test)\nendmacro()\n"],
    ["sub/CMakeLists.txt", "set_property(TEST a PROPERTY SKIP_RETURN_CODE 1)\n"],
  ])("does not change tests from the new file %s", (path, text) => {
    expect(kept(path, text)).toBe("");
  });

  test("may have new files with tests and options", () => {
    const text = "add_executable(b b.c)\nadd_test(NAME b COMMAND b)\n";
    expect(kept("sub/CMakeLists.txt", text)).toBe(text);
    expect(kept("cmake/x.cmake", "option(FAST off)\n")).toBe("option(FAST off)\n");
  });
});

test.each(["bash vendor/runner/run.sh", "third_party/bats/bin/bats test"])(
  "a vendored test runner is protected: %s",
  (check) => {
    const path = /\S+\/\S+/.exec(check)?.[0] ?? "";
    const { refuses } = guardOf(check, { [path]: "", "add.sh": "" });
    expect([path, "add.sh"].map(refuses)).toEqual([true, false]);
  },
);

test.each([
  "vendor/unity/unity.c",
  "lib/bats-assert/load.bash",
  "tools/shunit2",
  "third_party/googletest/include/gtest/gtest.h",
])("a vendored test library is protected: %s", (path) => {
  expect(guardOf("make test && bats test", { [path]: "" }).refuses(path)).toBe(true);
});

test("a folder with the name of a test library is protected if it contains its header", () => {
  const { refuses } = guardOf("make test", {
    "deps/unity/src/unity.h": "",
    "deps/unity/src/extra.c": "",
    "src/unity/bridge.c": "",
    "src/criterion/criteria.c": "",
  });
  expect(refuses("deps/unity/src/extra.c")).toBe(true);
  expect(["src/unity/bridge.c", "src/unity/new.c", "src/criterion/criteria.c"].map(refuses)).toEqual([
    false,
    false,
    false,
  ]);
});

describe("Python", () => {
  const files = { "calc.py": "", "tests/test_calc.py": "" };
  const { refuses, kept } = guardOf("python3 -m pytest", files);
  test.each(["_bisect.py", "_struct.py", "__future__.py", "sre_compile.py", "pytest_metadata.py"])(
    "loads its own modules: %s",
    (path) => {
      expect(refuses(path)).toBe(true);
    },
  );

  test("finds no plugins by metadata in capitals", () => {
    for (const path of ["X.EGG-INFO/entry_points.txt", "x.Egg-Info/entry_points.txt"])
      expect(kept(path, "[pytest11]\nx = forge\n")).toBe("");
    expect(refuses("x.DIST-INFO/METADATA")).toBe(true);
  });

  test("finds no plugins by the metadata of the project", () => {
    const cfg = "[metadata]\nname = x\n";
    const forged = "[options.entry_points]\npytest11 =\n  f = forge\n";
    expect(kept("setup.cfg", cfg + forged, cfg)).toBe(cfg);
    const setup = "setup(\n  name='x',\n)\n";
    const plugin = "setup(\n  name='x',\n  entry_points={'pytest11': ['f = forge']},\n)\n";
    expect(kept("setup.py", plugin, setup)).toBe(setup);
    const scripts = "setup(\n  name='x',\n  entry_points={'console_scripts': ['f = forge']},\n)\n";
    expect(kept("setup.py", scripts, setup)).toBe(scripts);
  });

  test("looks for tests where they are", () => {
    const isShadow = shadowsHelper(["tests/test_calc.py", "tests/more/test_x.py"], Object.keys(files));
    expect(["tests.py", "tests.so", "tests/more.py", "calc/tests.py"].map(isShadow)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(kept("tests/__init__.py", "__path__ = ['fake']\n")).toBe("");
    expect(kept("tests/__init__.py", "X = 1\n")).toBe("X = 1\n");
  });
});

test("a helper of Go's tests is protected wherever it is: it imports the package `testing`", () => {
  const { refuses } = guardOf("go test ./...", {
    "internal/check/check.go": 'package check\n\nimport (\n\t"fmt"\n\t"testing"\n)\n',
    "add.go": 'package x\n\nimport "fmt"\n',
    "add_test.go": 'package x\n\nimport "testing"\n',
  });
  expect(["internal/check/check.go", "internal/check/check_linux.go", "add.go"].map(refuses)).toEqual([
    true,
    true,
    false,
  ]);
});

describe("Cargo", () => {
  const manifest = '[package]\nname = "x"\n\n[dev-dependencies]\nhelper = { path = "helper" }\n';
  const { kept } = guardOf("cargo test", { "Cargo.toml": manifest });
  test("takes a crate of tests from where it was", () => {
    expect(kept("Cargo.toml", manifest.replace('"helper" }', '"fake" }'))).toBe(manifest);
  });

  test("may take more crates", () => {
    const more = `${manifest}rand = "0.9"\nutil = { path = "util" }\n`;
    expect(kept("Cargo.toml", more)).toBe(more);
  });

  test("runs no code of a new crate while it compiles", () => {
    const text = '[package]\nname = "mac"\n\n[lib]\ncrate-type = ["proc-macro"]\n';
    expect(kept("mac/Cargo.toml", text)).not.toContain("proc-macro");
  });
});

test.each(["did_you_mean", "rubygems", "error_highlight", "monitor"])(
  "Ruby loads its own modules: lib/%s.rb",
  (name) => {
    expect(guardOf("rake test", { Rakefile: "", "lib/add.rb": "" }).refuses(`lib/${name}.rb`)).toBe(true);
  },
);

describe("Maven", () => {
  const pom = "<project>\n  <artifactId>x</artifactId>\n</project>\n";
  const { kept, refuses } = guardOf("mvn test", { "pom.xml": pom });
  test("takes no settings from a new parent", () => {
    const parent = "  <parent>\n    <relativePath>build/parent.xml</relativePath>\n  </parent>\n";
    expect(kept("pom.xml", pom.replace("<project>\n", `<project>\n${parent}`))).toBe(pom);
  });

  test("finds no classes in place of those of a test library", () => {
    expect(refuses("src/main/resources/org/junit/jupiter/api/Assertions.class")).toBe(true);
    expect(refuses("src/main/kotlin/org/junit/jupiter/api/Assertions.kt")).toBe(true);
  });
});
