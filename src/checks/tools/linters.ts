import { sharedSettings } from "./python.ts";
import { anywhere, json, program, type Tool, toml } from "./tool.ts";

export const linters: readonly Tool[] = [
  {
    id: "eslint",
    called: /(?:^|[^\w@.-])(?:eslint(?:_d)?(?![\w-])|(?:ng|next|expo|vue-cli-service)\s+lint\b)/m,
    config: anywhere(".eslintrc* eslint.config.* .eslintignore eslint-suppressions.json"),
    parts: [json("**/package.json", "eslintConfig")],
  },
  { id: "biome", called: program("biome"), config: anywhere("biome.json biome.jsonc") },
  {
    id: "prettier",
    called: program("prettier"),
    config: anywhere(".prettierrc* prettier.config.* .prettierignore .editorconfig"),
    parts: [json("**/package.json", "prettier")],
  },
  {
    id: "stylelint",
    called: program("stylelint"),
    config: anywhere(".stylelintrc* stylelint.config.* .stylelintignore"),
    parts: [json("**/package.json", "stylelint")],
  },
  {
    id: "tsc",
    called: program("tsc|vue-tsc|tsgo|svelte-check|(?:astro|nuxi|nuxt)\\s+(?:check|typecheck)"),
    config: anywhere("tsconfig*.json"),
  },
  { id: "golangci-lint", called: program("golangci-lint"), config: anywhere(".golangci.*") },
  { id: "staticcheck", called: program("staticcheck|golangci-lint"), config: anywhere("staticcheck.conf") },
  { id: "clippy", called: /\bclippy\b/, config: anywhere("clippy.toml .clippy.toml") },
  {
    id: "rustfmt",
    called: /\bcargo(?:\s+\+\S+)?[\s-]fmt\b|\brustfmt\b/,
    config: anywhere("{,.}rustfmt.toml"),
  },
  {
    id: "python linters",
    called: program("ruff|flake8|mypy|dmypy|pylint|black|isort|pyright|basedpyright"),
    // ruff skips files listed here.
    config: anywhere(
      "ruff.toml .ruff.toml .flake8 mypy.ini .mypy.ini {,.}pylintrc{,.toml} pyrightconfig.json .ignore",
    ),
    parts: [
      toml("**/pyproject.toml", "tool.ruff tool.mypy tool.pylint tool.black tool.isort tool.pyright"),
      ...sharedSettings,
    ],
  },
  {
    id: "pre-commit",
    called: program("pre-commit|prek"),
    config: anywhere(".pre-commit-config.y{a,}ml"),
    output: { start: /^- hook id: /, end: /^\S.{0,200}\.{3,}(?:\(.{1,100}\))?(?:Passed|Failed|Skipped)$/ },
  },
  { id: "rubocop", called: program("rubocop|standardrb"), config: anywhere(".rubocop*.yml .standard*.yml") },
  {
    id: "php linters",
    called: program("phpcs|php-cs-fixer|ecs|rector|pint"),
    config: anywhere("{,.}phpcs.xml{,.dist} .php-cs-fixer* {ecs,rector}.php pint.json"),
  },
  { id: "phpstan", called: program("phpstan"), config: anywhere("phpstan*.neon*") },
  { id: "psalm", called: program("psalm"), config: anywhere("psalm.xml* psalm-baseline.xml") },
  { id: "perlcritic", called: program("perlcritic") },
  {
    id: "elixir linters",
    called: /\bmix\s+(?:do\s|\S*(?:format|credo|lint|check|ci|verify|quality|precommit))/,
    config: anywhere(".formatter.exs .credo.exs"),
  },
  { id: "lintr", called: /\blintr\b/, config: anywhere(".lintr .lintr.R") },
  { id: "shellcheck", called: program("shellcheck"), config: anywhere(".shellcheckrc") },
];
