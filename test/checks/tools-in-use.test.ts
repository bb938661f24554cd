import { describe, expect, test } from "vitest";
import { whyNoTests } from "../../src/checks/broken-check.ts";
import { keepParts } from "../../src/checks/keep-parts.ts";
import { setupOf } from "../../src/checks/setup.ts";
import { testGlobs } from "../../src/checks/tools/index.ts";
import { toolsInUse } from "../../src/checks/tools-in-use.ts";
import { matchGlobs } from "../../src/workspace/match-globs.ts";

const use = (check: string, files: Readonly<Record<string, string>> = {}) =>
  toolsInUse([check], { paths: Object.keys(files), text: (path) => files[path] });

test.each<[check: string, files: Readonly<Record<string, string>>, tool: string]>([
  ["npm test", { "package.json": '{"scripts":{"test":"vitest run"}}' }, "vitest"],
  ["make test", { Makefile: "test:\n\tpython3 -m pytest\n" }, "pytest"],
  ["bash ci/test.sh", { "ci/test.sh": "cargo test --locked\n" }, "cargo"],
  ["./scripts/check", { "scripts/check": "go test ./...\n" }, "go"],
  [
    "make check",
    { Makefile: "check:\n\tnpm run unit\n", "package.json": '{"scripts":{"unit":"mocha"}}' },
    "mocha",
  ],
  ["cd pkg && npx jest --ci", {}, "jest"],
  ["cd pkg && npm test", { "pkg/package.json": '{"scripts":{"test":"vitest"}}' }, "vitest"],
  ["npm test --workspaces", { "a/b/package.json": '{"scripts":{"test":"ava"}}' }, "ava"],
  ["make -C sub", { "sub/Makefile": "all:\n\tpytest\n" }, "pytest"],
])("%s uses what it calls", (check, files, tool) => {
  expect(use(check, files).tools).toContain(tool);
});

test("what tap writes at each run is not protected, its plugins are", () => {
  const { config } = use("npx tap");
  const paths = [".taprc", ".tap/plugins/package.json", ".tap/test-results/a.js.tap", ".tap/coverage/1.json"];
  expect(paths.filter(matchGlobs(config, { nocase: false }))).toEqual([
    ".taprc",
    ".tap/plugins/package.json",
  ]);
});

test.each([
  ["wtr", "web-test-runner.config.mjs"],
  ["lab", ".labrc.js"],
  ["wdio run", "wdio.conf.ts"],
  ["nightwatch", "nightwatch.conf.cjs"],
  ["testcafe chrome", ".testcaferc.json"],
  ["flutter test", "dart_test.yaml"],
  ["dart analyze", "packages/a/analysis_options.yaml"],
  ["forge test", "foundry.toml"],
  ["stestr run", ".stestr.conf"],
  ["green tests", ".green"],
])("the settings of %s are protected: %s", (check, path) => {
  expect([path].filter(matchGlobs(use(check, { [path]: "" }).config, { nocase: false }))).toEqual([path]);
});

test.each(["contracts/Counter.t.sol", "main.tftest.hcl", "lib/sum_test.dart", "policy/main_test.rego"])(
  "%s is a test",
  (path) => {
    expect([path].filter(matchGlobs(testGlobs, { nocase: false }))).toEqual([path]);
  },
);

test("a word inside another one calls nothing", () => {
  expect(use("echo mongo algorithm remake").tools).toEqual(["version managers"]);
});

test("a script is protected where its name says that it tests, not where it is the program", () => {
  const files = { "run-tests.sh": "", "greet.sh": "", "app.py": "" };
  expect(use("bash run-tests.sh && bash greet.sh && python3 app.py", files).scripts).toEqual([
    "run-tests.sh",
  ]);
});

test("the scripts of package.json and of makefiles are followed, also into folders of tools", () => {
  const manifest = JSON.stringify({
    scripts: {
      test: "bash scripts/test.sh && node tools/run.js && node app.js",
      start: "node scripts/start.js",
    },
  });
  const files = {
    "package.json": manifest,
    "scripts/test.sh": "",
    "tools/run.js": "",
    "app.js": "",
    "scripts/start.js": "",
    "pkg/package.json": JSON.stringify({ scripts: { "test:unit": "node scripts/unit.js" } }),
    "pkg/scripts/unit.js": "",
    Makefile: "verify:\n\t./ci/verify\n",
    "ci/verify": "",
  };
  expect(use("npm test && make verify", files).scripts).toEqual([
    "ci/verify",
    "scripts/test.sh",
    "tools/run.js",
    "pkg/scripts/unit.js",
  ]);
});

