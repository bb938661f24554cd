import { anywhere, program, type Tool } from "./tool.ts";

/** Tools of less common languages that build and test, in files that say more than how tests run. */
export const buildSystems: readonly Tool[] = [
  {
    id: "meson",
    called: program("meson"),
    config: [],
    parts: [
      {
        kind: "lines",
        file: "**/meson{.build,.options,_options.txt}",
        lines:
          /\b(?:test|benchmark|add_test_setup)\s*\(|should_fail|ndebug|(?:doctest|catch)_config_|-Wl,(?:-e|--entry|--wrap)\b/i,
        mayAdd: /^(?:test|benchmark)\s*\(\s*'[^']+'\s*,\s*\w+\s*\)$/,
        alsoNew: true,
      },
    ],
  },
  {
    id: "automake",
    called: program("make"),
    config: [],
    parts: [
      {
        kind: "lines",
        file: "**/{configure.ac,configure.in,*.m4}",
        lines: /NDEBUG|LOG_(?:COMPILER|DRIVER|FLAGS)|TESTS|\bcheck_|s?include\(/,
        alsoNew: true,
      },
    ],
  },
  {
    id: "dune",
    called: program("dune"),
    config: anywhere("dune-workspace", "dune-workspace.*"),
    parts: [
      {
        kind: "lines",
        file: "**/{dune,dune-project}",
        lines:
          /\b(?:dirs|data_only_dirs|vendored_dirs|ignored_subdirs|subdir|env|dynamic_include|include)\b|noassert/,
        alsoNew: true,
      },
      {
        kind: "lines",
        file: "**/dune",
        lines: /\btests?\b|\bruntest\b|\binline_tests\b|\benabled_if\b/,
        mayAdd: /^\(tests? /,
      },
    ],
  },
  {
    id: "cabal",
    called: program("cabal|stack"),
    config: anywhere("cabal.project.local", "Setup.{hs,lhs}"),
    parts: [
      {
        kind: "lines",
        file: "**/{*.cabal,package.yaml}",
        lines:
          /^\s*-?\s*(?:test-suite|tests|type|main-is|main|test-module|hs-source-dirs|source-dirs|buildable|build-type|custom-setup)\b|ignore-asserts|\bif\b/i,
      },
      {
        kind: "lines",
        file: "**/{cabal.project,stack.yaml}",
        lines:
          /^\s*(?:tests|packages|optional-packages|import|optimization|ghc-options|program-\w+|-\s)|ignore-asserts/,
        alsoNew: true,
      },
    ],
  },
  {
    id: "nim",
    called: program("nim|nimble|testament"),
    config: anywhere("{,*.}nim.cfg", "*.nims", "unittest.nim", "unittest2.nim"),
    parts: [{ kind: "lines", file: "**/*.nimble", lines: /\btask\s+test|\b(?:before|after)\s+test/ }],
  },
  {
    id: "rebar3",
    called: program("rebar3?|erl|escript"),
    config: anywhere("rebar.config.script", ".erlang", "eunit*.erl"),
    parts: [
      {
        kind: "lines",
        file: "**/rebar.config",
        lines: /eunit|\bct_|ASSERT|TEST\b|hooks|alias|profiles|plugins|provider|src_dirs|overrides/,
      },
    ],
  },
  {
    id: "zig",
    called: program("zig|ziglang"),
    config: [],
    parts: [
      {
        kind: "lines",
        file: "**/build.zig",
        lines: /addTest|tests?\b|filters|test_runner|\.step\(|dependOn|addSystemCommand/,
      },
    ],
  },
  {
    id: "r",
    called: program("Rscript|R"),
    config: anywhere(".Rprofile", ".Renviron", "configure", "cleanup"),
    parts: [{ kind: "lines", file: "**/.Rbuildignore", lines: /test|inst/, alsoNew: true }],
  },
  { id: "lintr", called: /\blintr\b/, config: anywhere(".lintr", ".lintr.R") },
  {
    id: "clojure",
    called: program("clojure|clj|lein|bb|kaocha"),
    config: anywhere(
      "tests.edn",
      "profiles.clj",
      ".lein-*",
      // Clojure loads these first, wherever they are on its class path.
      "user.{clj,cljc}",
      "data_readers.{clj,cljc}",
      "clojure/{test,test/**,core,main}.{clj,cljc}",
      "{kaocha,lambdaisland}/**/*.{clj,cljc}",
    ),
    parts: [
      {
        kind: "lines",
        file: "**/{deps.edn,bb.edn,project.clj}",
        lines:
          /:aliases|:test\b|:test-\w+|test["\]]|:(?:main|jvm)-opts|:exec-(?:fn|args)|:(?:extra|replace|override|default|source|resource)-(?:paths|deps)|:local\/root|:injections|:plugins|:hooks|:middleware|:profiles|:checkout|:global-vars|:prep-tasks|:monkeypatch/,
        alsoNew: true,
      },
    ],
  },
];
