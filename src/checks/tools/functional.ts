import { atMostEach, linesUntil, upTo } from "./printed.ts";
import { anywhere, lines, program, type Tool } from "./tool.ts";

/** Tools of functional and scientific languages. */

export const functionalTools: readonly Tool[] = [
  {
    id: "dune",
    called: program("dune"),
    config: anywhere("dune-workspace dune-workspace.*"),
    parts: [
      lines(
        "**/{dune,dune-project}",
        /\b(?:dirs|data_only_dirs|vendored_dirs|ignored_subdirs|subdir|env|dynamic_include|include)\b|noassert/,
        { alsoNew: true },
      ),
      lines("**/dune", /\btests?\b|\bruntest\b|\binline_tests\b|\benabled_if\b/, { mayAdd: /^\(tests? / }),
    ],
    failing: /^│ \[FAIL\] +\S.{0,100}? +\d+ +(\S.{0,200}?)\. *│$/gm,
  },
  {
    id: "cabal",
    called: program("cabal|stack"),
    config: anywhere("cabal.project.local Setup.{hs,lhs}"),
    parts: [
      lines(
        "**/{*.cabal,package.yaml}",
        /^\s*-?\s*(?:test-suite|tests|type|main-is|main|test-module|hs-source-dirs|source-dirs|buildable|build-type|custom-setup)\b|ignore-asserts|\bif\b/i,
      ),
      lines(
        "**/{cabal.project,stack.yaml}",
        /^\s*(?:tests|packages|optional-packages|import|optimization|ghc-options|program-\w+|-\s)|ignore-asserts/,
        { alsoNew: true },
      ),
    ],
    summary: {
      // Not Alcotest, which dune starts: dune does not repeat a test that passed.
      line: /^\d+ of \d+ test suites \((?<passed>\d+) of (?<total>\d+) test cases\) passed\.$/gm,
      adjust: ({ total, passed }) => ({ passed, failed: total - passed }),
    },
    output: { start: /^Test suite \S{1,200}: RUNNING\.\.\.$/, end: /^Test suite \S{1,200}: (?:PASS|FAIL)$/ },
  },
  {
    id: "tasty",
    called: program("cabal|stack|runghc|runhaskell"),
    summary:
      /^(?:All (?<total>\d+)|(?<failed>\d+) out of (?<total1>\d+)) tests (?:passed|failed) \([\d.]+s\)$/gm,
    failing: {
      name: /^ {2,40}(\S.{0,200}?): +FAIL(?: \([\d.]+s\))?$/gm,
      onlyIf: /^\d+ out of \d+ tests failed/m,
      message: ({ after }) => linesUntil(after().replace(/^ *\S+:\d+:\n/, ""), /^ *Use -p /, 4),
    },
  },
  {
    id: "hunit",
    called: program("cabal|stack|runghc|runhaskell|doctest"),
    // It rewrites its line after each test. Also Haskell's doctest.
    summary:
      /^(?:Cases|Examples): (\d+) {2}Tried: (?=\1 )(?<total>\d+) {2}Errors: (?<failed>\d+) {2}Failures: (?<failed1>\d+)\s*$/gm,
    failing: {
      name: /^### (?:Failure|Error) in: (\S.{0,200})$/gm,
      message: ({ after }) => linesUntil(after().replace(/^\S+:\d+\n/, ""), /Cases: \d/, 4),
    },
  },
  {
    id: "rebar3",
    called: program("rebar3?|erl|escript"),
    config: anywhere("rebar.config.script .erlang eunit*.erl"),
    parts: [
      lines(
        "**/rebar.config",
        /eunit|\bct_|ASSERT|TEST\b|hooks|alias|profiles|plugins|provider|src_dirs|overrides/,
      ),
    ],
    runner: "common test",
    // If all pass, the line is that of Zig.
    summary:
      /^(?=[FS])(?:Failed (?<failed>\d+)[^.\n]{0,80}\. )?(?:Skipped (?<skipped>\d+)[^.\n]{0,80}\. )?Passed (?<passed>\d+) tests\.[ \t]*$/gm,
    failing: {
      name: /^ {2}\d+\) (.{1,300})\n *Failure\/Error: .*$/gm,
      message: upTo(/^\s*(?:$|%%|# |\(compared using)/, 6, /^\s+/),
    },
  },
  {
    id: "julia",
    called: program("julia"),
    summary: {
      // A table for each outermost set, which is the first row. A column is there if its sum is not zero.
      line: /^Test Summary: *\|(?: +(?:Pass|Fail|Error|Broken))* +Total(?: +Time)?\n[^|\n]{0,300}\|(?: +\d+)+(?: +[\dhms.]+)?$/gm,
      total: /\| *(?:\d+ +)*(\d+)(?: +[\dhms.]*[hms.][\dhms.]*)?$/g,
      passed: /\| +Pass .*\n[^|\n]*\| +(\d+)/g,
      skipped: / Broken +Total.*\n[^|\n]*\|(?: +\d+)*? +(\d+) +\d+(?: +[\dhms.]*[hms.][\dhms.]*)?$/g,
      adjust: ({ total, passed, skipped }) => ({ passed, failed: total - passed - skipped, skipped }),
    },
  },
  {
    id: "elixir",
    called: program("mix|elixir"),
    config: anywhere("test_helper.exs config/test.exs"),
    parts: [
      lines(
        "**/mix.exs",
        /aliases|ExUnit|Mix\.Tasks|System\.halt|test_(?:paths|pattern|ignore|load|coverage|elixirc)|preferred_(?:cli_)?env|elixirc_(?:options|paths)/,
      ),
      // ExUnit takes its options from the application's configuration.
      lines("**/config/*.exs", /ex_?unit|System\.halt/i, { alsoNew: true }),
    ],
    failing: {
      name: /^ {1,4}\d+\) ((?:test|property|doctest) .{1,300} \(\S{1,200}\))$/gm,
      message: ({ after }) => linesUntil(after().replace(/^.*\n/, ""), /^\s*(?:$|stacktrace:)/),
    },
    partial: /--(?:failed|stale|partitions)\b/,
    nothing: /^Could not find Hex, which is needed to build dependency /,
  },
  {
    id: "clojure",
    called: program("clojure|clj|lein|bb|kaocha"),
    // Clojure loads these first, wherever they are on its class path.
    config: anywhere(
      "tests.edn profiles.clj .lein-* user.{clj,cljc} data_readers.{clj,cljc} clojure/{test,test/**,core,main}.{clj,cljc} {kaocha,lambdaisland}/**/*.{clj,cljc}",
    ),
    parts: [
      lines(
        "**/{deps.edn,bb.edn,project.clj}",
        /:aliases|:test\b|:test-\w+|test["\]]|:(?:main|jvm)-opts|:exec-(?:fn|args)|:(?:extra|replace|override|default|source|resource)-(?:paths|deps)|:local\/root|:injections|:plugins|:hooks|:middleware|:profiles|:checkout|:global-vars|:prep-tasks|:monkeypatch/,
        { alsoNew: true },
      ),
    ],
    runner: "clojure.test",
    summary:
      /^Ran (?<total>\d+) tests containing \d+ assertions\.\n(?<failed>\d+) failures, (?<failed1>\d+) errors\.$/gm,
  },
  {
    id: "kaocha",
    called: program("kaocha|clojure|clj|lein|bb"),
    summary: {
      line: /^(?<total>\d+) tests?, \d+ assertions?,(?: \d+ (?:errors?|pending|failures?),?)+\.$/gm,
      words: ["", "errors?|failures?", "pending"],
      adjust: atMostEach,
    },
  },
  {
    id: "r",
    called: program("Rscript|R"),
    config: anywhere(".Rprofile .Renviron configure cleanup"),
    parts: [lines("**/.Rbuildignore", /test|inst/, { alsoNew: true })],
    runner: "testthat",
    // Its reporter for R CMD check prints the line in front of the details and again below them.
    summary:
      /^\[ FAIL (?<failed>\d+) \| WARN \d+ \| SKIP (?<skipped>\d+) \| PASS (?<passed>\d+) \].*$(?!\n\n(?:══|==) (?:Failed|Skipped|Warnings)\b)/gm,
  },
];