test("a program that a framework writes into a project to start tests is protected", () => {
  const files = { "bin/rails": "", artisan: "", "web/manage.py": "", "bin/phpunit": "", "app.php": "" };
  const check =
    "bin/rails test && php artisan test && python3 web/manage.py test && php bin/phpunit && php app.php";
  expect(use(check, files).scripts).toEqual(["bin/rails", "artisan", "web/manage.py", "bin/phpunit"]);
});

test("Django's command that runs tests, and the setting that replaces its runner, are configuration", () => {
  const { config, parts } = use("python3 manage.py test");
  expect(config).toContain("**/management/commands/test.py");
  const ofSettings = parts.filter(({ file }) =>
    matchGlobs([file], { nocase: false })("site/settings/base.py"),
  );
  const before = 'SECRET_KEY = "x"\n';
  expect(keepParts(ofSettings, { before, now: `${before}TEST_RUNNER = "app.Runner"\n` })).toBe(before);
  expect(keepParts(ofSettings, { before, now: `${before}DEBUG = True\n` })).toBeUndefined();
  expect(use("python3 manage.py migrate && pytest").config).not.toContain("**/management/commands/test.py");
});

test("what rake loads by itself is configuration", () => {
  expect(use("rake test").config).toContain("**/rakelib/**");
});

test("the settings of a linter are configuration of checks that call it, not of those that only run tests", () => {
  const has = (check: string, path: string) => matchGlobs(use(check).config, { nocase: false })(path);
  for (const [tests, linter, path] of [
    ["rspec", "rubocop", ".rubocop.yml"],
    ["go test ./...", "golangci-lint run", ".golangci.yml"],
    ["cargo test", "cargo clippy", "clippy.toml"],
    ["cargo test", "cargo fmt --check", "rustfmt.toml"],
    ["phpunit", "vendor/bin/phpstan", "phpstan.neon"],
    ["mix test", "mix credo", ".credo.exs"],
  ] as const) {
    expect([path, has(tests, path), has(linter, path)]).toEqual([path, false, true]);
  }
});

test("of the metadata that an editable install leaves, only plugins of pytest are refused", () => {
  const parts = use("pytest").parts.filter(({ file }) => file.includes("egg-info"));
  const scripts = "[console_scripts]\nadd = add:main\n";
  expect(keepParts(parts, { before: "", now: scripts })).toBeUndefined();
  expect(keepParts(parts, { before: "", now: `${scripts}\n[pytest11]\nz = forge\n` })).not.toContain("forge");
});

test("a file or folder that makes make take a test's target for done may not be added", () => {
  const Makefile =
    ".PHONY: test\nCHECK := x\nverify unit-test: build\n\techo\ntest:\n\techo\nbuild:\n\techo\ncheck:\n\techo\n";
  const isConfig = matchGlobs(use("make verify", { Makefile, "check/a.c": "" }).config, { nocase: false });
  const paths = ["verify", "verify/a.txt", "unit-test", "test/a.test.js", "build", "check/b.c", "src/verify"];
  expect(paths.filter(isConfig)).toEqual(["verify", "verify/a.txt", "unit-test"]);
});

describe("a new file in the place of a module that a test runner loads", () => {
  const files = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
    "tests/test_add.py": "",
    "src/app/__init__.py": "",
    "checks/__init__.py": "",
    "checks/test_more.py": "",
    "queue.py": "",
    "lib/minitest/own_plugin.rb": "",
    "test/helper.rb": "",
  };
  test.each<[check: string, paths: readonly string[], code: readonly string[]]>([
    [
      "python3 -m pytest",
      [
        "argparse.py",
        "argparse",
        "difflib/__init__.py",
        "traceback.pyc",
        "json.cpython-311-x86_64-linux-gnu.so",
        "iniconfig.py",
        "src/types.py",
        "tests/shlex.py",
      ],
      [
        "queue.py",
        "src/app/types.py",
        "checks/email/__init__.py",
        "platform/icon.png",
        "docs/code.py",
        "utils.py",
        "test/__init__.py",
      ],
    ],
    ["cd backend && python3 -m unittest", ["backend/argparse.py"], ["frontend/argparse.py"]],
    ["python3 tools/run.py", ["argparse.py"], ["tools/shapes.py"]],
    [
      "rake test",
      ["lib/optparse.rb", "lib/minitest/parallel.rb", "test/minitest/forge_plugin.rb", "lib/rspec/core.rb"],
      ["lib/minitest/own_plugin.rb", "lib/add/set.rb", "lib/add.rb", "app/models/set.rb"],
    ],
    ["prove -Ilib t", ["lib/strict.pm", "lib/List/Util.pm", "strict.pm"], ["lib/Add/Carp.pm", "lib/Add.pm"]],
  ])("%s", (check, paths, code) => {
    const isConfig = matchGlobs(use(check, files).config, { nocase: false });
    expect(paths.filter((path) => !isConfig(path))).toEqual([]);
    expect(code.filter((path) => isConfig(path))).toEqual([]);
  });

  test("is code where a project of that name is tested", () => {
    const own = {
      "src/pytest/__init__.py": "",
      "lib/rspec/core.rb": "",
      "tox.ini": "[testenv]\nsetenv = PYTHONPATH = {toxinidir}/src\ncommands = pytest\n",
    };
    const isConfig = matchGlobs(use("tox && rspec", own).config, { nocase: false });
    expect(["src/pytest/__init__.py", "lib/rspec/core.rb"].filter(isConfig)).toEqual([]);
    expect(isConfig("src/_pytest/__init__.py")).toBe(true);
  });
});

