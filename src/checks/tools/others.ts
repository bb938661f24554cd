import { buildSystems } from "./build-systems.ts";
import { compiledTools } from "./compiled.ts";
import { pythonTools } from "./python.ts";
import { anywhere, program, type Tool } from "./tool.ts";

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
    parts: [
      { kind: "lines", file: "**/{Gemfile,gems.rb}", lines: /rspec|minitest|\bpath:|\bgit:|eval|require/ },
    ],
  },
  {
    id: "rubocop",
    called: program("rubocop|standardrb"),
    config: anywhere(".rubocop*.yml", ".standard*.yml"),
  },
  {
    id: "rake",
    called: program("rake|rails"),
    config: anywhere("{R,r}akefile", "{R,r}akefile.rb", "rakelib/**", "*.rake"),
  },
  {
    id: "php",
    called: program("php|phpunit|paratest|pest|composer"),
    config: anywhere("phpunit*.xml*", "phpunit*.dist.xml", ".phpunit*", "Pest.php", "php.ini", ".user.ini"),
    parts: [
      { kind: "json", file: "**/composer.json", keys: ["scripts", "autoload-dev", "repositories", "config"] },
      {
        // A namespace of a test library in a folder of the checkout.
        kind: "entries",
        file: "**/composer.json",
        entries: /^autoload > psr-[04] > (?:PHPUnit|SebastianBergmann|Pest|Mockery|Prophecy|PhpSpec|Behat)\\/,
      },
    ],
  },
  {
    id: "codeception",
    called: program("codecept"),
    config: anywhere("codeception.{yml,dist.yml}", "*.suite.{yml,dist.yml}"),
  },
  {
    id: "php linters",
    called: program("phpcs|php-cs-fixer|ecs|rector|pint"),
    config: anywhere("{,.}phpcs.xml{,.dist}", ".php-cs-fixer*", "{ecs,rector}.php", "pint.json"),
  },
  { id: "phpstan", called: program("phpstan"), config: anywhere("phpstan*.neon*") },
  { id: "psalm", called: program("psalm"), config: anywhere("psalm.xml*", "psalm-baseline.xml") },
  { id: "perlcritic", called: program("perlcritic"), config: [] },
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
  ...pythonTools,
  ...compiledTools,
  ...buildSystems,
  ...scripted,
  ...runners,
];
