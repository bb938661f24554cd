import { pathOfTests } from "./node.ts";
import * as printed from "./node-output.ts";
import { byPattern, first, firstIn, upTo, withoutSkipped } from "./printed.ts";
import { anywhere, json, lines, program, type Tool } from "./tool.ts";

const script = "{js,cjs,mjs,ts,cts,mts,json}";
const denoImports = "**/{deno.json*,import_map.json,importMap.json,import-map.json}";

/** They print the same summary. */
const vitestOrJest = {
  runner: "vitest or jest",
  summary: {
    line: /^[^\S\n]*Tests:?[^\S\n]+\d+(?!\d|, Assertions: ).*$/gm,
    total: /(\d+) total\b|\((\d+)\)/g,
    words: ["passed|todo", "failed", "skipped|pending"],
  },
  tests: (text: string) => [...printed.vitestNames(text), ...printed.jestNames(text)],
  files: printed.jestFiles,
} as const;

export const nodeRunners: readonly Tool[] = [
  {
    id: "node",
    called: program("node|tsx|ts-node"),
    config: anywhere("node.config.json assert.{js,cjs,mjs}"),
    parts: [lines("**/tsconfig*.json", pathOfTests)],
    runner: "node:test",
    summary: {
      line: /^(?:(?:#|ℹ) (?:tests|suites|pass|fail|cancelled|skipped|todo) \d+[ \t]*(?:\n|$))+/gm,
      passed: /^\S (?:pass|todo) (\d+)/gm,
      failed: /^\S (?:fail|cancelled) (\d+)/gm,
      skipped: /^\S skipped (\d+)/gm,
    },
    tests: printed.nodeNames,
    failing: [
      // As listed at the end, where suites of failing tests are left out, or say only so.
      { name: /^✖ (.+?) \([\d.]+ms\)$(?=\n {2}(?!'\d+ subtests? failed'))/gm, message: printed.nodeMessage },
      { name: /^[^\S\n]*✖ (?!failing tests:)(.+?) \([\d.]+ms\)$/gm, message: printed.nodeMessage },
    ],
    nothing: /^Could not find '.*'$|^(?:error: )?Unknown option '--?[\w-]+'/,
    noise:
      /^\s*(?:✔ .* \([\d.]+ms\)|ℹ (?:\w+ 0|duration_ms .*))$|^\s+at .*\(?(?:node:internal\/|node:async_hooks:)|^\s+at .*\/node_modules\/|^\s+(?:generatedMessage: (?:true|false)|code: 'ERR_ASSERTION'|operator: '.*'|diff: '\w+'),?$/,
  },
  {
    id: "jest",
    called: program("jest|react-scripts|react-app-rewired|craco|vue-cli-service|kcd-scripts|tsdx"),
    config: anywhere(
      `config-overrides.* .swcrc jest.*.${script} jest-*.${script} setupTests.${script} setupTests.{jsx,tsx} babel.config.${script} .babelrc* __mocks__/**`,
    ),
    ...vitestOrJest,
    failing: [
      // A file whose tests could not be loaded, or a test.
      {
        name: /^(?:FAIL (?=.*\n {2}● Test suite failed to run$)| *● (?!Console$|Test suite failed to run$))(.+)$/gm,
        onlyIf: /^Test Suites: /m,
        message: printed.jestMessage,
      },
      { name: /^[^\S\n]*● (.+ › .+)$/gm, message: printed.jestMessage },
    ],
    partial: /--(?:onlyChanged|onlyFailures|changedSince|findRelatedTests|lastCommit|shard)\b|\s-[of]\b/,
    nothing: /^No tests found, exiting with code 1/,
  },
  {
    id: "vitest",
    called: /(?:^|[^\w@.-])(?:vitest|ng)(?![\w-])|@nx\/(?:vite|vitest)\b/m,
    config: anywhere(`vitest.*.${script}`, `vite.config.${script}`, `vitest-*.${script}`, "__mocks__/**"),
    ...vitestOrJest,
    failing: [
      // With the name of the project, and of files that could not be loaded.
      {
        name: /^ *FAIL +(?:\|?[\w-]{1,60}\|? +)?(\S+ > .+|\S+(?= \[ )).*$/gm,
        message: printed.vitestMessage,
      },
      { name: /^ *× +(\S+ > .+?)(?: \d+ms)?$/gm, message: printed.vitestMessage },
    ],
    partial: /--(?:changed|shard)\b|\bvitest\s+related\b/,
    nothing: /^No test files found, exiting with code 1/,
  },
  {
    id: "uvu",
    called: program("uvu"),
    summary: {
      line: /^ {2}Total: +(?<total>\d+)\n {2}Passed: +(?<passed>\d+)\n {2}Skipped: +(?<skipped>\d+)$/gm,
      adjust: ({ total, passed, skipped }) => ({ passed, failed: total - passed, skipped }),
    },
    failing: { name: /^ {3}FAIL {2}(?:\S.{0,100} {2})?"(.{1,300})"$/gm, message: first(/^ +(\S.*)/) },
  },
  {
    id: "mocha",
    called: program("_?mocha"),
    config: anywhere(".mocharc* mocha.opts"),
    summary: {
      line: /^[^\S\n]+\d+ (?:passing(?: \([^)\n]*\))?|failing|pending)[ \t]*(?:\n[^\S\n]+\d+ (?:failing|pending)[ \t]*$)*/gm,
      words: ["passing", "failing", "pending"],
    },
    tests: printed.mochaNames,
    failing: {
      name: /^ {2}\d+\) ((?:\S.{0,300}\n {7,40}){0,8}\S.{0,300}):$/gm,
      onlyIf: /^ +\d+ failing$/m,
      message: upTo(/^\s*(?:at |\+ expected - actual|$)/, 6, /^\s+/),
    },
    nothing: /^Error: No test files found(?::|$)/,
  },
  {
    id: "ava",
    called: program("ava"),
    config: anywhere(`ava.config.${script}`, `*.ava.config.${script}`),
    summary: {
      line: /^[^\S\n]+\d+ tests? (?:passed|failed|skipped)(?:\n[^\S\n]+\d+ (?:tests? \w+|known failures?|uncaught exceptions?|unhandled rejections?))*$/gm,
      words: ["tests? passed", "tests? failed", "tests? skipped"],
      omitsZeros: true,
    },
    // Tests marked `todo` are not counted. If there are several files, a name starts with its file.
    tests: byPattern(
      /^ {2}(?<status>[✔✘-])(?! \[todo\])(?: \[\w+\]:?)? (?:.{1,500} › )?(?<name>.+?)(?: \([\d.]+m?s\))?$/gm,
    ),
    failing: /^ {2}✘ \[fail\]: (.+)$/gm,
    nothing: /^✖ Couldn[’']t find any (?:files|tests) to (?:test|run)/,
  },
  {
    id: "playwright",
    called: program("playwright"),
    config: anywhere(`playwright*.config.${script}`),
    summary: {
      // Each number is followed by the tests it counts.
      line: /(?:^ {2}\d+ (?:passed \([^)\n]+\)|failed|flaky|skipped|did not run|interrupted)[ \t]*(?:\n {4}.*)*(?:\n|$))+/gm,
      passed: /^ {2}(\d+) (?:passed|flaky)/gm,
      failed: /^ {2}(\d+) (?:failed|interrupted)/gm,
      skipped: /^ {2}(\d+) (?:skipped|did not run)/gm,
      omitsZeros: true,
    },
    tests: printed.playwrightNames,
    failing: /^ {2}✘ +\d+ (.{1,300}?)(?: \([\d.]+m?s\))?$/gm,
    partial: /--(?:last-failed|only-changed|shard)\b/,
    nothing: /^Error: No tests found\b/,
  },
  {
    id: "jasmine",
    called: program("jasmine"),
    config: anywhere("jasmine.json jasmine.{js,mjs}"),
    failing: { name: /^\d+\) (.{1,300})\n {2}Message:$/gm, message: upTo(/^ {2}Stack:/) },
  },
  {
    id: "karma",
    called: program("karma|ng test"),
    config: anywhere("karma.conf.*"),
    summary: {
      // The last line of each browser, which alone has a duration; or the summary of the reporter `mocha`.
      line: /^\S.{0,100}: Executed \d+ of \d+\b.{0,100} \((?!0 secs \/)\d[^)\n]{0,40} \/ [^)\n]{1,40}\)$|^SUMMARY:\n\S \d+ tests? completed(?:\n|$)(?:\S \d+ tests? (?:failed|skipped)(?:\n|$))*/gm,
      total: /Executed (\d+) of|(\d+) tests? (?:completed|failed)/g,
      failed: /\((\d+) FAILED\)|(\d+) tests? failed/g,
      skipped: /\(skipped (\d+)\)|(\d+) tests? skipped/g,
      adjust: withoutSkipped,
      areParts: true,
    },
    failing: [
      {
        name: /^\S.{0,80}? \([^)\n]{1,60}\) (.{1,300}) FAILED$/gm,
        onlyIf: /: Executed \d+ of \d+/,
        message: first(/^\t(\S.*)/),
      },
      {
        name: /^ {2,40}✖ (\S.{0,300})$(?=\n {4,60}\S.{0,80} \(.{1,60}\)$)/gm,
        onlyIf: /^FAILED TESTS:$/m,
        message: ({ after }) => firstIn(after().replace(/^.*\n/, ""), /^ +(\S.*)/),
      },
    ],
  },
  {
    id: "web test runner",
    called: program("wtr|web-test-runner"),
    config: anywhere(`web-test-runner.config.${script}`),
    summary: {
      line: /^(?:\S.{0,40}: \|█+\| (\d+)\/\1 test files \| \d+ passed, \d+ failed.*\n){1,20}\nFinished running tests in .*$/gm,
      words: ["passed", "failed(?! tests)", "skipped"],
    },
    failing: {
      name: /^ {1,20}❌ (\S.{0,300})$/gm,
      onlyIf: /^Finished running tests in /m,
      message: first(/^ +(\S.*)/),
    },
  },
  {
    id: "lab",
    called: program("lab"),
    summary: {
      line: /^(?:(?<failed>\d+) of )?(?<total>\d+) tests? (?:passed|failed)(?: \((?<skipped>\d+) skipped\))?\nTest duration: .*$/gm,
      adjust: withoutSkipped,
    },
    failing: {
      name: /^ {2}\d+\) (.{1,300}):$/gm,
      onlyIf: /^Test duration: /m,
      message: first(/^ +(\S.*)\n\n +at /m),
    },
  },
  { id: "tap", called: program("tap|tape"), tap: true, config: anywhere(".taprc .tap/plugins/**") },
  {
    id: "cypress",
    called: program("cypress"),
    config: anywhere(`cypress.config.${script} cypress/support/**`),
  },
  { id: "webdriver", called: program("wdio|nightwatch"), config: anywhere("{wdio,nightwatch}*.conf.*") },
  {
    id: "coverage",
    called: program("c8|nyc"),
    config: anywhere(`.c8rc* .nycrc* nyc.config.${script}`),
  },
  {
    id: "bun",
    called: program("bun"),
    runner: "bun test",
    summary:
      /^[^\S\n]*(?<passed>\d+) pass[ \t]*\n(?:[^\S\n]*(?<skipped>\d+) skip[ \t]*\n)?(?:[^\S\n]*(?<skipped1>\d+) todo[ \t]*\n)?[^\S\n]*(?<failed>\d+) fail[ \t]*$/gm,
    tests: byPattern(/^\((?<status>pass|fail|skip|todo)\) (?<name>.{1,500}?)(?: \[[\d.]+m?s\])?$/gm),
    failing: { name: /^\(fail\) (.{1,300}?)(?: \[[\d.]+m?s\])?$/gm, message: printed.bunMessage },
  },
  {
    id: "deno",
    called: program("deno"),
    parts: [
      json("**/deno.json*", "test lint exclude workspace importMap links patch vendor nodeModulesDir", {
        alsoNew: true,
      }),
      json(denoImports, "scopes", { alsoNew: true }),
      // Packages may be added, but what tests import by a path or a scheme keeps its meaning.
      json(denoImports, "imports", { mayAdd: /^@?\w[\w./@-]*$/, versions: true, alsoNew: true }),
      json("**/deno.json*", "tasks", { mayAdd: /^(?!test\b)/ }),
    ],
    runner: "deno test",
    summary:
      /^(?:ok|FAILED) \| (?<passed>\d+) passed(?:.*?\| (?<failed>\d+) failed)?(?:.*?\| (?<skipped>\d+) ignored)?.*$/gm,
    // Steps are indented, and are not counted.
    tests: byPattern(
      /^(?<name>\S.{0,500}?) \.\.\. (?<status>ok|FAILED|ignored)(?: \([^)\n]{1,30}\)){0,2}$/gm,
    ),
    failing: [
      {
        name: /^(\S.{0,300}?) => \S{1,300}:\d+:\d+$/gm,
        onlyIf: /^FAILED \| \d+ passed/m,
        message: first(/^error: (?:Error: )?(.*)/),
      },
      { name: /^([^\s{].{0,300}?) \.\.\. FAILED(?: \([^)\n]{1,30}\)){0,2}$/gm },
    ],
  },
];
