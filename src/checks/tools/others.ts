import { buildSystems } from "./build-systems.ts";
import { compiledTools } from "./compiled.ts";
import { anywhere, type ConfigPart, program, type Tool } from "./tool.ts";

/** The settings of tools in files that they share; of `setup.cfg`, all but the sections about the package. */
const sharedSettings: readonly ConfigPart[] = [
  {
    kind: "ini",
    file: "**/setup.cfg",
    sections:
      /^(?!(?:metadata|options|bdist|build|bumpversion|develop|egg_info|entry_points|files|install|pbr|sdist|upload|wheel)(?![^._:]))/,
  },
  { kind: "ini", file: "**/tox.ini", sections: /./ },
];

const python: readonly Tool[] = [
  {
    id: "python",
    called: program("python[\\d.]*|py|pytest|py\\.test|tox|nox|uv|poetry|hatch|pdm|pipenv|coverage"),
    config: anywhere("sitecustomize.py", "usercustomize.py", "*.pth", "pyvenv.cfg"),
    parts: [
      {
        // Python would look for tests elsewhere.
        kind: "lines",
        file: "**/{test,tests}/**/__init__.py",
        lines: /\b__path__\b/,
        alsoNew: true,
      },
    ],
  },
  {
    id: "pytest",
    called: program("pytest|py\\.test|tox|nox|nose2?|uv|poetry|hatch|pdm|coverage"),
    config: anywhere(
      "pytest.{ini,toml,py}",
      ".pytest.{ini,toml}",
      "conftest.py",
      "*.dist-info/**",
      // Python ignores the case of this ending.
      "*.{D,d}{I,i}{S,s}{T,t}-{I,i}{N,n}{F,f}{O,o}/**",
    ),
    parts: [
      {
        kind: "toml",
        file: "**/pyproject.toml",
        keys: [
          "tool.pytest",
          "tool.coverage",
          "tool.tox",
          "tool.poe",
          "tool.pdm.scripts",
          "tool.hatch.envs",
          "project.entry-points.pytest11",
          "tool.poetry.plugins.pytest11",
        ],
      },
      ...sharedSettings,
      {
        // pytest finds a plugin by its package's metadata, anywhere on Python's module path.
        kind: "ini",
        file: "**/{*.egg-info,EGG-INFO}/entry_points.txt",
        sections: /^pytest11$/,
      },
      {
        kind: "ini",
        file: "**/*.{E,e}{G,g}{G,g}-{I,i}{N,n}{F,f}{O,o}/entry_points.txt",
        sections: /^pytest11$/,
      },
      {
        // Plugins of the project itself, and where Python finds a package's modules.
        kind: "lines",
        file: "**/{setup.py,setup.cfg}",
        lines: /\bpytest11\b/,
        alsoNew: true,
      },
    ],
  },
  { id: "tox", called: program("tox|nox"), config: anywhere("tox.toml", "noxfile.py", "toxfile.py") },
  { id: "nose2", called: program("nose2?|tox|nox"), config: anywhere("unittest.cfg", "nose2.cfg") },
  {
    id: "coverage.py",
    called: program("coverage|pytest|py\\.test|tox|nox|nose2?"),
    config: anywhere(".coveragerc", ".coveragerc.toml"),
  },
  {
    id: "django",
    called: /\b(?:manage\.py|django-admin)[^;&|\n]*\stest\b/,
    config: anywhere("management/commands/test.py"),
    parts: [
      {
        kind: "lines",
        file: "**/{*settings*,settings/*}.py",
        lines: /^\s*TEST_RUNNER\b/,
        alsoNew: true,
      },
    ],
  },
  { id: "pre-commit", called: program("pre-commit|prek"), config: anywhere(".pre-commit-config.y{a,}ml") },
  {
    id: "python linters",
    called: program("ruff|flake8|mypy|pylint|black|isort|pyright|basedpyright"),
    config: anywhere(
      "ruff.toml",
      ".ruff.toml",
      ".flake8",
      "mypy.ini",
      ".mypy.ini",
      ".pylintrc",
      "pylintrc",
      "pyrightconfig.json",
      // ruff skips files listed here.
      ".ignore",
    ),
    parts: [
      {
        kind: "toml",
        file: "**/pyproject.toml",
        keys: ["tool.ruff", "tool.mypy", "tool.pylint", "tool.black", "tool.isort", "tool.pyright"],
      },
      ...sharedSettings,
    ],
  },
];

