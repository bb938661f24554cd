import { describe, expect, test } from "vitest";
import { testGlobs } from "../../src/checks/tools/index.ts";
import { matchGlobs } from "../../src/workspace/match-globs.ts";
import { guardOf } from "./guard-of.ts";

describe.each([
  [
    "CMake, with a program named like a command",
    "CMakeLists.txt",
    "ctest",
    "add_executable(add_test tests/adds.c)\nadd_test(NAME add COMMAND add_test)\n",
    [
      "target_sources(add_test PRIVATE src/fake.c)",
      "add_custom_command(TARGET add_test POST_BUILD COMMAND true)",
    ],
    ["add_executable(more_test test/more_test.c)", "add_test(NAME more COMMAND more_test)"],
  ],
  [
    "CMake",
    "CMakeLists.txt",
    "ctest",
    "add_library(x src/add.c)\nadd_executable(unit tests/adds.c)\nadd_executable(app\n  src/main.c\n  src/a.c)\nadd_test(NAME adds COMMAND unit)\nadd_test(NAME help COMMAND app)\n",
    [
      "add_custom_command(TARGET unit POST_BUILD COMMAND cp true unit)",
      "set_target_properties(unit PROPERTIES SOURCES src/fake.c)",
      "target_sources(unit PRIVATE src/fake.c)",
      "add_compile_definitions(main=other)",
      "target_compile_definitions(x PUBLIC DOCTEST_CONFIG_DISABLE)",
      "target_link_options(x PUBLIC -Wl,-e,zero)",
      'set(CMAKE_CXX_LINK_EXECUTABLE "cp /bin/true <TARGET>")',
      "set(CMAKE_C_COMPILER tools/cc)",
    ],
    [
      "add_executable(more tests/more.c)",
      "target_link_libraries(unit m)",
      "target_sources(app PRIVATE src/b.c)",
      "install(TARGETS x)",
      'if(CMAKE_C_COMPILER_ID STREQUAL "GNU")',
    ],
  ],
  [
    "Meson",
    "meson.build",
    "meson test -C build",
    "lib = static_library('x', 'src/add.c')\nunit = executable('unit', 'tests/adds.c', link_with: lib)\ntest('adds', unit)\n",
    [
      "unit = find_program('true')",
      "unit = executable('other', 'tests/none.c')",
      "add_project_arguments('-DNDEBUG', language: 'c')",
      "add_test_setup('x', exe_wrapper: ['true'], is_default: true)",
    ],
    [
      "more = executable('more', 'tests/more.c', link_with: lib)",
      "test('more', more)",
      "m = dependency('m')",
    ],
  ],
])("%s", (...[, file, check, text, forged, honest]) => {
  const { kept } = guardOf(check, { [file]: text });

  test("builds the programs that run tests from the sources of before", () => {
    const other = text.replace("tests/adds.c", "src/fake.c");
    expect(kept(file, other)).toBe(text);
  });

  test.each(forged)("does not change such a program elsewhere: %s", (line) => {
    expect(kept(file, `${text}${line}\n`)).toBe(text);
  });

  test.each(honest)("may have other lines: %s", (line) => {
    expect(kept(file, `${text}${line}\n`)).toBe(`${text}${line}\n`);
  });

  test("may build other programs and libraries from other sources", () => {
    const more = text.replace("src/add.c", "src/add.c src/sub.c").replace("  src/a.c", "  src/b.c");
    expect(kept(file, more)).toBe(more);
  });
});

