import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findProject, findProjectsBelow } from "../../src/cli/init/project.ts";
import { openFolder } from "../parts/terminal.ts";

const manifest = (more: object = {}) => JSON.stringify({ scripts: { test: "node --test" }, ...more });

test.each<[string, Record<string, string>, { check: string; install?: string | undefined }]>([
  [
    "npm",
    { "package.json": manifest(), "package-lock.json": "{}" },
    { check: "npm test", install: "npm ci" },
  ],
  [
    "pnpm",
    { "package.json": manifest(), "pnpm-lock.yaml": "" },
    { check: "pnpm test", install: "pnpm install --frozen-lockfile" },
  ],
  [
    "yarn",
    { "package.json": manifest({ packageManager: "yarn@4.9.1" }), ".yarnrc.yml": "" },
    { check: "yarn test", install: "yarn install --immutable" },
  ],
  [
    "yarn",
    { "package.json": manifest(), "yarn.lock": "# generated\n\n__metadata:\n  version: 8\n" },
    { check: "yarn test", install: "yarn install --immutable" },
  ],
  [
    "bun",
    { "package.json": manifest({ scripts: { test: "bun test" } }), "bun.lock": "{}" },
    { check: "bun run test", install: "bun install --frozen-lockfile" },
  ],
  [
    "bun",
    { "package.json": "{}", "bun.lock": "{}" },
    { check: "bun test", install: "bun install --frozen-lockfile" },
  ],
  [
    "pytest with pdm",
    { "pyproject.toml": "[tool.pdm]\n[dependency-groups]\ntest = ['pytest']\n" },
    { check: "pdm run pytest -q", install: "pdm install" },
  ],
  [
    "pytest with pipenv",
    { Pipfile: "[dev-packages]\npytest = '*'\n", "test_a.py": "" },
    { check: "pipenv run pytest -q", install: "pipenv install --dev" },
  ],
  [
    "hatch",
    { "pyproject.toml": "[tool.hatch.envs.hatch-test]\n", "tests/test_a.py": "" },
    { check: "hatch test", install: "python3 -m pip install hatch" },
  ],
  [
    "nox",
    { "noxfile.py": "", "pyproject.toml": "[project]\n", "tests/test_a.py": "" },
    { check: "nox", install: "python3 -m pip install nox" },
  ],
  [
    "pytest",
    { "requirements.txt": "pytest\n", "test_a.py": "" },
    {
      check: "python3 -m pytest -q",
      install: "python3 -m pip install -r requirements.txt",
    },
  ],
  [
    "pytest with uv",
    { "pyproject.toml": "[dependency-groups]\ndev = ['pytest']\n", "uv.lock": "" },
    { check: "uv run pytest -q", install: "uv sync" },
  ],
  [
    "pytest with uv",
    { "pyproject.toml": "[tool.uv.workspace]\nmembers = ['a']\n[tool.pytest.ini_options]\n" },
    { check: "uv run pytest -q", install: "uv sync --all-packages" },
  ],
  [
    "pytest with poetry",
    { "pyproject.toml": "[build-system]\nbuild-backend = 'poetry.core.masonry.api'\n", "test_a.py": "" },
    { check: "poetry run pytest -q", install: "poetry install" },
  ],
  [
    "pytest with poetry",
    { "pyproject.toml": "[tool.poetry]\n[tool.pytest.ini_options]\n" },
    { check: "poetry run pytest -q", install: "poetry install" },
  ],
  [
    "pytest",
    {
      "pyproject.toml":
        "[project.optional-dependencies]\ndocs = ['sphinx']\ntest = ['pytest', 'hypothesis']\n",
    },
    { check: "python3 -m pytest -q", install: "python3 -m pip install -e '.[test]'" },
  ],
  [
    "pytest",
    { "pyproject.toml": "[dependency-groups]\ndev = ['pytest>=8']\n", "tox.ini": "[testenv]\n" },
    { check: "python3 -m pytest -q", install: "python3 -m pip install -e . --group dev" },
  ],
  [
    "tox",
    { "pyproject.toml": "[project]\n", "tox.ini": "[testenv]\ndeps = pytest\n", "tests/test_a.py": "" },
    { check: "tox -e py", install: "python3 -m pip install tox" },
  ],
  [
    "unittest",
    { "tests/test_a.py": "import unittest\n" },
    { check: "python3 -m unittest", install: undefined },
  ],
  ["go", { "go.mod": "module a\n" }, { check: "go test ./..." }],
  [
    "go workspace",
    { "go.work": "go 1.25\n\nuse (\n\t./api // first\n\t./lib/words\n)\nuse .\n" },
    { check: "go test ./api/... ./lib/words/... ./..." },
  ],
  ["cargo", { "Cargo.toml": "[package]\n" }, { check: "cargo test --no-fail-fast" }],
  ["cargo", { "Cargo.toml": "[workspace]\n" }, { check: "cargo test --workspace --no-fail-fast" }],
  ["maven", { "pom.xml": "<project/>", mvnw: "" }, { check: "./mvnw -B -ntp test" }],
  ["gradle", { "build.gradle.kts": "" }, { check: "gradle test" }],
  ["gradle", { "settings.gradle": "", gradlew: "", "app/build.gradle": "" }, { check: "./gradlew test" }],
  [
    "rspec with bundler",
    { Gemfile: "", ".rspec": "" },
    { check: "bundle exec rspec", install: "bundle install" },
  ],
  [
    "rails",
    { Gemfile: "", "bin/rails": "", "test/a_test.rb": "" },
    { check: "bin/rails test", install: "bundle install" },
  ],
  [
    "phpunit with composer",
    { "composer.json": '{"require-dev":{"phpunit/phpunit":"^12"}}' },
    { check: "vendor/bin/phpunit", install: "composer install --no-interaction" },
  ],
  [
    "pest with composer",
    { "composer.json": '{"require-dev":{"pestphp/pest":"^4"}}' },
    { check: "vendor/bin/pest", install: "composer install --no-interaction" },
  ],
  ["dotnet", { "a.slnx": "<Solution/>" }, { check: "dotnet test" }],
  [
    "dotnet",
    { "a.csproj": '<Project><PackageReference Include="Microsoft.NET.Test.Sdk"/></Project>' },
    { check: "dotnet test" },
  ],
  [
    "cmake",
    { "CMakeLists.txt": "project(x C)\nenable_testing()\n", Makefile: "test:\n" },
    {
      check:
        "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure --no-tests=error",
    },
  ],
  ["rake", { Rakefile: "", "test/a_test.rb": "" }, { check: "rake test" }],
  ["deno", { "deno.json": "{}", Makefile: "test:\n" }, { check: "deno test" }],
  ["mix", { "mix.exs": "" }, { check: "mix test", install: "mix local.hex --force && mix deps.get" }],
  ["swift", { "Package.swift": "", "Tests/ATests/A.swift": "" }, { check: "swift test" }],
  ["dart", { "pubspec.yaml": "name: a\n" }, { check: "dart test", install: "dart pub get" }],
  [
    "flutter",
    { "pubspec.yaml": "dependencies:\n  flutter:\n    sdk: flutter\n" },
    { check: "flutter test", install: "flutter pub get" },
  ],
  ["sbt", { "build.sbt": "" }, { check: "sbt test" }],
  ["cabal", { "a.cabal": "" }, { check: "cabal test all" }],
  ["meson", { "meson.build": "" }, { check: expect.stringContaining("meson test -C build") as string }],
  ["prove", { "Makefile.PL": "", "t/a.t": "" }, { check: "prove -lrv t" }],
  ["make", { Makefile: "all:\n\ntest: all\n\ttrue\n" }, { check: "make test" }],
  ["just", { justfile: "test *words:\n  true\n" }, { check: "just test" }],
  ["task", { "Taskfile.yml": "tasks:\n  test: true\n" }, { check: "task test" }],
  ["bats", { "tests/a.bats": "" }, { check: "bats --recursive tests" }],
])("a project of %s is recognised by its files", (tool, files, { check, install }) => {
  const project = findProject(folderWith(files));
  expect(project).toMatchObject({ tool, check, install });
});