test.each(["mvn test", "./gradlew test"])(
  "classes in the place of JUnit's are configuration of %s",
  (check) => {
    expect(use(check).config).toContain("**/org/{junit,hamcrest,assertj,testng,mockito}/**/*.java");
  },
);

test.each<[files: readonly string[], setup: string]>([
  [["package.json", "pnpm-lock.yaml"], "pnpm install"],
  [["package.json", "package-lock.json"], "npm ci"],
  [["pyproject.toml", "uv.lock"], "uv sync"],
  [["requirements.txt", "Makefile"], "pip install"],
  [["Gemfile", "Rakefile"], "bundle install"],
  [["pyproject.toml", "pdm.lock"], "pdm sync"],
  [["Pipfile", "requirements.txt"], "pipenv install"],
  [["mix.exs", "mix.lock"], "mix deps.get"],
])("a clone with %j is made ready by %s", (names, setup) => {
  expect(setupOf(names)).toContain(setup);
});

test.each([["package.json"], ["go.mod"], ["Cargo.toml"], ["pom.xml"], ["README.md"]])(
  "a clone with %s needs nothing",
  (name) => {
    expect(setupOf([name, "Makefile"])).toBeUndefined();
  },
);

test("a clone is made ready in the folder that the check changes to", () => {
  const files = { "web/package.json": "{}", "web/package-lock.json": "{}", "go.mod": "" };
  expect(use("cd web && npm test", files).setup).toBe(
    "cd web/ && { npm ci --prefer-offline --no-audit --no-fund; }",
  );
  expect(use("npm --prefix web test", files).setup).toBeUndefined();
});

test.each([
  ["npm without the script", 1, 'npm error Missing script: "tset"\n'],
  ["bundler without the gems", 1, "Could not find rake-13.0.6, minitest-5.25.1 in locally installed gems\n"],
  [
    "an old bundler without a gem",
    1,
    "/usr/lib/ruby/3.1.0/bundler/resolver.rb:235:in `block in verify!': Could not find gem 'rake' in locally installed gems. (Bundler::GemNotFound)\n",
  ],
  [
    "uv without pytest",
    2,
    "error: Failed to spawn: `pytest`\n  Caused by: No such file or directory (os error 2)\n",
  ],
  ["poetry without pytest", 1, "Command not found: pytest\n"],
  [
    "npm without a manifest",
    254,
    "npm error code ENOENT\nnpm error enoent Could not read package.json: Error: ENOENT\n",
  ],
  [
    "pytest with a path that is not there",
    4,
    "ERROR: file or directory not found: testz\n\n=== no tests ran in 0.00s ===\n",
  ],
  ["pytest that collects nothing", 5, "\nno tests ran in 0.01s\n"],
  ["make without the target", 2, "make: *** No rule to make target 'tests'.  Stop.\n"],
  ["go without packages", 1, 'go: warning: "./..." matched no packages\nno packages to test\n'],
  [
    "Maven without a place for its files",
    1,
    "[ERROR] Could not create local repository at /root/.m2/repository -> [Help 1]\n",
  ],
  [
    "Maven without its plugins",
    1,
    "[ERROR] Plugin org.apache.maven.plugins:maven-surefire-plugin:3.5.4 or one of its dependencies could not be resolved: x\n",
  ],
  ["cargo without a manifest", 101, "error: could not find `Cargo.toml` in `/w` or any parent directory\n"],
  ["Jest without tests", 1, "No tests found, exiting with code 1\n"],
  [
    "Yarn 1 for a project of a later one",
    1,
    'error This project\'s package.json defines "packageManager": "yarn@4.18.1". However the current global version of Yarn is 1.22.22.\n',
  ],
  [
    "Yarn 4 without packages",
    1,
    "Usage Error: The project in /work/package.json doesn't seem to have been installed - running an install there might help\n",
  ],
  ["PDM without a program", 1, "[PdmUsageError]: Command 'pytest' is not found in your PATH.\n"],
  ["bundler without a program", 127, "bundler: command not found: rspec\n"],
  ["mix without Hex", 1, "Could not find Hex, which is needed to build dependency :jason\n"],
  ["Vitest without tests", 1, "No test files found, exiting with code 1\n"],
  ["cd in the wrong folder", 1, "bash: line 1: cd: packages/a: No such file or directory\n"],
])("%s reached no test", (_title, exitCode, output) => {
  expect(whyNoTests({ exitCode, output, tests: undefined })).toBe(
    output
      .split("\n")
      .map((line) => line.trim())
      .find((line) => whyNoTests({ exitCode: 1, output: line, tests: undefined })),
  );
  expect(whyNoTests({ exitCode, output, tests: undefined })).toBeDefined();
});

