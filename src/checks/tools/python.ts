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

/** Tools find plugins by the metadata of packages, anywhere on Python's module path. */
const plugins: readonly ConfigPart[] = [
  "**/{*.egg-info,EGG-INFO}/entry_points.txt",
  "**/*.{E,e}{G,g}{G,g}-{I,i}{N,n}{F,f}{O,o}/entry_points.txt",
].map((file) => ({
  kind: "ini",
  file,
  sections: /^(?:pytest11|hypothesis|tox|nose\.plugins\S*|flake8\.\w+)$/,
}));

const tool =
  "(?:pytest|pluggy|iniconfig|coverage|hypothesis|nose2|tox|nox|behave|django|mypy|ruff|flake8|pyflakes|pycodestyle|pylint|astroid|black|isort|pyright|basedpyright|pytest[-_][\\w-]+)";

/** Where packages come from: the tools of a check come from no folder of the checkout, unless they did before. */
const sources: readonly ConfigPart[] = [
  {
    kind: "lines",
    file: "**/{{requirements,constraints}*.txt,requirements/*.txt}",
    // Paths, but not the project itself (`-e .`).
    lines: new RegExp(
      `^\\s*(?:-e\\s*|--editable[= ]\\s*)?(?:file:|\\.*/|[\\w.-]+/)|\\.(?:whl|zip|tar\\.gz)\\b|^\\s*(?:-f|-i|--find-links|--index-url|--extra-index-url)\\b|^\\s*${tool}(?:\\[.*\\])?\\s*@`,
      "i",
    ),
    alsoNew: true,
  },
  {
    kind: "entries",
    file: "**/pyproject.toml",
    entries: new RegExp(
      `(?:^|> )${tool} > (?:\\d+ > )?(?:path|file|git|url|workspace): |(?:dependencies|dependency-groups) > .*: ${tool}(?:\\[.*\\])?\\s*@`,
      "i",
    ),
    alsoNew: true,
  },
  {
    kind: "lines",
    file: "**/Pipfile",
    lines: new RegExp(`^"?${tool}"?\\s*=.*\\b(?:path|file|git)\\s*=`, "i"),
  },
  {
    kind: "lines",
    file: "**/{uv,poetry,pdm,Pipfile}.lock",
    lines:
      /^source = \{ (?:directory|path|editable) = |^type = "(?:directory|file)"|^path = |"(?:path|file)": /,
    alsoNew: true,
  },
];

export const pythonTools: readonly Tool[] = [
  {
    id: "python packages",
    called: program(
      "python[\\d.]*|py|pytest|py\\.test|tox|nox|uv|poetry|hatch|pdm|pipenv|pixi|rye|coverage|nose2|behave|poe|inv|invoke|doit|duty|mypy|dmypy|ruff|flake8|pylint|black|isort|pyright|basedpyright",
    ),
    config: [],
    parts: sources,
  },
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
      "conftest{,.*}.so",
      "conftest/__init__.*",
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
          "tool.pytest_env",
          "tool.pdm.scripts",
          "tool.hatch.envs",
          "tool.rye.scripts",
          "tool.taskipy",
          "project.entry-points.pytest11",
          "tool.poetry.plugins.pytest11",
        ],
      },
      ...sharedSettings,
      ...plugins,
      {
        // Plugins of the project itself, and where Python finds a package's modules.
        kind: "lines",
        file: "**/{setup.py,setup.cfg}",
        lines: /\bpytest11\b/,
        alsoNew: true,
      },
    ],
  },
  {
    id: "python tasks",
    called: program("inv|invoke|doit|duty|poe|pipenv|pixi|hatch"),
    // In other folders, files with such names are code.
    config: [
      "tasks.py",
      "tasks/**",
      "invoke.{py,json,toml,yml,yaml}",
      "dodo.py",
      "doit.cfg",
      "duties.py",
    ].concat(anywhere("poe_tasks.{toml,yml,yaml,json}")),
    parts: [
      // Not `.doit.db`, which doit writes at each run.
      { kind: "toml", file: "**/pyproject.toml", keys: ["tool.doit"] },
      { kind: "toml", file: "**/Pipfile", keys: ["scripts"] },
      { kind: "toml", file: "**/hatch.toml", keys: ["envs"] },
      {
        kind: "entries",
        file: "**/{pixi,pyproject}.toml",
        entries: /^(?:tool > pixi > )?(?:feature > [^>]+ > |target > [^>]+ > )*(?:tasks|activation) > /,
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
    called: program("ruff|flake8|mypy|dmypy|pylint|black|isort|pyright|basedpyright"),
    config: anywhere(
      "ruff.toml",
      ".ruff.toml",
      ".flake8",
      "mypy.ini",
      ".mypy.ini",
      "{,.}pylintrc{,.toml}",
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
      ...plugins,
    ],
  },
];
