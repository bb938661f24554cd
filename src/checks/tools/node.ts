import { nodeLinters } from "./node-linters.ts";
import { anywhere, program, type Tool } from "./tool.ts";

const script = "{js,cjs,mjs,ts,cts,mts,json}";

/** Packages that run tests or define assertions: another package with such a name would replace them. */
const testPackages =
  "vitest|jest|mocha|chai|ava|tap|tape|jasmine|uvu|qunit|sinon|expect|should|ts-jest|tsx|c8|nyc|cypress";

const ofTestPackage = `(?:${testPackages}|@(?:vitest|jest)/[\\w-]+|@playwright/test)`;

/** Those, and packages that compile tests or check code: none comes from the checkout, unless it did before. */
const ofTool = `(?:${ofTestPackage}|ts-node|esbuild|typescript|eslint|prettier|stylelint|jsdom|happy-dom|nock|msw|supertest|@(?:swc|testing-library|typescript-eslint|eslint|biomejs)/[\\w-]+|(?:babel|jest|chai|sinon|eslint)-[\\w-]+)`;

/** Where else a package manager would take a package from. */
const elsewhere = "(?:file|link|portal|workspace|patch|exec|git[\\w+]*|github|https?|npm):";

const notOnInstall = /^(?!(?:pre|post)?(?:install|prepare)$|dependencies$)/;

const leadsToTests =
  /\b(?:tests?|__tests__|specs?|e2e|fixtures|mocks|test[-_]?(?:utils?|helpers?|support))\//i;

/** In `paths`: a name for a folder of tests, or another meaning for a package that runs tests. */
const pathOfTests = new RegExp(
  `^"(?:${testPackages}|node:\\w+)"\\s*:\\s*\\[|^"[^"]+"\\s*:\\s*\\[.*${leadsToTests.source}`,
  "i",
);

const denoImports = "**/{deno.json*,import_map.json,importMap.json,import-map.json}";

