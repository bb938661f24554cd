import { looserTypes } from "./looser-types.ts";
import { fileOf, type SuspiciousLine } from "./patch.ts";

/**
 * Finds added lines that detect a test run or change what assertions mean. They prove nothing, but show where a
 * person should look.
 */
export const suspiciousLines = (patch: string): readonly SuspiciousLine[] => linesWith(signs, patch);

/** Finds added lines that suppress the findings of one of these tools, given by id. */
export const silencingLines = (patch: string, tools: readonly string[]): readonly SuspiciousLine[] => [
  ...linesWith(
    silencers.filter(({ of }) => of.some((id) => tools.includes(id))).map(({ sign }) => sign),
    patch,
  ),
  ...looserTypes(patch, tools),
];

/** Finds added lines that end a program successfully: a check that counts no tests would take that for a pass. */
export const endingLines = (patch: string): readonly SuspiciousLine[] =>
  // A script may end at any line.
  linesWith(endings, patch).filter(({ file }) => !/\.(?:ba|k|z)?sh$/.test(file));

/** The files of tests that have fewer assertions than before, if others have not got them. */
export function lostAssertions(patch: string): readonly string[] {
  const files = patch.split(/^(?=diff --git )/m).flatMap((part) => {
    const file = fileOf(part) ?? /^--- a\/(.*)$/m.exec(part)?.[1] ?? "";
    return ofTests.test(file) ? [{ file, lost: -changeOf(part) }] : [];
  });
  const isLoss = files.reduce((all, { lost }) => all + lost, 0) > 0;
  return isLoss ? files.flatMap(({ file, lost }) => (lost > 0 ? [file] : [])) : [];
}

/** How many more assertions the new lines have than those they replace. */
const changeOf = (part: string) =>
  [...part.matchAll(/^([+-])(?!\1\1 )(.*)$/gm)].reduce(
    (all, [, sign, text = ""]) => all + (sign === "+" ? 1 : -1) * (text.match(assertion)?.length ?? 0),
    0,
  );