test("a failing test that prints such text ran", () => {
  const tests = { runner: "pytest", passed: 1, failed: 1, skipped: 0 };
  expect(whyNoTests({ exitCode: 1, output: "no tests ran in 0.00s\n", tests })).toBeUndefined();
  expect(whyNoTests({ exitCode: 1, output: "AssertionError: 1 != 2\n", tests: undefined })).toBeUndefined();
});

const isTest = matchGlobs(testGlobs, { nocase: false });

test.each([
  "fixtures/sum.json",
  "pkg/__fixtures__/page.html",
  "golden/out.txt",
  "snapshots/page.json",
  "expected/run.out",
  "src/add.golden",
  "src/add.approved.txt",
  "src/__snapshots__/add.snap",
  "e2e/home.js",
  "src/Button.cy.tsx",
  "src/app.e2e-spec.ts",
  "src/main/TestAdd.java",
  "Add.Tests/UnitTest1.cs",
  "src/integrationTest/kotlin/Add.kt",
  "Tests/AddTests/Add.swift",
  "integration-tests/run.sh",
  "features/add.feature",
  "features/steps/add.py",
  "cli/run.phpt",
  "internal/testutil/equal.go",
  "src/test-utils/render.tsx",
  "pkg/test_helpers/__init__.py",
  "Sources/TestSupport/Sums.swift",
  "src/testHelpers.ts",
  "src/testutil.go",
])("%s is a test, or what tests compare with", (path) => {
  expect(isTest(path)).toBe(true);
});

test.each([
  "src/features/add.ts",
  "src/latest/index.ts",
  "src/contest.js",
  "src/SpeedTest/index.tsx",
  "src/ab-test.ts",
  "src/snapshots/service.ts",
  "src/expected/index.ts",
  "src/fixture.ts",
  "src/user.verified.ts",
  "src/Testimonial.java",
  "openapi-spec.json",
  "attest.go",
  "packages/test-utils/src/mount.ts",
  "src/testing/index.ts",
  "src/latest-utils/index.ts",
])("%s is no test", (path) => {
  expect(isTest(path)).toBe(false);
});

test.each<[check: string, files: Readonly<Record<string, string>>, glob: string]>([
  ["nose2", {}, "**/unittest.cfg"],
  ["python3 -m pytest", {}, "**/*.dist-info/**"],
  ["coverage run -m unittest && coverage report", {}, "**/.coveragerc"],
  ["pre-commit run --all-files", {}, "**/.pre-commit-config.y{a,}ml"],
  ["prettier --check .", {}, "**/.editorconfig"],
  ["dotnet test", {}, "**/.editorconfig"],
  ["pre-commit run -a", { ".pre-commit-config.yaml": "entry: python3 -m pytest" }, "**/conftest.py"],
  ["ctest --test-dir build", {}, "**/{gtest,gmock,catch2,doctest}/**/*.{h,hpp}"],
  [
    "make test",
    { Makefile: "-include config.local ./rules\ninclude $(DEPS)\ntest:\n\ttrue\n" },
    "**/config.local",
  ],
  ["go test ./...", {}, "**/vendor/gotest.tools/**"],
  ["mvn test", {}, "**/META-INF/services/org.{junit,testng}.*"],
])("%s is configured by %j and %s", (check, files, glob) => {
  expect(use(check, files).config).toContain(glob);
});

test("a script that a check's script sources is protected too", () => {
  const files = { "ci/run-tests.sh": ". ci/lib.sh\n. ./greet.sh\n", "ci/lib.sh": "", "greet.sh": "" };
  expect(use("./ci/run-tests.sh", files).scripts).toEqual(["ci/run-tests.sh", "ci/lib.sh"]);
});

test("packages that run tests may not be added next to the tests, others may", () => {
  const isConfig = matchGlobs(use("npm test").config, { nocase: false });
  expect(isConfig("test/node_modules/chai/index.js")).toBe(true);
  expect(isConfig("pkg/tests/unit/node_modules/@vitest/expect/index.js")).toBe(true);
  expect(isConfig("test/fixtures/app/node_modules/dep/index.js")).toBe(false);
  expect(isConfig("packages/app/node_modules/chai/index.js")).toBe(false);
});
