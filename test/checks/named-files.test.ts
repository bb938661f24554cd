import { expect, test } from "vitest";
import { namedFiles } from "../../src/checks/named-files.ts";
import { toolsInUse } from "../../src/checks/tools-in-use.ts";
import { matchGlobs } from "../../src/workspace/match-globs.ts";

type Files = Readonly<Record<string, string>>;

/** The files that a check's configuration names. */
function named(check: string, files: Files): readonly string[] {
  const checkout = { paths: Object.keys(files), text: (path: string) => files[path] };
  const use = toolsInUse([check], checkout);
  const isConfig = matchGlobs([...use.config, ...use.parts.map(({ file }) => file)], { nocase: false });
  const config = checkout.paths.filter(isConfig);
  const isNamed = matchGlobs(namedFiles({ commands: use.commands, config }, checkout), { nocase: false });
  return checkout.paths.filter(isNamed);
}

const script = (test: string) => JSON.stringify({ scripts: { test } });

test.each<[title: string, check: string, files: Files, names: readonly string[]]>([
  [
    "setup files and reporters",
    "npx vitest run",
    {
      "vitest.config.ts":
        'export default { test: { setupFiles: ["./support/setup"], globalSetup: "support/global.ts", reporters: ["default", "./support/report.js"] } }',
      "support/setup.js": "",
      "support/global.ts": "",
      "support/report.js": "",
      "support/other.js": "",
    },
    ["support/setup.js", "support/global.ts", "support/report.js"],
  ],
  [
    "what a configuration imports, and what that imports",
    "npx vitest run",
    {
      "vitest.config.ts": 'import { shared } from "./build/shared.js";\nexport default shared;',
      "build/shared.ts": 'import more from "./more";\nexport const shared = more;',
      "build/more.ts": "",
    },
    ["build/shared.ts", "build/more.ts"],
  ],
  [
    "the options of a script",
    "npm test",
    {
      "package.json": script("mocha -r ./support/hooks.cjs --config=ci/mocha.json"),
      "support/hooks.cjs": "",
      "ci/mocha.json": '{ "extends": "./base.json" }',
      "ci/base.json": "",
    },
    ["support/hooks.cjs", "ci/mocha.json", "ci/base.json"],
  ],
  [
    "setup files in package.json",
    "npm test",
    {
      "package.json": JSON.stringify({
        scripts: { test: "jest" },
        exports: { require: "./add.cjs", import: "./add.mjs" },
        jest: { setupFilesAfterEnv: ["<rootDir>/src/setupTests.js"], transform: { "\\.ts$": "./ts.cjs" } },
      }),
      "src/setupTests.js": "",
      "ts.cjs": "",
      "add.cjs": "",
      "add.mjs": "",
    },
    ["src/setupTests.js", "ts.cjs"],
  ],
  [
    "a list in YAML",
    "npx mocha",
    {
      ".mocharc.yml": "timeout: 1\nrequire:\n  - ./hooks.js\n  - tsx\nspec: all.js\n",
      "hooks.js": "",
      "all.js": "",
    },
    ["hooks.js"],
  ],
  [
    "a package of its own",
    "npm test --workspaces",
    { "a/package.json": script("vitest run -c unit.ts"), "a/unit.ts": "", "unit.ts2": "" },
    ["a/unit.ts"],
  ],
  [
    "settings of linters and of the type check",
    "npx eslint -c lint/rules.js . && npx tsc -p build/types.json && mypy --config-file conf/mypy.cfg add.py",
    {
      "lint/rules.js": "",
      "build/types.json": '{ "extends": "./base.json" }',
      "build/base.json": "",
      "conf/mypy.cfg": "",
      "add.py": "",
    },
    ["lint/rules.js", "build/types.json", "build/base.json", "conf/mypy.cfg"],
  ],
  [
    "plugins of pytest",
    "pytest -p tools.plug",
    {
      "conftest.py": 'pytest_plugins = ["helpers.fixtures"]\n',
      "helpers/fixtures.py": "",
      "tools/plug.py": "",
      "add.py": "",
    },
    ["helpers/fixtures.py", "tools/plug.py"],
  ],
  ["what node loads first", "node -r ./first.cjs --test", { "first.cjs": "", "add.cjs": "" }, ["first.cjs"]],
  [
    "code, manifests and files that are only checked or compiled are not named",
    "npm test && prettier -c add.js && gcc -c add.c && pip install -r requirements.txt && node -c add.js",
    {
      "package.json": script("vitest run"),
      "vite.config.js":
        'import pkg from "./package.json";\nimport plugin from "./src/plugin.js";\nimport own from "./index.js";\nexport default { plugins: [plugin, own(pkg)] }',
      "src/plugin.js": "",
      "index.js": "",
      "add.js": "",
      "add.c": "",
      "requirements.txt": "",
    },
    [],
  ],
])("%s", (_, ...[check, files, names]) => {
  expect(named(check, files)).toEqual(names);
});

test("of a name without an extension, no other file may take its place", () => {
  const files: Files = {
    "vitest.config.js": 'export default { test: { setupFiles: "./setup" } }',
    "setup.js": "",
  };
  const globs = namedFiles(
    { commands: "", config: ["vitest.config.js"] },
    { paths: Object.keys(files), text: (path) => files[path] },
  );
  const matches = matchGlobs(globs, { nocase: false });
  expect(["setup.js", "setup.mjs", "setup/index.ts", "set.js"].filter(matches)).toEqual([
    "setup.js",
    "setup.mjs",
    "setup/index.ts",
  ]);
});