test.each<[string, Record<string, string>]>([
  [
    "npm's placeholder for a test script",
    { "package.json": manifest({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }) },
  ],
  ["a Makefile without a test target", { Makefile: "all:\n\ttrue\nTEST := x\n" }],
  ["a library of .NET", { "a.csproj": '<Project Sdk="Microsoft.NET.Sdk"/>' }],
  ["a composer.json without a test runner", { "composer.json": "{}" }],
  ["CMake without tests", { "CMakeLists.txt": "project(x C)\n# enable_testing()\n" }],
  ["a package of Swift without tests", { "Package.swift": "" }],
  ["a justfile without a recipe for tests", { justfile: "test := 'x'\n" }],
  ["a Rakefile without tests", { Rakefile: "" }],
  ["a README", { "README.md": "words\n" }],
])("%s is no project with tests", (_, files) => {
  expect(findProject(folderWith(files))).toBeUndefined();
});

test("projects below are found two levels down, and not in what was installed", () => {
  const path = folderWith({
    "packages/b/go.mod": "module b\n",
    "packages/a/package.json": manifest(),
    "node_modules/x/package.json": manifest(),
    "tool/Cargo.toml": "[package]\n",
  });
  expect(findProjectsBelow(path)).toEqual(["packages/a", "packages/b", "tool"]);
});

