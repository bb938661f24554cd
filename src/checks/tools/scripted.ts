import { atMostEach, first, linesUntil, nearby, type PrintedTest, upTo } from "./printed.ts";
import { anywhere, entries, json, lines, program, type Tool } from "./tool.ts";

/** RSpec lists the names last; its messages are above, under the description alone. */
function rspecMessage({ text, name }: PrintedTest): string | undefined {
  const at = text.indexOf(`) ${name.replace(/^\S+ # /, "")}\n`);
  const [, failure] = at === -1 ? [] : text.slice(at, at + nearby).split(/^ *Failure\/Error: .*\n/m);
  return failure && linesUntil(failure.replace(/^\s*\n/, ""), /^\s*(?:$|# |\(compared using)/);
}

/** The block of YAML below the result: `error` or `message`, on one line or indented below. Or comments, as by Bats. */
function tapMessage({ after }: PrintedTest): string | undefined {
  const comments = linesUntil(after(), /^(?! *# (?!Subtest: ))/, 3);
  if (comments !== "") return comments.replace(/^ *# +/gm, "");
  const block = linesUntil(after(), /^\s*(?:\.\.\.$|(?:not )?ok \d)/, 40);
  const [, indent = "", value = ""] = /^( *)(?:error|message): *(.*)$/m.exec(block) ?? [];
  if (!/^[|>]/.test(value)) return value.replace(/^(['"])(.*)\1$/, "$2");
  const below = block.slice(block.indexOf(value) + value.length + 1);
  return linesUntil(below, new RegExp(`^ {0,${indent.length}}\\S`), 20);
}

export const scriptedTools: readonly Tool[] = [
  {
    id: "phpunit",
    called: program("php|phpunit|paratest|pest|composer|artisan"),
    summary: {
      line: /^Tests: (?<total>\d+), Assertions: .*$|^OK \((?<total1>\d+) tests?, \d+ assertions?\)$/gm,
      labels: ["", "Failures|Errors", "Skipped|Incomplete"],
    },
    failing: { name: /^\d+\) (\w[\w\\]{0,200}::\S.*)$/gm, message: upTo(/^\s*$/, 2) },
  },
  {
    id: "php",
    called: program("php|phpunit|paratest|pest|composer"),
    config: anywhere("phpunit*.xml* phpunit*.dist.xml .phpunit* Pest.php php.ini .user.ini"),
    parts: [
      json("**/composer.json", "scripts autoload-dev repositories config"),
      // A namespace of a test library in a folder of the checkout.
      entries(
        "**/composer.json",
        /^autoload > psr-[04] > (?:PHPUnit|SebastianBergmann|Pest|Mockery|Prophecy|PhpSpec|Behat)\\/,
      ),
    ],
    nothing: /^Could not open input file: |^No tests executed!$/,
  },
  {
    id: "codeception",
    called: program("codecept"),
    config: anywhere("codeception.{yml,dist.yml} *.suite.{yml,dist.yml}"),
  },
  {
    id: "phpspec",
    called: program("phpspec"),
    summary: {
      line: /^\d+ examples? \(\d+ [a-z]+(?:, \d+ [a-z]+)*\)$/gm,
      words: ["passed", "failed|broken", "skipped|pending"],
    },
  },
  {
    id: "minitest",
    called: program("ruby|rake|bundle|rails|minitest|m"),
    summary:
      /^(?<total>\d+) (?:runs|tests), \d+ assertions, (?<failed>\d+) failures, (?<failed1>\d+) errors, (?<skipped>\d+) (?:skips|pendings).*$/gm,
    failing: [
      {
        name: /^(\S{1,200}#\S{1,200}) \[.{1,300}:\d+\]:$/gm,
        message: upTo(/^\s*(?:$|\d+ (?:runs|tests), \d+ assertions)/),
      },
      {
        name: /^(?:Failure|Error): (\S{1,200}\(.{1,200}?\)):?(.*)$/gm,
        message: ({ after }) => {
          const own = linesUntil(after(), /^={20}/, 40);
          return /^ {2}\S.*/.exec(own)?.[0] ?? /^<[\s\S]*/m.exec(own)?.[0];
        },
      },
    ],
  },
  {
    id: "ruby",
    called: program("ruby|rspec|rake|bundle|rails|minitest"),
    // SimpleCov runs it.
    config: anywhere(
      ".rspec .rspec-local .simplecov .bundle/** spec_helper.rb rails_helper.rb test_helper.rb",
    ),
    parts: [lines("**/{Gemfile,gems.rb}", /rspec|minitest|\bpath:|\bgit:|eval|require/)],
    runner: "rspec",
    summary: {
      // Also ExUnit, hspec, Bats and Jasmine.
      line: /^(?:(?<total>\d+) (?:examples?|tests?|specs?)|\d+ of \d+ specs?), \d+ failures?\b.*$/gm,
      words: ["", "failures?|invalid|errors? occurred outside of examples", "pending|skipped|excluded"],
    },
    failing: { name: /^rspec (\S+ # .+)$/gm, message: rspecMessage },
    partial: /--(?:only-failures|next-failure)\b/,
    nothing:
      /^(?:\S+:\d+:in [`'][^']*': )?Could not find \S.* in (?:locally installed gems|any of the sources)\b|^bundler: command not found: |^No examples found\.$/,
  },
  {
    id: "rake",
    called: program("rake|rails"),
    config: anywhere("{R,r}akefile {R,r}akefile.rb rakelib/** *.rake"),
    nothing: /^rake aborted!$|^Don't know how to build task '/,
  },
  {
    id: "perl",
    called: program("perl|prove"),
    config: anywhere(".proverc Test/*.pm Test2/**/*.pm"),
    runner: "prove",
    summary: {
      // A line for each file with failures, then the total.
      line: /^Files=\d+, Tests=(?<total>\d+), .*$|^\S.{0,300} \(Wstat: \d.{0,40} Tests: \d+ Failed: (?<failed>\d+)\)$/gm,
      adjust: ({ total, failed }) => ({ passed: total - failed, failed }),
      areParts: true,
    },
    failing: {
      name: /^ *# {3}Failed test '?(.{1,300}?)['.]?$/gm,
      message: ({ after }) =>
        linesUntil(after().replace(/^ *# +at .*\n/, ""), /^(?! *# {4})/, 2).replace(/^ *# +/gm, ""),
    },
    nothing: /^Can't open perl script "/,
  },
  {
    id: "lua",
    called: program("lua[\\d.]*|luajit|busted"),
    config: anywhere(".busted .luacov busted/** luassert/**"),
    runner: "busted",
    summary:
      /^(?<passed>\d+) success(?:es)? \/ (?<failed>\d+) failures? \/ (?<failed1>\d+) errors? \/ (?<skipped>\d+) pending.*$/gm,
    failing: { name: /^(?:Failure|Error) -> .{1,300} @ \d+\n(.{1,300})$/gm, message: upTo(/^\s*$/) },
  },
  {
    id: "luaunit",
    called: program("lua[\\d.]*|luajit"),
    summary: {
      line: /^Ran \d+ tests? in [\d.]+ seconds, \d+ success.*$/gm,
      words: ["success(?:es)?", "failures?|errors?", "skipped"],
    },
    failing: {
      name: /^\d+\) ([\w.]{1,200})$/gm,
      onlyIf: /^Ran \d+ tests in .*, \d+ success/m,
      message: first(/^(\S.*)/),
    },
  },
  {
    id: "bats",
    tap: true,
    called: program("bats"),
    config: anywhere("setup_suite.bash"),
    partial: /--filter-status\b/,
  },
  {
    id: "shunit2",
    called: program("shunit2"),
    summary: {
      // It counts failed and skipped assertions, of which a test may have several.
      line: /^Ran (?<total>\d+) tests?\.\n\n(?:OK|FAILED)(?: \([^)\n]*\))?$/gm,
      labels: ["", "failures", "skipped"],
      adjust: atMostEach,
    },
  },
  {
    id: "terraform",
    called: program("terraform|tofu"),
    runner: "terraform test",
    summary:
      /^(?:Success|Failure)! (?<passed>\d+) passed, (?<failed>\d+) failed(?:, (?<skipped>\d+) skipped)?\.$/gm,
  },
  {
    id: "conftest",
    called: program("conftest"),
    summary: {
      line: /^\d+ tests?, \d+ passed, \d+ warnings?, \d+ failures?, \d+ exceptions?.*$/gm,
      words: ["passed|warnings?", "failures?|exceptions?", "skipped"],
    },
  },
  {
    id: "opa",
    called: program("opa"),
    runner: "opa test",
    summary: {
      line: /^PASS: \d+\/\d+$(?:\n(?:FAIL|ERROR|SKIPPED): \d+\/\d+$)*/gm,
      labels: ["PASS", "FAIL|ERROR", "SKIPPED"],
    },
  },
  {
    id: "make",
    called: program("g?make"),
    config: anywhere("{GNUm,m,M}akefile *.mk *.mak {GNUm,m,M}akefile.*"),
    parts: [
      // Makefiles include what compilers write about dependencies: targets and files, but no recipes or variables.
      lines(
        "**/*.{d,dep,deps}",
        /^\t|[=;$`|&]|^\s*(?:-?s?include|define|export|override|ifn?eq|ifn?def|vpath)\s/,
        { alsoNew: true },
      ),
    ],
    nothing: /^make(?:\[\d+\])?: \*\*\* No (?:rule to make target |targets)/,
  },
  {
    id: "just",
    called: program("just"),
    config: anywhere("{j,J,.j}ustfile *.just"),
    nothing: /^error: Justfile does not contain recipe /,
  },
  { id: "task", called: program("task|go-task"), config: anywhere("[Tt]askfile*.y{a,}ml") },
  {
    id: "ninja",
    called: program("ninja|meson"),
    config: anywhere("build.ninja"),
    nothing: /^ninja: error: unknown target /,
  },
  {
    id: "version managers",
    called: /./,
    config: anywhere(".tool-versions .mise.toml mise.toml .envrc .python-version .ruby-version"),
    parts: [
      // Variables that decide which programs run, and what they load first.
      lines(
        "**/.env{,.*}",
        /^\s*(?:export\s+)?(?:PATH|BASH_ENV|LD_\w+|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|HOME|STARTUP|OPTIMIZE|USERBASE)|PYTEST_\w+|RUBYOPT|RUBYLIB|PERL5\w+|GOFLAGS|CARGO_(?:HOME|BUILD|TARGET|ENCODED)\w*|RUSTFLAGS|RUSTC_\w+|MAVEN_(?:OPTS|ARGS)|_?JAVA_\w*OPTIONS)\s*=/,
        { alsoNew: true },
      ),
    ],
  },
  { id: "TAP", failing: { name: /^[^\S\n]*not ok \d+ -? ?(.+?)(?: # .*)?$/gm, message: tapMessage } },
];
