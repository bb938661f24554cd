import {
  atMostEach,
  byPattern,
  firstIn,
  linesUntil,
  type NamedTest,
  nearby,
  type PrintedTest,
  statusOf,
  upTo,
} from "./printed.ts";
import { anywhere, entries, lines, program, type Tool, toml } from "./tool.ts";

/** Go prints a test's messages after its result, but before it with `-v`. */
function goMessage({ before, after, text }: PrintedTest): string | undefined {
  const pattern = /^[^\S\n]+\S+\.go:\d+: (.*)$/m;
  const first = pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY;
  if (first > text.search(/^--- /m)) return firstIn(linesUntil(after(), goResult, 30), pattern);
  return firstIn(before().split(new RegExp(goResult, "m")).at(-1) ?? "", pattern);
}

const goResult = /^(?:--- |=== |FAIL|ok )/;

function cargoMessage({ text, name }: PrintedTest): string | undefined {
  const at = text.indexOf(`\n---- ${name} stdout ----\n`);
  if (at === -1) return undefined;
  const [, panic] = text.slice(at, at + nearby).split(/^thread .* panicked at .*\n/m);
  return panic && linesUntil(panic, /^(?:note: |stack backtrace:|\s*$)/);
}

/** Below a name is what the test printed, and then its result. */
function zigNames(text: string): readonly NamedTest[] {
  const starts = [...text.matchAll(/^\d+\/\d+ (\S.{0,500}?)\.\.\./gm)];
  return starts.map(({ 0: start, 1: name = "", index }, at) => {
    const result = text.slice(index + start.length, starts[at + 1]?.index);
    const word = /^(?:.*?(OK|SKIP)|FAIL \(\w+\))$/m.exec(result)?.[1] ?? "FAIL";
    return { name, status: statusOf(word) };
  });
}