const assertion =
  /\b(?:assert|expect|refute|should)\w*(?:[.(!{]|\s+(?!=|from\b|\{))|\brequire\.[A-Z]|\bt\.[A-Za-z]+\(/gi;

const endings: readonly RegExp[] = [
  /\b(?:process\.exit|Deno\.exit|sys\.exit|os\.Exit|process::exit|System\.exit|std::exit)\s*\(\s*(?:0|EXIT_SUCCESS)?\s*\)/,
  /(?:^|[\s;{(])(?:exit|quit)(?:\s*\(\s*(?:status\s*=\s*)?(?:0|EXIT_SUCCESS)?\s*\)|[ \t]+0\b|;|$)|\braise SystemExit\b(?!\s*\(\s*[^\s0)])/,
];

function linesWith(wanted: readonly RegExp[], patch: string): readonly SuspiciousLine[] {
  if (wanted.length === 0) return [];
  const suspicious: SuspiciousLine[] = [];
  for (const part of patch.split(/^(?=diff --git )/m)) {
    const file = fileOf(part);
    if (file === undefined || !isCode.test(file) || ofTests.test(file)) continue;
    for (const [, text = ""] of part.matchAll(/^\+(?!\+\+ b\/)(.*)$/gm)) {
      if (text.length < 1000 && wanted.some((sign) => sign.test(text)))
        suspicious.push({ file, text: text.trim() });
    }
  }
  return suspicious;
}

/** Files that may legitimately mention test runners. */
const ofTests =
  /(?:^|\/)(?:t|tests?|__tests__|specs?|testdata|testing|test[-_]?(?:utils?|support|helpers?)|mocks|fixtures|bench(?:marks)?|e2e)\/|\.(?:tests?|spec|config|bench)\.|_(?:tests?|spec)\.|(?:^|\/)(?:test[-_]|conftest\.|noxfile\.|setup\.)|(?:Tests?|Spec|IT)\.\w+$/;

const isCode =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|go|rs|rb|php|java|kt|scala|cs|fs|c|cc|cpp|cxx|h|hh|hpp|hxx|inl|mm?|groovy|jl|d|pm|pl|exs?|lua|swift|ml|hs|nim|zig|erl|hrl|[rR]|dart|clj[cs]?|cr|(?:ba|k|z)?sh)$/;

const signs: readonly RegExp[] = [
  // Variables that only test runners set, and names that only they have.
  /\b(?:NODE_TEST_CONTEXT|NODE_TEST_WORKER_ID|VITEST(?:_\w+)?|JEST_WORKER_ID|MOCHA_COLORS|PYTEST_(?:CURRENT_TEST|VERSION|XDIST_WORKER|ADDOPTS)|HARNESS_ACTIVE|HARNESS_VERSION|TESTTHAT|FLUTTER_TEST|XCTestConfigurationFilePath|TEST_WORKER_INDEX|PLAYWRIGHT_TEST|NEXTEST(?:_\w+)?|CTEST_\w+|BATS_TEST_\w+|PHPUNIT_\w+|RSPEC_\w+)\b/,
  /\bprocess\.env\.(?:NODE_ENV|npm_lifecycle_event)\s*={2,3}\s*["'`]test\b/,
  /\bimport\.meta\.(?:vitest|jest|env\.(?:TEST\b|MODE\s*={2,3}\s*["'`]test\b))|\bBun\.jest\b|\bDeno\.mainModule\b.*test/,
  // How code asks its framework or compiler whether it is under test.
  /\bMix\.env(?:\(\))?\s*[!=]=\s*:test\b|\bRails\.env\.test\?|\brunningUnitTests\(\)|\bis_testing\(\)|\bcfg!\(test\)|#\[cfg\(not\(test\)\)\]|^-ifndef\(TEST\)|["']test["']\s+in\s+sys\.argv/,
  /\bdefined\?\s*\(?\s*(?:::)?(?:RSpec|Minitest)\b|\b(?:class_exists|const_defined\?|forName|ensure_loaded\?|NSClassFromString)\b.*(?:PHPUnit|RSpec|Minitest|ExUnit|org\.(?:junit|testng)|XCTest)|\$INC\{["']?Test2?\/|\bget_(?:included|required)_files\(|\$_SERVER\[["']argv["']\].*(?:phpunit|pest|test)|\b(?:phpunit|pest|testdox)\b.*\$_SERVER\[["']argv|\$(?:PROGRAM_NAME|0)\b.*(?:rspec|minitest|_test|test_)/,
  /\btesting\.Testing\(\)|"flag"\)\.Lookup\("test\.|flag\.Lookup\("test\./,
  /\bstd::env::var(?:_os)?\("(?:CARGO_\w*TEST\w*|RUST_TEST_\w+)"/,
  /\bsys\.modules\b.*\b(?:pytest|unittest|_pytest)\b|["'](?:pytest|unittest|_pytest)["']\s*(?:not\s+)?in\s+sys\.(?:modules|argv|orig_argv)/,
  /\b(?:pytest|unittest|vitest|jest|mocha|rspec|phpunit|\.test\.|\.spec\.|_test\b|test_)\S*["'`/)\]].*\b(?:process\.argv|sys\.(?:orig_)?argv|os\.Args|ARGV|env::args)\b/,
  /\b(?:process\.argv|sys\.(?:orig_)?argv|os\.Args|ARGV|env::args|\$argv|@ARGV)\b.*(?:pytest|unittest|vitest|jest|mocha|rspec|phpunit|\.test\b|\.spec\b|_test\b|test_|-test)/i,
  /\b(?:stack|caller|_?getframe|inspect\.stack|currentframe|extract_stack|debug_backtrace|runtime\.Callers?)\b.*(?:\.test\b|\.spec\b|_test\b|test_|pytest|unittest|\btest\b)/i,
  /\bUNTIL_GREEN_\w+|\bprocess\.argv\S*\.includes\(["'`]tests?["'`]\)/,
  // Test runners and assertions that are changed from outside.
  /^\s*(?:import|from)\s+(?:_pytest|pluggy|unittest\.(?:case|runner|result))\b|\brequire\(["'](?:mocha|jest-\w+|@jest\/\w+|vitest)\b/,
  /\b(?:assert|expect|chai|should|sinon)(?:\.\w+)+\s*=\s*(?:async\s*)?(?:\(|function\b|\w+\s*=>)/,
  /\bmock\.method\(\s*assert\b|\(?\bDeno\b(?: as any\))?\.test\s*=[^=]|\bdefineProperty\(Deno\b|\bTest\.prototype\.\w+\s*=[^=]/,
  /\b(?:TestCase|TestResult|Assertions?|Assert)\.\w+\s*=[^=]|\bsetattr\(\s*(?:unittest|\w*TestCase|pytest)\b/,
  /\b(?:globalThis|global|window)\.(?:expect|assert|test|it|describe)\s*=[^=]|\bObject\.defineProperty\((?:assert|globalThis)\b/,
  /\bbuiltins\.(?:AssertionError|__import__|eval)\s*=|\bclass\s+AlwaysEqual\b|\bdef\s+__eq__\(self,\s*\w+\)\s*:\s*return\s+True\b/,
  /\bexpect\.(?:extend|setState|addEqualityTesters)\(|\bjest\.retryTimes\(|\bQUnit\.(?:config|test)\b|\bjasmine\.getEnv\(/,
  /\bgc\.get_(?:objects|referrers)\(|\bpluginmanager\b.*\bregister\(/,
  /^\s*#\s*define\s+(?:assert|NDEBUG|CHECK|REQUIRE|(?:EXPECT|ASSERT)_[A-Z]+|BOOST_(?:TEST|CHECK)(?:_[A-Z]+)?|TEST(?:_[FP]|_CASE)?|SUBCASE|(?:DOCTEST|CATCH)_CONFIG_DISABLE)\b/,
  /\bmacro_rules!\s*(?:(?:debug_)?assert(?:_eq|_ne|_matches)?|panic)\b/,
  /^\s*package\s+(?:kotlin\.test|org\.(?:assertj|hamcrest|junit|mockito|opentest4j|scalatest|spockframework|testng)|io\.kotest|junit\.framework|spock)\b/,
  /\b(?:class|object)\s+Assert(?:ions)?\b|\b(?:fun|def|void)\s+(?:<[^>]*>\s*)?assert(?:Equals|False|NotNull|Null|Same|That|Throws|True)\s*[(<[]/,
  // Modules of test libraries that are defined again, opened, or changed while the tests run.
  /^\s*(?:defmodule\s+ExUnit\b|(?:class|module)\s+(?:RSpec|Minitest|Test::Unit)\b|namespace\s+(?:PHPUnit|Pest)\b|package\s+Test2?::(?:API|Builder|More|Simple|V0|V1)\b|-module\(\s*(?:eunit|ct)(?:_\w+)?\s*\)|module\s+(?:Spec|Test\.(?:HUnit|Hspec|QuickCheck|Tasty))\b|\(ns\s+clojure\.test\b)/,
  /\bexpect_(?:equal|error|false|identical|match|null|true)\s*(?:<-|=)\s*function\b|\b(?:assignInNamespace|unlockBinding)\(|\bdef\s+(?:should(?:_not)?|(?:assert|refute)_(?:equal|includes?|match|nil|predicate|raises|same))\b|\*\{?["']?Test2?::\w|#'clojure\.test\/|\bin-ns\s+'clojure\.test|\bpackage\.(?:loaded|preload)\b.*\b(?:luassert|busted)|\b(?:SpockRuntime|\w*Assert)\.metaClass\b|:ex_unit\b|\bExUnit\.configure\b/,
  /\b(?:RSpec\.configure\b|(?:RSpec|Minitest)(?:::\w+)+\.(?:class_eval|define_method|include|prepend|send)\b)|\b(?:alter-var-root|defmethod|intern|with-redefs)\b.*\bclojure\.test\b|\(defmethod\s+\S+\/report\b|\$(?:main::)?TODO\s*=[^=~]|\boverload\b.*["']?(?:eq|==)["']?\s*=>\s*sub\s*\{\s*1\s*;?\s*\}/,
  /^\s*def\s+pytest_(?:assert\w+|collection_\w+|pyfunc_call|report_\w+|runtest\w*|sessionfinish|unconfigure)\(|@(?:pytest\.)?hookimpl\b/,
  // An exit that suppresses what the runner would print.
  /\b(?:(?:os\.)?_exit|process\.reallyExit|POSIX::_exit|_Exit|quick_exit|exit!)\s*\(?\s*(?:0|true|EXIT_SUCCESS)\b|\bRuntime\.getRuntime\(\)\.halt\(/,
  // Output that imitates test runners.
  /["'`](?:[^"'`]*\\n)?[^"'`]*(?:Tests:?\s+\d+ passed|\d+ passing|\d+ (?:examples?|tests?|specs?), 0 failures|\d+ runs, \d+ assertions|OK \(\d+ tests?,|Tests run: \d+|100% tests passed|\[\s*PASSED\s*\])/,
  /["'`](?:[^"'`]*\\n)?(?:ok \d+(?: -)?\b|# pass \d|ℹ pass \d|test result: ok|--- PASS: |ok \| \d+ passed|\(pass\) |DONE \d+ tests| *Total: +\d+\\n|\d+ tests?, \d+ passed, 0 failed|\d+ scenarios? \(?(?:\d+ )?passed|TAP version \d|[^"'`]*\d+ passed in )/,
];

const silencers: readonly { readonly of: readonly string[]; readonly sign: RegExp }[] = [
  {
    of: ["tsc"],
    sign: /@ts-(?:nocheck|ignore|expect-error)\b|\bas (?:any|never|unknown as)\b|<any>|\btype\s+\w+\s*=\s*any\b/,
  },
  {
    of: ["eslint", "biome", "stylelint", "prettier", "deno"],
    sign: /\b(?:eslint|oxlint|stylelint)-disable|\/\*\s*eslint\s+[\w@/-]+\s*:|\bbiome-ignore|\bprettier-ignore|\bdeno-(?:lint|fmt)-ignore/,
  },
  {
    of: ["python linters", "pre-commit", "tox"],
    sign: /#\s*(?:noqa\b|type:\s*ignore|(?:ruff|flake8|mypy|pyright|pylint|isort|fmt|yapf)\s*:\s*(?:noqa|ignore|disable|skip|off|basic\b|false|allow-|no-|follow|(?:strict|report\w+)\s*=\s*(?:false|none)\b))|@(?:typing\.)?no_type_check\b|\bcast\(\s*["']?(?:typing\.)?Any\b|\bif\s+not\s+(?:typing\.|t\.)?(?:TYPE_CHECKING|MYPY)\b|\bimport\b.*\bAny\s+as\b|^\w+(?:\s*:\s*TypeAlias)?\s*=\s*(?:typing\.)?Any\s*$/i,
  },
  {
    // Linters of Go skip files that say they are generated.
    of: ["golangci-lint", "staticcheck"],
    sign: /\/\/\s*(?:nolint|lint:(?:file-)?ignore)\b|^\/\/ Code generated .* DO NOT EDIT\.$/,
  },
  { of: ["clippy", "cargo"], sign: /#!?\[(?:cfg_attr\([^)]*,\s*)?allow\(/ },
  { of: ["rubocop"], sign: /\brubocop\s*:\s*(?:disable|todo)\b/ },
  { of: ["phpstan", "psalm"], sign: /@phpstan-ignore|@psalm-suppress/ },
  { of: ["php linters"], sign: /\bphpcs:(?:ignore|disable)|@codingStandardsIgnore/ },
  {
    // Code that Bats sources may replace what tests call, or what Bats notices failures by.
    of: ["bats"],
    sign: /^\s*(?:function\s+)?(?:run|test|\[{1,2}|(?:assert|refute|bats)_\w+)\s*(?:\(\s*\)|\{)|^\s*function\s+(?:run|test|\[{1,2})\s|\balias\s+(?:--\s+)?["']?(?:\[|run=|test=)|(?:^|[;&|{(]\s*)\s*set\s+\+\w*[eET]|\btrap\s+-\s.*\b(?:DEBUG|ERR|EXIT)\b/,
  },
  { of: ["shellcheck"], sign: /#\s*shellcheck\s+disable\b/ },
  { of: ["elixir linters"], sign: /\bcredo:disable-for/ },
  { of: ["lintr"], sign: /#\s*nolint\b/ },
  { of: ["perlcritic"], sign: /##\s*no critic\b/ },
  // A test program without output passes by its exit code alone.
  { of: ["cmake", "ninja", "bazel", "nextest"], sign: /\bexit\s*\(\s*(?:0|EXIT_SUCCESS)\s*\)/ },
  {
    of: ["vitest", "jest", "coverage", "coverage.py"],
    sign: /\b(?:v8|c8|istanbul) ignore\b|#\s*pragma:\s*no cover/,
  },
];