test.each<[string, Record<string, string>, { tool: string; install: string; setup: string }]>([
  [
    "npm's package.json",
    { "package-lock.json": "{}", ".nvmrc": "24", "packages/a/package.json": manifest() },
    { tool: "npm", install: "npm ci", setup: "node-version-file: .nvmrc" },
  ],
  [
    "pnpm's package.json",
    { "pnpm-lock.yaml": "", "packages/a/package.json": manifest(), "packages/a/.nvmrc": "24" },
    {
      tool: "pnpm",
      install: "pnpm install --frozen-lockfile",
      setup: "node-version-file: packages/a/.nvmrc",
    },
  ],
  [
    "npm's package.json among packages of pnpm",
    {
      "pnpm-lock.yaml": "",
      "packages/a/package.json": manifest(),
      "packages/a/package-lock.json": "{}",
      ".nvmrc": "24",
    },
    { tool: "npm", install: "npm ci", setup: "node-version-file: .nvmrc" },
  ],
  [
    "uv's pyproject.toml",
    { "uv.lock": "", ".python-version": "3.13", "packages/a/pyproject.toml": "", "packages/a/test_a.py": "" },
    { tool: "pytest with uv", install: "uv sync", setup: "python-version-file: .python-version" },
  ],
])("a package of a workspace is run by the tool whose lock file is nearest: %s", (_, files, wanted) => {
  const top = folderWith(files);
  const found = findProject(join(top, "packages/a"), top);
  expect(found).toMatchObject({ tool: wanted.tool, install: wanted.install });
  expect(found?.setup.join("\n")).toContain(wanted.setup);
});

test("a workflow installs what newer runners lack: corepack since Node 25, a version of Ruby", () => {
  const setupOf = (files: Record<string, string>) => findProject(folderWith(files))?.setup.join("\n");
  const corepack = "- run: npm install --global corepack && corepack enable";
  expect(setupOf({ "package.json": manifest(), "pnpm-lock.yaml": "" })).toContain(corepack);
  expect(setupOf({ "package.json": manifest(), "yarn.lock": "" })).toContain(corepack);
  expect(setupOf({ Gemfile: "" })).toContain('ruby-version: "3.4"\n    bundler-cache: true');
  expect(setupOf({ Gemfile: "", ".ruby-version": "3.3" })).not.toContain("ruby-version:");
});

const failingTest =
  "import unittest\nfrom words import hi\nclass T(unittest.TestCase):\n    def test_hi(self): self.assertEqual(hi(), 'hi')\n";

test("init writes a loop and a workflow, runs the check once and prints its result; the loop goes green unedited", async () => {
  const folder = openFolder();
  folder.write({ "words.py": "def hi(): return 'ho'\n", "test_words.py": failingTest });
  const { code, stderr } = await folder.run("init");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining("1 test failing: work for the loop"),
  });
  // Each command on a line of its own, so that it can be pasted.
  expect(stderr).toContain(
    '\n      claude setup-token\n      gh secret set CLAUDE_CODE_OAUTH_TOKEN\n      git add .github && git commit -m "Add fix-tests" && git push\n      gh workflow run fix-tests.yml\n',
  );
  expect((await folder.run("check", ".github/loops/fix-tests.yml")).code).toBe(0);
  const workflow = readFileSync(join(folder.path, ".github/workflows/fix-tests.yml"), "utf8");
  expect(workflow).toContain("claude-code-oauth-token: ${{ secrets.CLAUDE_CODE_OAUTH_TOKEN }}");
  const fixed = await folder.run(
    "run",
    "fix-tests",
    "--agent",
    "command:sed -i s/ho/hi/ words.py; echo fixed",
  );
  expect(fixed.stderr).toContain("✅ fix-tests succeeded");
});

test("init overwrites nothing, and says how to run what is there", async () => {
  const folder = openFolder();
  folder.write({ "go.mod": "module a\n", ".github/loops/fix-tests.yml": "mine\n" });
  const { code, stderr } = await folder.run("init");
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(
      /already exists; nothing was changed\. Run it with until-green run fix-tests,/,
    ),
  });
  expect(readFileSync(join(folder.path, ".github/loops/fix-tests.yml"), "utf8")).toBe("mine\n");
});