export const compiledTools: readonly Tool[] = [
  {
    id: "ginkgo",
    called: program("ginkgo|go"),
    summary: {
      line: /^Ran \d+ of \d+ Specs in .+\n(?:SUCCESS|FAIL)! -- .*$/gm,
      words: ["Passed", "Failed", "Pending|Skipped"],
    },
    failing: { name: /^ {2}\[FAIL\] (\S.{0,300})$/gm, onlyIf: /^Ran \d+ of \d+ Specs in /m },
  },
  {
    id: "gocheck",
    called: program("go"),
    summary: {
      line: /^(?:OK|OOPS): \d+ (?:passed|skipped|expected failures|[A-Z-]+)(?:, .*)?$/gm,
      words: ["passed|expected failures", "FAILED|(?:FIXTURE-)?PANICKED|MISSED", "skipped"],
    },
    failing: {
      name: /^FAIL: \S{1,200}\.go:\d+: (\S{1,300})$/gm,
      onlyIf: /^OOPS: \d/m,
      message: ({ after }) => linesUntil(after().trimStart().replace(/^.*\n/, ""), /^\s*$/, 3),
    },
  },
  {
    id: "gotestsum",
    called: program("gotestsum"),
    summary:
      /^DONE (?:\d+ runs, )?(?<total>\d+) tests?(?:, (?<skipped>\d+) skipped)?(?:, (?<failed>\d+) failures?)?(?:, \d+ errors?)? in [\d.]+m?s$/gm,
  },
  {
    id: "go",
    called: program("go|gotestsum|golangci-lint|staticcheck"),
    // A copy here takes precedence over the module of that name.
    config: anywhere(
      "go.env vendor/github.com/{stretchr/testify,onsi,google/go-cmp,frankban/quicktest,matryer/is}/** vendor/gotest.tools/**",
    ),
    parts: [
      lines("**/go.mod", /^\s*(?:replace\b|exclude\b|tool\b|ignore\b|\S+(?:\s+v\S+)?\s+=>)/),
      // Its modules take precedence over others of the same names. Go's version must follow that of the modules.
      lines("**/go.work", /^\s*(?!(?:go|toolchain)\s)[^\s/]/, { alsoNew: true }),
    ],
    failing: { name: /^--- FAIL: (\S+).*$/gm, message: goMessage },
    nothing:
      /^(?:go: )?(?:warning: )?"[^"]*" matched no packages$|^no Go files in |^go: go\.mod file not found |^go: cannot find main module/,
    noise: /^=== (?:RUN|PAUSE|CONT|NAME) |^\s*--- (?:PASS|SKIP): /,
  },
  {
    id: "cargo",
    called: program("cargo|cross"),
    config: anywhere(
      ".cargo/** rust-toolchain rust-toolchain.toml build.rs .config/nextest.toml {,.}insta.yaml",
    ),
    parts: [
      // `default-members` and `exclude` say which crates `cargo test` tests.
      toml(
        "**/Cargo.toml",
        "test bench patch replace profile lints lib.test lib.doctest lib.harness lib.proc-macro package.autotests package.build package.links workspace.default-members workspace.exclude",
      ),
      // A crate that runs code while it compiles.
      entries("**/Cargo.toml", /^lib > (?:crate[-_]type > \d+: proc-macro|proc[-_]macro: true)$/, {
        alsoNew: true,
      }),
      // The crates of the tests, if they are in the checkout. A member may take its own from the workspace.
      entries(
        "**/Cargo.toml",
        /(?:(?:^|> )dev[-_]|^workspace > )dependencies > [^>]+ > (?:path|git|package): /,
        { mayBeNew: true },
      ),
    ],
    runner: "cargo test",
    summary: {
      areParts: true,
      line: /^test result: \w+\. (?<passed>\d+) passed; (?<failed>\d+) failed;(?: (?<skipped>\d+) ignored)?.*$/gm,
    },
    tests: byPattern(/^test (.+?) \.\.\. (ok|FAILED|ignored)\b/gm),
    failing: { name: /^test (.+) \.\.\. FAILED$/gm, message: cargoMessage },
    nothing:
      /^error: (?:could not find `Cargo\.toml`|no (?:test|example|bin|bench) target (?:named|matches)|no such command: `|package ID specification `.*` did not match any packages|no tests to run$)/,
    noise:
      /^test .* \.\.\. (?:ok|ignored)$|^\s+(?:\d+: (?:core|std|test|alloc|rust_begin_unwind|<?fn)\b.*|at \/rustc\/.*)$/,
  },
  {
    id: "nextest",
    called: /\bcargo(?:\s+\+\S+)?[\s-]nextest\b/,
    runner: "cargo nextest",
    summary: {
      line: /^[^\S\n]*Summary \[.*?\]\s+\d+(?:\/\d+)? tests? run: .*$/gm,
      words: ["passed", "failed|timed out|exec failed", "skipped"],
    },
    tests: byPattern(
      /^[^\S\n]+(?<status>PASS|FAIL|SKIP) \[[^\]\n]*\]\s+(?:\(\s*\d+\/\d+\)\s+)?(?<name>.+)$/gm,
    ),
    failing: /^ +FAIL \[[^\]\n]{1,40}\] +(?:\( *\d+\/\d+\) +)?(\S.*)$/gm,
    output: {
      start: /^--- STD(?:OUT|ERR): .*---$/,
      end: /^ +(?:PASS|FAIL|SLOW|TIMEOUT|SIG[A-Z]+|Summary|Cancell?ing) /,
    },
    partial: /--partition\b/,
  },
  {
    id: "dotnet",
    called: program("dotnet"),
    // The severity of warnings.
    config: anywhere(
      "*.runsettings Directory.Build.* Directory.Packages.props xunit.runner.json [Nn]u[Gg]et.[Cc]onfig .config/dotnet-tools.json .editorconfig .globalconfig",
    ),
    parts: [
      lines(
        "**/*.{csproj,fsproj,vbproj}",
        /IsTestProject|Remove=|VSTest|<Target\b|<Import\b|<Exec\b|DefineConstants|RunSettings/,
      ),
    ],
    runner: "dotnet test",
    summary: {
      // The second alternative is the terminal logger's line.
      line: /^[^\S\n]*(?:Failed|Passed|Skipped)!\s+- Failed:.*$|^Test summary: total: \d+, failed: \d+, .*$/gm,
      labels: ["Passed|succeeded", "Failed", "Skipped"],
      areParts: true,
    },
    nothing: /^MSB1003: /,
  },
  {
    id: "swift",
    called: program("swift|xcodebuild"),
    config: anywhere(".swiftpm/** *.xctestplan"),
    parts: [
      lines(
        "**/Package{,@swift-*}.swift",
        /\btestTarget\b|Tests?["/]|\b(?:exclude|sources|plugins)\s*:|unsafeFlags|-Ounchecked|\.package\([^)]*\bpath\s*:|\b(?:XCTest|Testing)["/]/,
        { alsoNew: true },
      ),
    ],
    runner: "swift test",
    summary:
      /^.*Executed (?<total>\d+) tests?, with (?:(?<skipped>\d+) tests? skipped and )?(?<failed>\d+) failures? .*$/gm,
  },
  {
    id: "swift testing",
    called: program("swift|xcodebuild"),
    summary: {
      line: /^\S Test run with (?<total>\d+) tests?(?: in \d+ suites?)? (?:passed|failed) after .*?(?:with (?<failed>\d+) issues?.*)?$/gm,
      adjust: atMostEach,
    },
    failing: {
      name: /^✘ Test (.{1,200}?) recorded an issue at /gm,
      message: ({ rest }) => firstIn(rest, /at \S+?: (.*)/),
    },
  },
  {
    id: "dart",
    called: program("dart|flutter"),
    config: anywhere("dart_test.yaml analysis_options.yaml"),
    runner: "dart test",
    // The second alternative is what it prints in GitHub Actions.
    summary:
      /^\d\d:\d\d (?:\+(?<passed>\d+) ?)?(?:~(?<skipped>\d+) ?)?(?:-(?<failed>\d+) ?)?: (?:All tests passed!|Some tests failed\.|All tests skipped\.)$|^(?:::error::|🎉 )(?<passed1>\d+) tests? passed(?:, (?<failed1>\d+) failed)?(?:, (?<skipped1>\d+) skipped)?\.$/gm,
    failing: [
      {
        name: /^\d\d:\d\d \+\d+(?: ~\d+)?(?: -\d+)?: (\S.{0,300}) \[E\]$/gm,
        message: upTo(/^\s*(?:package:|$)/, 3),
      },
      { name: /^::group::❌ (.{1,300}?) \(failed\)$/gm },
    ],
  },
  {
    id: "foundry",
    called: program("forge"),
    config: anywhere("foundry.toml"),
    runner: "forge",
    summary:
      /^Ran \d+ test suites?(?: in [^:\n]{1,60})?: (?<passed>\d+) tests? passed, (?<failed>\d+) failed, (?<skipped>\d+) skipped \(\d+ total tests?\)$/gm,
    failing: /^\[FAIL(?:[.:] .{1,200})?\] (\w{1,200}\(.*?\))/gm,
  },
  {
    id: "zig",
    called: program("zig|ziglang"),
    parts: [lines("**/build.zig", /addTest|tests?\b|filters|test_runner|\.step\(|dependOn|addSystemCommand/)],
    runner: "zig test",
    summary:
      /^(?:(?<passed>\d+) passed; (?<skipped>\d+) skipped; (?<failed>\d+) failed\.|All (?<passed1>\d+) tests passed\.)$/gm,
    tests: zigNames,
  },
  {
    id: "nim",
    called: program("nim|nimble|testament"),
    config: anywhere("{,*.}nim.cfg *.nims unittest.nim unittest2.nim"),
    parts: [lines("**/*.nimble", /\btask\s+test|\b(?:before|after)\s+test/)],
  },
];
