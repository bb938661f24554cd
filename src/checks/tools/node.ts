import { anywhere, entries, json, lines, program, type Tool } from "./tool.ts";

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
export const pathOfTests = new RegExp(
  `^"(?:${testPackages}|node:\\w+)"\\s*:\\s*\\[|^"[^"]+"\\s*:\\s*\\[.*${leadsToTests.source}`,
  "i",
);

export const nodeTools: readonly Tool[] = [
  {
    id: "npm",
    // It also installs what other programs load, and a monorepo's runner starts its scripts.
    called: program(
      "npm|npx|pnpm|pnpx|yarn|bun|bunx|node|tsx|ts-node|nx|turbo|lerna|moon|lage|ng|vitest|jest|_?mocha|ava|tap|tape|jasmine|uvu|qunit|playwright|cypress|karma|wtr|c8|nyc|eslint|tsc|prettier|biome",
    ),
    config: anywhere(
      ".npmrc .yarnrc .yarnrc.yml .yarn/** .pnpmfile.cjs pnpmfile.cjs bunfig.toml",
      // Closer to the tests than the installed packages, and so found first.
      // Changes to installed packages: patch-package, pnpm, Bun.
      `patches/{,*[+@_]}{${testPackages.replaceAll("|", ",")},typescript,eslint,prettier}{,[+@_-]*}.patch`,
      `{test,tests,__tests__,spec,specs,e2e}/**/node_modules/{${testPackages.replaceAll("|", ",")},@vitest,@jest,@playwright}/**`,
    ),
    parts: [
      // Scripts may be added, except those that npm runs automatically along with others.
      json("**/package.json", "scripts", { mayAdd: /^(?!pre|post|install$|prepare$|dependencies$|test$)/ }),
      json("**/package.json", "jest mocha ava vitest tap c8 nyc babel type workspaces"),
      // A test package from somewhere other than the registry, or this package under such a name, which its tests
      // could import.
      entries(
        "**/package.json",
        new RegExp(
          `(?:^|> )${ofTool}(?: > .*)?: ${elsewhere}|^name: ${ofTestPackage}$|^bin > (?:${testPackages}|node|tsc|eslint|prettier|biome|playwright): |(?:^|> )patchedDependencies > ${ofTool}(?:@|: )`,
        ),
        { alsoNew: true },
      ),
      entries(
        "**/package-lock.json",
        new RegExp(`^packages > (?:.*/)?node_modules/${ofTool} > (?:link: true|resolved: (?:file:|git|\\.))`),
      ),
      // npm runs these when it installs a package of the checkout, also in the fresh clone.
      json("**/package.json", "scripts", { mayAdd: notOnInstall, alsoNew: true }),
      // What tests import by a name that the package defines.
      json("**/package.json", "imports exports", { values: leadsToTests, mayAdd: /./ }),
      lines("**/tsconfig*.json", pathOfTests),
      // Packages may be added, but not left out.
      lines(
        "**/pnpm-workspace.yaml",
        new RegExp(
          `^\\s*-\\s|script-?shell|shell-?emulator|node-?options|pnpm-?file|${ofTool}['"]?\\s*:\\s*['"]?${elsewhere}|${ofTool}(?:@[\\w.^~-]+)?['"]?\\s*:\\s*\\S+\\.patch\\b`,
          "i",
        ),
        { mayAdd: /^-\s+['"]?[\w@]/, alsoNew: true },
      ),
    ],
    nothing:
      /^npm (?:error|ERR!) (?:Missing script: |(?:enoent )?Could not read package\.json)|^\s*ERR_PNPM_NO_(?:SCRIPT\b|IMPORTER_MANIFEST_FOUND\b)|^(?:error )?Couldn't find a (?:package\.json|script named)|^error Command "[^"]+" not found\.$|^error This project's package\.json defines "packageManager": |^Usage Error: The project in .* doesn't seem to have been installed\b|^error: Script not found "/,
  },
  {
    id: "ts-node",
    // Mocha's own configuration may require it.
    called: program("ts-node|ts-mocha|ts-node-dev|_?mocha"),
    parts: [
      // A module that it loads first, another compiler, or a file that has such settings.
      lines("**/tsconfig*.json", /"(?:ts-node|extends|require|compiler)"\s*:/, { alsoNew: true }),
    ],
  },
  {
    id: "monorepo runners",
    called: program("nx|turbo|lerna|moon|lage"),
    config: anywhere("nx.json turbo.json{,c} lerna.json lage.config.* moon.yml .moon/**"),
    parts: [
      entries("**/{project,package}.json", /^(?:nx > )?targets > (?:test|lint|check|e2e|type-?check)/, {
        alsoNew: true,
      }),
    ],
    // Turborepo stops what runs beside a task that fails.
    partial: /\baffected\b|--since\b|\bturbo\b/,
  },
  {
    id: "angular",
    called: program("ng"),
    parts: [entries("**/angular.json", / > (?:architect|targets) > (?:test|lint|e2e)/, { alsoNew: true })],
  },
];
