import { byPattern, firstIn, linesUntil, type Summary } from "./printed.ts";
import { anywhere, type ConfigPart, entries, ini, lines, program, type Tool, toml } from "./tool.ts";

/** The settings of tools in files that they share; of `setup.cfg`, all but the sections about the package. */
export const sharedSettings: readonly ConfigPart[] = [
  ini(
    "**/setup.cfg",
    /^(?!(?:metadata|options|bdist|build|bumpversion|develop|egg_info|entry_points|files|install|pbr|sdist|upload|wheel)(?![^._:]))/,
  ),
  ini("**/tox.ini", /./),
  // Tools find plugins by the metadata of packages, anywhere on Python's module path.
  ...["{*.egg-info,EGG-INFO}", "*.{E,e}{G,g}{G,g}-{I,i}{N,n}{F,f}{O,o}"].map((folder) =>
    ini(`**/${folder}/entry_points.txt`, /^(?:pytest11|hypothesis|tox|nose\.plugins\S*|flake8\.\w+)$/),
  ),
];

const tool =
  "(?:pytest|pluggy|iniconfig|coverage|hypothesis|nose2|tox|nox|behave|django|mypy|ruff|flake8|pyflakes|pycodestyle|pylint|astroid|black|isort|pyright|basedpyright|pytest[-_][\\w-]+)";