const scripted: readonly Tool[] = [
  {
    id: "ruby",
    called: program("ruby|rspec|rake|bundle|rails|minitest"),
    config: anywhere(
      ".rspec",
      ".rspec-local",
      // SimpleCov runs it.
      ".simplecov",
      ".bundle/**",
      "spec_helper.rb",
      "rails_helper.rb",
      "test_helper.rb",
    ),
    parts: [{ kind: "lines", file: "**/Gemfile", lines: /rspec|minitest|\bpath:|\bgit:|eval|require/ }],
  },
  {
    id: "rubocop",
    called: program("rubocop|standardrb"),
    config: anywhere(".rubocop*.yml", ".standard.yml"),
  },
  {
    id: "rake",
    called: program("rake|rails"),
    config: anywhere("{R,r}akefile", "{R,r}akefile.rb", "rakelib/**", "*.rake"),
  },
  {
    id: "php",
    called: program("php|phpunit|pest|composer"),
    config: anywhere("phpunit*.xml*", "phpunit*.dist.xml", ".phpunit*", "Pest.php", "php.ini", ".user.ini"),
    parts: [
      { kind: "json", file: "**/composer.json", keys: ["scripts", "autoload-dev", "repositories", "config"] },
    ],
  },
  { id: "phpstan", called: program("phpstan"), config: anywhere("phpstan*.neon*") },
  { id: "psalm", called: program("psalm"), config: anywhere("psalm.xml*") },
  { id: "perl", called: program("perl|prove"), config: anywhere(".proverc", "Test/*.pm", "Test2/**/*.pm") },
  {
    id: "lua",
    called: program("lua[\\d.]*|luajit|busted"),
    config: anywhere(".busted", ".luacov", "busted/**", "luassert/**"),
  },
  {
    id: "elixir",
    called: program("mix|elixir"),
    config: anywhere("test_helper.exs", "config/test.exs"),
    parts: [
      {
        kind: "lines",
        file: "**/mix.exs",
        lines:
          /aliases|ExUnit|Mix\.Tasks|System\.halt|test_(?:paths|pattern|ignore|load|coverage|elixirc)|preferred_(?:cli_)?env|elixirc_(?:options|paths)/,
      },
      // ExUnit takes its options from the application's configuration.
      { kind: "lines", file: "**/config/*.exs", lines: /ex_?unit|System\.halt/i, alsoNew: true },
    ],
  },
  {
    id: "elixir linters",
    called: /\bmix\s+(?:do\s|\S*(?:format|credo|lint|check|ci|verify|quality|precommit))/,
    config: anywhere(".formatter.exs", ".credo.exs"),
  },
  { id: "bats", called: program("bats"), config: anywhere("setup_suite.bash") },
  { id: "shellcheck", called: program("shellcheck"), config: anywhere(".shellcheckrc") },
];

const runners: readonly Tool[] = [
  {
    id: "make",
    called: program("g?make"),
    config: anywhere("{GNUm,m,M}akefile", "*.mk", "*.mak", "{GNUm,m,M}akefile.*"),
    parts: [
      {
        // Makefiles include what compilers write about dependencies: targets and files, but no recipes or variables.
        kind: "lines",
        file: "**/*.{d,dep,deps}",
        lines: /^\t|[=;$`|&]|^\s*(?:-?s?include|define|export|override|ifn?eq|ifn?def|vpath)\s/,
        alsoNew: true,
      },
    ],
  },
  { id: "just", called: program("just"), config: anywhere("{j,J,.j}ustfile", "*.just") },
  { id: "task", called: program("task|go-task"), config: anywhere("[Tt]askfile*.y{a,}ml") },
  { id: "ninja", called: program("ninja|meson"), config: anywhere("build.ninja") },
  {
    id: "version managers",
    called: /./,
    config: anywhere(
      ".tool-versions",
      ".mise.toml",
      "mise.toml",
      ".envrc",
      ".python-version",
      ".ruby-version",
    ),
    parts: [
      {
        // Variables that decide which programs run, and what they load first.
        kind: "lines",
        file: "**/.env{,.*}",
        lines:
          /^\s*(?:export\s+)?(?:PATH|BASH_ENV|LD_\w+|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|HOME|STARTUP|OPTIMIZE|USERBASE)|PYTEST_\w+|RUBYOPT|RUBYLIB|PERL5\w+|GOFLAGS|CARGO_(?:HOME|BUILD|TARGET|ENCODED)\w*|RUSTFLAGS|RUSTC_\w+|MAVEN_(?:OPTS|ARGS)|_?JAVA_\w*OPTIONS)\s*=/,
        alsoNew: true,
      },
    ],
  },
];

export const otherTools: readonly Tool[] = [
  ...python,
  ...compiledTools,
  ...buildSystems,
  ...scripted,
  ...runners,
];