describe("lines about tests stay in the files of other build tools", () => {
  test.each([
    ["dune test", "dune", "(dirs :standard \\ test)\n"],
    ["dune test", "dune", "(env (_ (flags (:standard -noassert))))\n"],
    ["make check", "configure.ac", "AC_SUBST([LOG_COMPILER],[true])\n"],
    ["cabal test all", "cabal.project", "tests: False\n"],
    ["mix test", "config/runtime.exs", "config :ex_unit, exclude: [:test]\n"],
    ["R CMD check .", ".Rbuildignore", "^tests$\n"],
  ])("%s: no new %s", (check, path, text) => {
    expect(guardOf(check, {}).kept(path, text)).toBe("");
  });

  test.each([
    ["dune test", "dune-workspace"],
    ["nim c -r tests/a.nim", "nim.cfg"],
    ["nim c -r tests/a.nim", "tests/a.nims"],
    ["nim c -r tests/a.nim", "tests/unittest.nim"],
    ["rebar3 eunit", "rebar.config.script"],
    ["cabal test", "cabal.project.local"],
    ["cargo test", ".config/insta.yaml"],
    ["rake test", ".simplecov"],
    ["prove -l", "lib/Test/Builder/Module.pm"],
    ["rspec", "lib/rspec/matchers/built_in/eq.rb"],
    ["rake test", "lib/test/unit/ui/console.rb"],
    ["ctest", "include/boost/test/included/unit_test.hpp"],
    [
      "mvn test",
      "src/main/resources/META-INF/services/org.spockframework.runtime.extension.IGlobalExtension",
    ],
    ["mvn test", "src/main/resources/SpockConfig.groovy"],
    ["gradle test", "src/main/kotlin/io/kotest/provided/ProjectConfig.kt"],
    ["mvn test", "testng.xml"],
  ])("%s: no new file %s", (check, path) => {
    expect(guardOf(check, { "lib/A.pm": "" }).refuses(path)).toBe(true);
  });

  test.each([
    [
      "zig build test",
      "build.zig",
      '.root_source_file = b.path("tests/add.zig"),\n',
      "tests/add",
      "src/fake",
    ],
    ["cabal test", "x.cabal", "test-suite a\n  main-is: Main.hs\n", "Main.hs", "Fake.hs"],
    ["rebar3 eunit", "rebar.config", "{eunit_opts, [verbose]}.\n", "verbose", "{tests, []}"],
    ["mix test", "mix.exs", "# Mix.Tasks\n", "# Mix.Tasks", "Mix.Tasks.Test"],
  ])("%s: %s", (...[check, path, text, from, to]) => {
    expect(guardOf(check, { [path]: text }).kept(path, text.replace(from, to))).toBe(text);
  });

  test("cargo test: no other crates instead of this one", () => {
    const text = '[package]\nname = "x"\n';
    const { kept } = guardOf("cargo test", { "Cargo.toml": text });
    const more = `${text}[workspace]\nmembers = ["y"]\n`;
    expect(kept("Cargo.toml", more)).toBe(more);
    expect(kept("Cargo.toml", `${more}default-members = ["y"]\n`)).not.toContain("default");
  });

  test.each([
    ["dune test", "lib/dune", "(library (name x) (libraries y))\n"],
    ["dune test", "test/more/dune", "(test (name more))\n"],
    ["make check", "configure.ac", "AC_CHECK_HEADERS([stdlib.h])\n"],
    ["mix test", "config/config.exs", "config :x, level: 3\n"],
    ["R CMD check .", ".Rbuildignore", "^doc$\n"],
  ])("%s: %s may say other things", (check, path, text) => {
    expect(guardOf(check, {}).kept(path, text)).toBe(text);
  });
});

describe("a new deno.json", () => {
  const { kept } = guardOf("deno test", { "src/add.ts": "" });
  const text = (values: object) => JSON.stringify(values, undefined, 2);

  test.each([
    { imports: { "node:assert": "./src/fake.ts" } },
    { scopes: { "./test/": { "node:assert": "./src/fake.ts" } } },
    { test: { exclude: ["test"] } },
    { vendor: true },
  ])("does not change what tests import or which run: %j", (values) => {
    expect(kept("deno.json", text({ ...values, fmt: {} }))).not.toMatch(/fake|exclude|vendor/);
    expect(kept("deno.json", text({ ...values, fmt: {} }))).toContain("fmt");
  });

  test("may say other things, with comments", () => {
    const now = `{\n  // Dependencies\n${text({ tasks: { dev: "deno run a.ts" }, imports: { "@std/path": "jsr:@std/path@1" } }).slice(2)}`;
    expect(kept("deno.jsonc", now)).toBe(now);
  });

  test("cannot lead to another import map", () => {
    const map = text({ imports: { "node:assert": "./src/fake.ts" } });
    expect(kept("import_map.json", map)).not.toContain("fake");
  });
});

describe("settings with the name of a program that the check starts", () => {
  test.each([
    ["yamllint .", ".yamllint"],
    ["yamllint . && mytool", ".mytoolrc.json"],
    ["python3 -m bandit -r src", "bandit.yaml"],
    ["npx markdownlint docs", ".markdownlint.jsonc"],
    ["CI=1 knip", "knip.config.ts"],
    ["bundle exec reek lib", ".reek.yml"],
  ])("are protected: %s reads %s", (check, path) => {
    expect(guardOf(check, {}).refuses(path)).toBe(true);
  });

  test.each([
    ["knip", "package.json", '{"knip":{"ignore":["a"]}}'],
    ["yapf -d .", "pyproject.toml", "[tool.yapf]\nx = 1\n"],
    ["mypy .", "setup.cfg", "[mypy]\nignore_errors = True\n"],
    ["flake8", "tox.ini", "[flake8]\nignore = E\n"],
  ])("are protected in files with others: %s, %s", (check, path, text) => {
    const before = path === "package.json" ? "{}" : "";
    expect(
      guardOf(check, { [path]: before })
        .kept(path, text)
        .trim(),
    ).toBe(before);
  });

  test("of packages may change", () => {
    const text =
      "[metadata]\nname = x\n[options.extras_require]\ntest = pytest\n[bumpversion]\ncurrent_version = 2\n";
    expect(guardOf("mypy .", { "setup.cfg": "" }).kept("setup.cfg", text)).toBe(text);
  });

  test("are found in scripts of package.json and in makefiles", () => {
    const files = { Makefile: "lint:\n\tsqlfluff lint .\n", "package.json": '{"scripts":{"test":"oxlint"}}' };
    const { refuses } = guardOf("make lint && npm test", files);
    expect([".sqlfluff", ".oxlintrc.json"].map(refuses)).toEqual([true, true]);
  });

  test.each([
    ["npm run build", "build.json"],
    ["./app --check", "app.json"],
    ["node app.js", "app.json"],
    ["deno test", "deno.json"],
    ["composer test", "composer.json"],
    // Where names differ only in case, this is the manifest.
    ["cargo test", "cargo.toml"],
    ["webpack && node --test", "webpack.config.js"],
    ["git diff --exit-code", ".gitignore"],
  ])("are not files of the product: %s and %s", (check, path) => {
    expect(guardOf(check, {}).refuses(path)).toBe(false);
  });
});