test("in a repository with several projects init asks which, and takes --dir", async () => {
  const folder = openFolder();
  folder.write({ "api/go.mod": "module a\n", "web/package.json": manifest() });
  symlinkSync(folder.path, join(folder.path, "link"));
  const asked = await folder.run("init");
  expect(asked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("here: api, web; name one: until-green init --dir api"),
  });
  const below = await folder.run("init", "--dir", "link");
  expect(below.stderr).toContain("init --dir link/api");
  expect((await folder.run("init", "--dir", "link/web", "--no-try-check")).code).toBe(0);
  const loop = readFileSync(join(folder.path, ".github/loops/fix-tests-web.yml"), "utf8");
  expect(loop).toContain("until_bash: cd web && npm test");
});

test("init names the loops of two projects in folders of the same name apart", async () => {
  const folder = openFolder();
  folder.write({ "apps/core/package.json": manifest(), "libs/core/package.json": manifest() });
  const write = (dir: string) => folder.run("init", "--dir", dir, "--no-try-check");
  expect((await write("apps/core")).stderr).toContain("wrote .github/loops/fix-tests-core.yml");
  expect(await write("libs/core")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("wrote .github/loops/fix-tests-libs-core.yml"),
  });
  expect((await write("apps/core")).stderr).toContain("fix-tests-core.yml already exists");
  expect((await write("libs/core")).stderr).toContain("fix-tests-libs-core.yml already exists");
  expect((await folder.run("check")).code).toBe(0);
});

test("init names the program that the check lacks, and failing tests rather than the end of the output", async () => {
  const folder = openFolder();
  folder.write({ "t.sh": "printf -- '--- FAIL: TestA (0s)\\n[Help 1]\\n'; exit 1" });
  const lacking = await folder.run("init", "--check", "no-such-tool test");
  expect(lacking.stderr).toContain(
    "  no-such-tool is not here, or not on PATH: install it, or write another",
  );
  rmSync(join(folder.path, ".github"), { recursive: true });
  const failing = await folder.run("init", "--check", "bash t.sh");
  expect(failing.stderr).toContain("1 test failing: work for the loop (exit 1)\n    ✘ TestA\n");
  expect(failing.stderr).not.toContain("[Help 1]");
});

test("init says what a folder lacks, and how to install a program of the project", async () => {
  const folder = openFolder();
  folder.write({ "package.json": "{}", Makefile: "all:\n" });
  expect((await folder.run("init")).stderr).toContain(
    "(package.json has no script `test`; Makefile has no target `test` or `check`). Give the command",
  );
  folder.write({ "composer.json": '{"require-dev":{"phpunit/phpunit":"^12"}}' });
  expect((await folder.run("init")).stderr).toContain(
    "vendor/bin/phpunit is not here: are its packages installed? composer install",
  );
});

test("init counts the failing tests of every runner that a run knows", async () => {
  const folder = openFolder();
  folder.write({
    "t.sh": "printf 'T#test_adds [a.rb:5]:\\n2 runs, 2 assertions, 1 failures, 0 errors, 0 skips\\n'; exit 1",
  });
  const { stderr } = await folder.run("init", "--check", "bash t.sh");
  expect(stderr).toContain("1 test failing: work for the loop (exit 1)\n    ✘ T#test_adds\n");
});

test("init asks for the packages where a test could not load one, even if it counts as failing", async () => {
  const folder = openFolder();
  const python = "ModuleNotFoundError: No module named 'calc'";
  folder.write({
    "t.sh": `printf "E   ${python}\\n--- FAIL: TestA (0s)\\n"; exit 1`,
    "package.json": manifest({ scripts: { test: "bash t.sh" } }),
  });
  const { stderr } = await folder.run("init");
  expect(stderr).toContain(`1 test failing (exit 1): ${python}`);
  expect(stderr).toContain("Are its packages installed? npm install");
  expect(stderr).not.toContain("work for the loop");
});

test("in a folder without git and without tests init says both, and takes --check", async () => {
  const folder = openFolder({ bare: true });
  const refused = await folder.run("init");
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/not a git repository[\s\S]*--check 'make test'/),
  });
  const { code, stderr } = await folder.run("init", "--check", "test -f done");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(
      /exit 1, without any output[\s\S]*next:\n {2}Create a repository: git init && /,
    ),
  });
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(tmpdir(), "until-green-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}