export const nodeTools: readonly Tool[] = [
  {
    id: "npm",
    // It also installs what other programs load, and a monorepo's runner starts its scripts.
    called: program(
      "npm|npx|pnpm|pnpx|yarn|bun|bunx|node|tsx|ts-node|nx|turbo|lerna|moon|lage|ng|vitest|jest|_?mocha|ava|tap|tape|jasmine|uvu|qunit|playwright|cypress|karma|wtr|c8|nyc|eslint|tsc|prettier|biome",
    ),
    config: anywhere(
      ".npmrc",
      ".yarnrc",
      ".yarnrc.yml",
      ".yarn/**",
      ".pnpmfile.cjs",
      "pnpmfile.cjs",
      "bunfig.toml",
      // Closer to the tests than the installed packages, and so found first.
      // Changes to installed packages: patch-package, pnpm, Bun.
      `patches/{,*[+@_]}{${testPackages.replaceAll("|", ",")},typescript,eslint,prettier}{,[+@_-]*}.patch`,
      `{test,tests,__tests__,spec,specs,e2e}/**/node_modules/{${testPackages.replaceAll("|", ",")},@vitest,@jest,@playwright}/**`,
    ),
    parts: [
      // Scripts may be added, except those that npm runs automatically along with others.
      {
        kind: "json",
        file: "**/package.json",
        keys: ["scripts"],
        mayAdd: /^(?!pre|post|install$|prepare$|dependencies$|test$)/,
      },
      {
        kind: "json",
        file: "**/package.json",
        keys: ["jest", "mocha", "ava", "vitest", "tap", "c8", "nyc", "babel", "type", "workspaces"],
      },
      {
        // A test package from somewhere other than the registry, or this package under such a name, which its tests
        // could import.
        kind: "entries",
        file: "**/package.json",
        entries: new RegExp(
          `(?:^|> )${ofTool}(?: > .*)?: ${elsewhere}|^name: ${ofTestPackage}$|^bin > (?:${testPackages}|node|tsc|eslint|prettier|biome|playwright): |(?:^|> )patchedDependencies > ${ofTool}(?:@|: )`,
        ),
        alsoNew: true,
      },
      {
        kind: "entries",
        file: "**/package-lock.json",
        entries: new RegExp(
          `^packages > (?:.*/)?node_modules/${ofTool} > (?:link: true|resolved: (?:file:|git|\\.))`,
        ),
      },
      // npm runs these when it installs a package of the checkout, also in the fresh clone.
      { kind: "json", file: "**/package.json", keys: ["scripts"], mayAdd: notOnInstall, alsoNew: true },
      // What tests import by a name that the package defines.
      {
        kind: "json",
        file: "**/package.json",
        keys: ["imports", "exports"],
        values: leadsToTests,
        mayAdd: /./,
      },
      { kind: "lines", file: "**/tsconfig*.json", lines: pathOfTests },
      {
        // Packages may be added, but not left out.
        kind: "lines",
        file: "**/pnpm-workspace.yaml",
        lines: new RegExp(
          `^\\s*-\\s|script-?shell|shell-?emulator|node-?options|pnpm-?file|${ofTool}['"]?\\s*:\\s*['"]?${elsewhere}|${ofTool}(?:@[\\w.^~-]+)?['"]?\\s*:\\s*\\S+\\.patch\\b`,
          "i",
        ),
        mayAdd: /^-\s+['"]?[\w@]/,
        alsoNew: true,
      },
    ],
  },
  {
    id: "node",
    called: program("node|tsx|ts-node"),
    config: anywhere("node.config.json", "assert.{js,cjs,mjs}"),
    parts: [{ kind: "lines", file: "**/tsconfig*.json", lines: pathOfTests }],
  },
  {
    id: "ts-node",
    // Mocha's own configuration may require it.
    called: program("ts-node|ts-mocha|ts-node-dev|_?mocha"),
    config: [],
    parts: [
      {
        // A module that it loads first, another compiler, or a file that has such settings.
        kind: "lines",
        file: "**/tsconfig*.json",
        lines: /"(?:ts-node|extends|require|compiler)"\s*:/,
        alsoNew: true,
      },
    ],
  },
  {
    id: "vitest",
    called: /(?:^|[^\w@.-])(?:\S*\/)?(?:vitest|ng)(?![\w-])|@nx\/(?:vite|vitest)\b/m,
    config: anywhere(`vitest.*.${script}`, `vite.config.${script}`, `vitest-*.${script}`, "__mocks__/**"),
  },
  {
    id: "jest",
    called: program("jest|react-scripts|react-app-rewired|craco|vue-cli-service|kcd-scripts|tsdx"),
    config: anywhere(
      "config-overrides.*",
      ".swcrc",
      `jest.*.${script}`,
      `jest-*.${script}`,
      `setupTests.${script}`,
      "setupTests.{jsx,tsx}",
      `babel.config.${script}`,
      ".babelrc*",
      "__mocks__/**",
    ),
  },
  { id: "mocha", called: program("_?mocha"), config: anywhere(".mocharc*", "mocha.opts") },
  { id: "ava", called: program("ava"), config: anywhere(`ava.config.${script}`, `*.ava.config.${script}`) },
  { id: "tap", called: program("tap"), config: anywhere(".taprc", ".tap/plugins/**") },
  { id: "playwright", called: program("playwright"), config: anywhere(`playwright*.config.${script}`) },
  {
    id: "cypress",
    called: program("cypress"),
    config: anywhere(`cypress.config.${script}`, "cypress/support/**"),
  },
  {
    id: "web test runner",
    called: program("wtr|web-test-runner"),
    config: anywhere(`web-test-runner.config.${script}`),
  },
  { id: "webdriver", called: program("wdio|nightwatch"), config: anywhere("{wdio,nightwatch}*.conf.*") },
  { id: "karma", called: program("karma|ng test"), config: anywhere("karma.conf.*") },
  { id: "jasmine", called: program("jasmine"), config: anywhere("jasmine.json", "jasmine.{js,mjs}") },
  {
    id: "coverage",
    called: program("c8|nyc"),
    config: anywhere(".c8rc*", ".nycrc*", `nyc.config.${script}`),
  },
  ...nodeLinters,
  {
    // They start the tasks that these files describe.
    id: "monorepo runners",
    called: program("nx|turbo|lerna|moon|lage"),
    config: anywhere("nx.json", "turbo.json{,c}", "lerna.json", "lage.config.*", "moon.yml", ".moon/**"),
    parts: [
      {
        kind: "entries",
        file: "**/{project,package}.json",
        entries: /^(?:nx > )?targets > (?:test|lint|check|e2e|type-?check)/,
        alsoNew: true,
      },
    ],
  },
  {
    id: "angular",
    called: program("ng"),
    config: [],
    parts: [
      {
        kind: "entries",
        file: "**/angular.json",
        entries: / > (?:architect|targets) > (?:test|lint|e2e)/,
        alsoNew: true,
      },
    ],
  },
  {
    id: "deno",
    called: program("deno"),
    config: [],
    parts: [
      {
        kind: "json",
        file: "**/deno.json*",
        keys: [
          "test",
          "lint",
          "exclude",
          "workspace",
          "importMap",
          "links",
          "patch",
          "vendor",
          "nodeModulesDir",
        ],
        alsoNew: true,
      },
      { kind: "json", file: denoImports, keys: ["scopes"], alsoNew: true },
      // Packages may be added, but what tests import by a path or a scheme keeps its meaning.
      {
        kind: "json",
        file: denoImports,
        keys: ["imports"],
        mayAdd: /^@?\w[\w./@-]*$/,
        versions: true,
        alsoNew: true,
      },
      { kind: "json", file: "**/deno.json*", keys: ["tasks"], mayAdd: /^(?!test\b)/ },
    ],
  },
];