describe("a pom.xml", () => {
  const pom =
    "<project>\n  <build>\n    <resources>\n      <directory>res</directory>\n    </resources>\n  </build>\n</project>\n";
  const { kept } = guardOf("mvn test", { "pom.xml": pom });
  const withLines = (lines: string) => pom.replace("  <build>\n", `  <build>\n${lines}\n`);

  test.each([
    "<testResources>\n<testResource>\n<directory>other</directory>\n</testResource>\n</testResources>",
    "<testOutputDirectory>none</testOutputDirectory>",
    "<testClassesDirectory>target/classes</testClassesDirectory>",
    "<testExcludes><testExclude>**</testExclude></testExcludes>",
    "<goal>add-test-resource</goal>",
    // A test library from the checkout.
    "<repository><id>a</id><url>file://${project.basedir}/repo</url></repository>",
    "<suiteXmlFile>other.xml</suiteXmlFile>",
  ])("has no new lines about tests: %s", (lines) => {
    expect(kept("pom.xml", withLines(lines))).toBe(pom);
  });

  test.each([
    "<testcontainers.version>1.20.4</testcontainers.version>",
    "<repository><id>a</id><url>https://repo.example.com/maven</url></repository>",
    "<goal>test-compile</goal>",
    "<artifactId>testng</artifactId>",
  ])("may have others: %s", (lines) => {
    expect(kept("pom.xml", withLines(lines))).toBe(withLines(lines));
  });
});

test("inputs that proptest found and repeats are tests", () => {
  const paths = ["proptest-regressions/lib.txt", "src/parse.proptest-regressions"];
  expect(paths.filter(matchGlobs(testGlobs, { nocase: false }))).toEqual(paths);
});

describe("Gradle", () => {
  const build = "dependencies {\n  testImplementation 'junit:junit:4.13.2'\n}\n";
  const { kept } = guardOf("gradle test", { "build.gradle": build, "settings.gradle": "" });
  const withLine = (line: string) => build.replace("{\n", `{\n  ${line}\n`);

  test.each([
    "testImplementation 'org.assertj:assertj-core:3.26.3'",
    'testRuntimeOnly("org.junit.platform:junit-platform-launcher")',
    "testImplementation(platform(libs.junit.bom))",
    "maven { url 'https://repo.example.com' }",
  ])("may have another package: %s", (line) => {
    expect(kept("build.gradle", withLine(line))).toBe(withLine(line));
  });

  test.each([
    "testImplementation files('fake.jar')",
    "testImplementation project(':fake')",
    "maven { url 'repo' }",
    "flatDir { dirs 'repo' }",
    "testImplementation 'a:b:1'; test { enabled = false }",
  ])("takes no package for tests from the checkout: %s", (line) => {
    expect(kept("build.gradle", withLine(line))).toBe(build);
  });

  test("keeps the package of before", () => {
    expect(kept("build.gradle", build.replace("'junit:junit:4.13.2'", "'a:b:1'"))).toBe(build);
  });

  test("builds from the same files", () => {
    expect(kept("settings.gradle", "rootProject.buildFileName = 'other.gradle'\n")).toBe("");
    expect(kept("settings.gradle", "include 'more'\n")).toBe("include 'more'\n");
  });
});

test("a crate of the workspace that tests use stays where it was", () => {
  const text = '[workspace.dependencies]\nsame = { path = "same" }\n';
  const { kept } = guardOf("cargo test", { "Cargo.toml": text });
  expect(kept("Cargo.toml", text.replace('"same"', '"fake"'))).toBe(text);
  const more = `${text}more = { path = "more" }\n`;
  expect(kept("Cargo.toml", more)).toBe(more);
});