/** Where packages come from: the tools of a check come from no folder of the checkout, unless they did before. */
const sources: readonly ConfigPart[] = [
  // Paths, but not the project itself (`-e .`).
  lines(
    "**/{{requirements,constraints}*.txt,requirements/*.txt}",
    new RegExp(
      `^\\s*(?:-e\\s*|--editable[= ]\\s*)?(?:file:|\\.*/|[\\w.-]+/)|\\.(?:whl|zip|tar\\.gz)\\b|^\\s*(?:-f|-i|--find-links|--index-url|--extra-index-url)\\b|^\\s*${tool}(?:\\[.*\\])?\\s*@`,
      "i",
    ),
    { alsoNew: true },
  ),
  entries(
    "**/pyproject.toml",
    new RegExp(
      `(?:^|> )${tool} > (?:\\d+ > )?(?:path|file|git|url|workspace): |(?:dependencies|dependency-groups) > .*: ${tool}(?:\\[.*\\])?\\s*@`,
      "i",
    ),
    { alsoNew: true },
  ),
  lines("**/Pipfile", new RegExp(`^"?${tool}"?\\s*=.*\\b(?:path|file|git)\\s*=`, "i")),
  lines(
    "**/{uv,poetry,pdm,Pipfile}.lock",
    /^source = \{ (?:directory|path|editable) = |^type = "(?:directory|file)"|^path = |"(?:path|file)": /,
    { alsoNew: true },
  ),
];

/** Subtests that failed or were skipped are counted, of which a test may have several. Setup may fail before all tests. */
const withSubtests: Summary["adjust"] = ({ total, failed, skipped }) => {
  const most = total === 0 ? Number.POSITIVE_INFINITY : total;
  const skips = Math.min(most, skipped);
  return { total, failed: Math.min(most - skips, failed), skipped: skips };
};

export const pythonTools: readonly Tool[] = [
  {
    id: "python packages",
    called: program(
      "python[\\d.]*|py|pytest|py\\.test|tox|nox|uv|poetry|hatch|pdm|pipenv|pixi|rye|coverage|nose2|behave|poe|inv|invoke|doit|duty|mypy|dmypy|ruff|flake8|pylint|black|isort|pyright|basedpyright",
    ),
    parts: sources,
  },
  {
    id: "python",
    called: program("python[\\d.]*|py|pytest|py\\.test|tox|nox|uv|poetry|hatch|pdm|pipenv|coverage"),
    config: anywhere("sitecustomize.py usercustomize.py *.pth pyvenv.cfg"),
    parts: [
      // Python would look for tests elsewhere.
      lines("**/{test,tests}/**/__init__.py", /\b__path__\b/, { alsoNew: true }),
    ],
    nothing:
      /^\S*python[\d.]*: (?:No module named (?:pytest|unittest|nose2|tox|nox)\b|can't open file )|^error: Failed to spawn: `|^Command not found: \S+$|^\[PdmUsageError\]: Command '/,
  },
  {
    id: "pytest",
    called: program("pytest|py\\.test|tox|nox|nose2?|uv|poetry|hatch|pdm|coverage"),
    // Python ignores the case of this ending.
    config: anywhere(
      "pytest.{ini,toml,py} .pytest.{ini,toml} conftest.py conftest{,.*}.so conftest/__init__.* *.dist-info/** *.{D,d}{I,i}{S,s}{T,t}-{I,i}{N,n}{F,f}{O,o}/**",
    ),
    parts: [
      toml(
        "**/pyproject.toml",
        "tool.pytest tool.coverage tool.tox tool.poe tool.pytest_env tool.pdm.scripts tool.hatch.envs tool.rye.scripts tool.taskipy project.entry-points.pytest11 tool.poetry.plugins.pytest11",
      ),
      ...sharedSettings,
      // Plugins of the project itself, and where Python finds a package's modules.
      lines("**/{setup.py,setup.cfg}", /\bpytest11\b/, { alsoNew: true }),
    ],
    summary: {
      line: /^=*[^\S\n]*(?:no tests ran|\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?)\b.*) in \d[\d.]*s\b.*$/gm,
      words: ["passed|xpassed", "failed|errors?", "skipped|xfailed"],
      omitsZeros: true,
    },
    tests: byPattern(/^((?:(?!::)\S)+::.+?) (PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)\b/gm),
    failing: /^(?:FAILED|ERROR) (\S+\.py(?:::.+?)?)(?: - (.*))?$/gm,
    output: { start: /^[\d:.]{8,20} \[\w+\] Completed: .+ failed \(exit code \d+\)\.$/, end: /^[✓✕] / },
    partial: /--(?:lf|last-failed|sw|stepwise|testmon|picked|splits|group|shard-id)\b/,
    nothing:
      /^ERROR: (?:file or directory not found: |not found: .*$)|^(?:=+ )?no tests ran in [\d.]+s|^(?:\S*pytest|\S*__main__\.py): error: unrecognized arguments: /,
    noise: /^\S+\.py::.* PASSED\b/,
  },
  {
    id: "unittest",
    called: program("unittest|nose2|green|django-admin|manage\\.py|python[\\d.]*|py"),
    summary: {
      // Also Twisted's trial and green.
      line: /^Ran (?<total>\d+) tests? in [\d.]+s(?: using \d+ process(?:es)?)?\n\s*(?:OK|PASSED|FAILED|NO TESTS RAN)(?: \([a-z ]+=[^)\n]*\))?$/gm,
      labels: [
        "",
        "(?<!expected )failures|errors|unexpected successes",
        "skipped|skips|expected failures|expectedFailures",
      ],
      adjust: withSubtests,
    },
    tests: byPattern(/^(\w+ \([\w.]+\))(?:\n.*)? \.\.\. (ok|FAIL|ERROR|skipped|expected failure)/gm),
    failing: {
      name: /^(?:FAIL|ERROR): (\w+ \(.+\))$/gm,
      message: ({ after }) => firstIn(linesUntil(after(), /^={20}/, 60), /^(?!Traceback)([A-Z_a-z].*)$/m),
    },
    nothing: /^NO TESTS RAN\b/,
  },
  {
    id: "green",
    called: program("green"),
    failing: {
      name: /^(?:Failure|Error) in (\S{1,300})$/gm,
      message: ({ after }) =>
        firstIn(linesUntil(after(), /^Ran \d+ tests? in /, 60), /^([A-Z]\w*(?:: .*)?)$/m),
    },
  },
  {
    id: "trial",
    called: program("trial"),
    failing: { name: /^(\S{1,200}\.test\w{1,100})\n-{70,90}$/gm, onlyIf: /^\[(?:FAIL|ERROR)\]$/m },
  },
  {
    id: "stestr",
    called: program("stestr|tox|nox"),
    summary: {
      line: /^Ran: \d+ tests? in [\d.]+ sec\.\n(?: - [A-Z][A-Za-z ]+: \d+(?:\n|$))+/gm,
      labels: ["Passed", "Failed|Unexpected Success", "Skipped|Expected Fail"],
    },
    failing: /^\{\d+\} (\S{1,300}) \[[\d.]+s\] \.\.\. FAILED$/gm,
  },
  {
    id: "ward",
    called: program("ward"),
    summary: {
      line: /^│ +(?<total>\d+) +Tests? Encountered +│\n(?:│ +\d+ +[A-Z].* +│(?:\n|$))+/gm,
      words: ["Pass\\w*", "Fail\\w*|Unexpected Pass\\w*", "Skip\\w*|Expected Fail\\w*"],
    },
    failing: /^ FAIL {2}(\S{1,100}:\d+ \S.{0,200}?) +(?:\d+%)?$/gm,
  },
  {
    id: "behave",
    called: program("behave|behavex|cucumber(?:-js)?|godog|reqnroll"),
    runner: "scenarios",
    summary: {
      line: /^\d+ scenarios? (?:passed(?:, \d+ [a-z_]+)*|\([^)\n]*\))$/gm,
      total: /^(\d+) scenarios? \(/g,
      passed: /(\d+) (?:scenarios? )?passed\b/g,
      words: ["", "failed|error|hook_error|cleanup_error|undefined|ambiguous", "skipped|pending|untested"],
    },
    failing: /^ {2}(\S{1,300}\.feature:\d+ {2}\S.{0,300})$/gm,
  },
  {
    id: "robot",
    called: program("robot|pabot|rf"),
    // Each suite prints such a line; the last one is the total.
    summary:
      /^\d+ tests?, (?<passed>\d+) passed, (?<failed>\d+) failed(?:, (?<skipped>\d+) skipped)?\n=+\n(?=Output: )/gm,
    // The line that ends a suite is followed by its counts.
    tests: byPattern(/^(?<name>[^|\s][^|\n]{0,500})\| (?<status>PASS|FAIL|SKIP) \|$(?!\n\d+ tests?, )/gm),
    failing: /^(\S[^|\n]{0,300})\| FAIL \|$(?!\n\d+ tests?, )/gm,
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
      toml("**/pyproject.toml", "tool.doit"),
      toml("**/Pipfile", "scripts"),
      toml("**/hatch.toml", "envs"),
      entries(
        "**/{pixi,pyproject}.toml",
        /^(?:tool > pixi > )?(?:feature > [^>]+ > |target > [^>]+ > )*(?:tasks|activation) > /,
        { alsoNew: true },
      ),
    ],
  },
  { id: "tox", called: program("tox|nox"), config: anywhere("tox.toml noxfile.py toxfile.py") },
  { id: "nose2", called: program("nose2?|tox|nox"), config: anywhere("unittest.cfg nose2.cfg") },
  {
    id: "coverage.py",
    called: program("coverage|pytest|py\\.test|tox|nox|nose2?"),
    config: anywhere(".coveragerc .coveragerc.toml"),
  },
  {
    id: "django",
    called: /\b(?:manage\.py|django-admin)[^;&|\n]*\stest\b/,
    config: anywhere("management/commands/test.py"),
    parts: [lines("**/{*settings*,settings/*}.py", /^\s*TEST_RUNNER\b/, { alsoNew: true })],
  },
  {
    id: "dbt",
    called: program("dbt"),
    summary:
      /\bDone\. PASS=(?<passed>\d+) WARN=(?<passed1>\d+) ERROR=(?<failed>\d+) SKIP=(?<skipped>\d+) (?:[A-Z-]{1,20}=\d+ )*TOTAL=\d+$/gm,
  },
];
