import { describe, expect, test } from "vitest";
import { type Files, guardOf } from "./guard-of.ts";

const json = (value: unknown) => JSON.stringify(value, undefined, 2);
const manifest = (more: object = {}, start = "mocha") =>
  json({ name: "x", scripts: { test: start }, ...more });
const project = (text = "") => `[project]\nname = "x"\n\n${text}`;

/** The check, the files there are, and a change: a path and its new text. */
type Change = readonly [check: string, files: Files, path: string, text?: string];
type Row = readonly [title: string, ...Change];

const named = (rows: readonly Row[]) => rows.map(([title, ...change]) => ({ title, change }));

const isRefused = ([check, files, path, text = "x\n"]: Change) => {
  const { refuses, kept } = guardOf(check, files);
  return refuses(path) || kept(path, text) !== text;
};

const npm = { "package.json": manifest() };
const nx = (plugin: string): Files => ({ "nx.json": json({ plugins: [plugin] }) });
const python = { "pyproject.toml": project(), "requirements.txt": "pytest==9\n" };
const lock = (source: string) => `[[package]]\nname = "pytest"\n${source}\n`;

describe("what leads a check's tools elsewhere is refused", () => {
  test.each(
    named([
      ["a patch of an installed package", "npm test", npm, "patches/chai+5.2.0.patch"],
      ["a patch of a package with a scope", "npm test", npm, "patches/@vitest+expect+5.1.1.patch"],
      [
        "a patch that pnpm applies",
        "pnpm test",
        npm,
        "package.json",
        manifest({ pnpm: { patchedDependencies: { "chai@5.2.0": "fix.patch" } } }),
      ],
      [
        "a patch in the settings of pnpm's workspace",
        "pnpm test",
        { ...npm, "pnpm-workspace.yaml": "packages:\n  - a\n" },
        "pnpm-workspace.yaml",
        "packages:\n  - a\npatchedDependencies:\n  chai@5.2.0: fix.patch\n",
      ],
      [
        "a patch that Yarn applies",
        "yarn test",
        npm,
        "package.json",
        manifest({ resolutions: { chai: "patch:chai@npm%3A5#./fix.patch" } }),
      ],
      [
        "a compiler of tests from a folder",
        "npm test",
        npm,
        "package.json",
        manifest({ devDependencies: { "@swc/jest": "file:./kit" } }),
      ],
      [
        "a linter from a folder",
        "npm test",
        { "package.json": manifest({}, "eslint src") },
        "package.json",
        manifest({ devDependencies: { eslint: "file:./kit" } }, "eslint src"),
      ],
      [
        "a package that has a program with the name of a runner",
        "npm test",
        npm,
        "packages/kit/package.json",
        json({ name: "kit", bin: { mocha: "x.js" } }),
      ],
      [
        "another meaning of what tests import from the package itself",
        "npm test",
        { "package.json": manifest({ exports: { ".": "./index.js", "./kit": "./test/kit.js" } }) },
        "package.json",
        manifest({ exports: { ".": "./index.js", "./kit": "./kit.js" } }),
      ],
      [
        "settings of swc, which compiles tests",
        "npm test",
        { "package.json": manifest({}, "jest") },
        ".swcrc",
      ],
      [
        "a module that ts-node loads, if Mocha's own settings require ts-node",
        "npm test",
        { ...npm, ".mocharc.json": '{"require":"ts-node/register"}', "tsconfig.json": "{\n}\n" },
        "tsconfig.json",
        '{\n  "ts-node": { "require": ["./x.js"] }\n}\n',
      ],
      ["Jest's settings below Nx", "npx nx test app", nx("@nx/jest/plugin"), "apps/app/jest.config.ts"],
      [
        "Vite's settings below Nx",
        "npx nx run-many -t test",
        nx("@nx/vite/plugin"),
        "apps/app/vite.config.ts",
      ],
      ["ESLint's settings below Nx", "npx nx run-many -t lint", nx("@nx/eslint/plugin"), "eslint.config.mjs"],
      ["Nx's own settings", "npx nx test app", nx("@nx/jest/plugin"), "nx.json"],
      [
        "another target of Nx",
        "npx nx test app",
        { "apps/app/project.json": json({ targets: { test: { executor: "@nx/jest:jest" } } }) },
        "apps/app/project.json",
        json({ targets: { test: { executor: "nx:noop" } } }),
      ],
      [
        "a script that Turborepo starts",
        "turbo run test",
        { "packages/a/package.json": manifest({}, "vitest run") },
        "packages/a/package.json",
        manifest({}, "true"),
      ],
      ["settings of npm, if the check calls the runner itself", "vitest run", npm, ".npmrc"],
      [
        "a runner from a folder, if the check calls the runner itself",
        "node --test",
        npm,
        "package.json",
        manifest({ devDependencies: { chai: "file:./kit" } }),
      ],
      ["Turborepo's settings", "npx turbo run test", npm, "packages/a/turbo.json"],
      [
        "another builder of Angular's tests",
        "npx ng test",
        {
          "angular.json": json({
            projects: { a: { architect: { test: { builder: "@angular/build:unit-test" } } } },
          }),
        },
        "angular.json",
        json({ projects: { a: { architect: { test: { builder: "./kit:noop" } } } } }),
      ],
      ["ESLint's settings behind another program", "npx ng lint", npm, "eslint.config.js"],
      ["Jest's settings behind another program", "npx react-app-rewired test", npm, "config-overrides.js"],
      [
        "a project of Jest",
        "npx jest",
        { "jest.config.js": 'x = { projects: ["<rootDir>/ci/unit.js"] }', "ci/unit.js": "" },
        "ci/unit.js",
      ],
      ["a tool of a check with a short name", "npx xo", npm, "xo.config.js"],
      ["tsconfig.json, for svelte-check", "npx svelte-check", { "tsconfig.json": "{}" }, "tsconfig.json"],

      ["pytest from a folder", "pytest", python, "requirements.txt", "./kit\n"],
      ["pytest from an archive", "pytest", python, "requirements.txt", "pytest-9.9-py3-none-any.whl\n"],
      ["packages from a folder", "pytest", python, "requirements.txt", "--find-links kit\npytest==9.9\n"],
      [
        "pytest from a folder in further requirements",
        "pytest",
        python,
        "requirements-x.txt",
        "pytest @ file:kit\n",
      ],
      [
        "pytest from a folder, for uv",
        "uv run pytest",
        python,
        "pyproject.toml",
        project('[tool.uv.sources]\npytest = { path = "kit" }\n'),
      ],
      [
        "pytest from a folder, for Poetry",
        "poetry run pytest",
        python,
        "pyproject.toml",
        project('[tool.poetry.group.dev.dependencies]\npytest = { path = "kit" }\n'),
      ],
      [
        "pytest from a folder in uv's lock file",
        "uv run pytest",
        { ...python, "uv.lock": lock('source = { registry = "https://pypi.org/simple" }') },
        "uv.lock",
        lock('source = { directory = "kit" }'),
      ],
      [
        "pytest from a folder in Poetry's lock file",
        "poetry run pytest",
        { ...python, "poetry.lock": lock("") },
        "poetry.lock",
        lock('[package.source]\ntype = "directory"\nurl = "kit"'),
      ],
      ["a linter from a folder, for Python", "mypy src", python, "requirements.txt", "./kit\n"],
      ["a package in the place of conftest.py", "pytest", { "conftest.py": "" }, "conftest/__init__.py"],
      [
        "a package in the place of a plugin",
        "pytest",
        { "conftest.py": 'pytest_plugins = ["kit.shared"]\n', "kit/shared.py": "" },
        "kit/shared/__init__.py",
      ],
      [
        "shared fixtures that a conftest imports",
        "pytest",
        { "conftest.py": "from kit.shared import *  # noqa\n", "kit/shared.py": "" },
        "kit/shared.py",
      ],
      [
        "variables that pytest-env sets",
        "pytest",
        python,
        "pyproject.toml",
        project('[tool.pytest_env]\nA = "1"\n'),
      ],
      [
        "a plugin of flake8",
        "flake8 src",
        {},
        "x.egg-info/entry_points.txt",
        "[flake8.extension]\nX = x:X\n",
      ],
      ["pylint's settings in TOML", "pylint src", {}, "pylintrc.toml"],
      ...["mypy", "flake8", "pylint", "black", "ruff", "bandit"].map(
        (name): Row => [`a module in the place of ${name}`, `python3 -m ${name} src`, {}, `${name}.py`],
      ),
      ["a module that mypy loads", "python3 -m mypy src", {}, "pathspec.py"],
      ["a module that black loads", "python3 -m black --check src", {}, "click/__init__.py"],
      ["a plugin of pytest with another name", "python3 -m pytest", python, "anyio.py"],
      ["a module that Django loads", "python3 manage.py test", { "manage.py": "" }, "sqlparse/__init__.py"],

      ["tasks of Poe", "poe test", { "poe_tasks.toml": '[tasks]\ntest = "pytest"\n' }, "poe_tasks.toml"],
      ["tasks of Invoke", "inv test", { "tasks.py": "" }, "tasks.py"],
      ["a package in the place of Invoke's tasks", "inv test", { "tasks.py": "" }, "tasks/__init__.py"],
      ["tasks of doit", "doit test", { "dodo.py": "" }, "dodo.py"],
      [
        "scripts of Pipenv",
        "pipenv run test",
        { Pipfile: '[scripts]\ntest = "pytest"\n' },
        "Pipfile",
        '[scripts]\ntest = "true"\n',
      ],
      [
        "tasks of Pixi",
        "pixi run test",
        { "pixi.toml": '[tasks]\ntest = "pytest"\n' },
        "pixi.toml",
        '[tasks]\ntest = "true"\n',
      ],
      ["scripts of Hatch", "hatch run test", python, "hatch.toml", '[envs.default.scripts]\ntest = "true"\n'],
      [
        "tasks of taskipy",
        "task test",
        { "pyproject.toml": project('[tool.taskipy.tasks]\ntest = "pytest"\n') },
        "pyproject.toml",
        project('[tool.taskipy.tasks]\ntest = "true"\n'),
      ],
      [
        "hooks of pytest below Poe",
        "poe test",
        { "pyproject.toml": project('[tool.poe.tasks]\ntest = "pytest"\n') },
        "conftest.py",
      ],
      ["hooks of pytest below Invoke", "inv test", { "tasks.py": 'c.run("pytest -q")\n' }, "conftest.py"],
      [
        "hooks of pytest below Pipenv",
        "pipenv run test",
        { Pipfile: '[scripts]\ntest = "pytest"\n' },
        "conftest.py",
      ],

      ["settings of a linter for PHP", "vendor/bin/phpcs", {}, "phpcs.xml"],
      ["settings of a formatter for PHP", "vendor/bin/php-cs-fixer check", {}, ".php-cs-fixer.php"],
      ["settings of PHPUnit, for ParaTest", "vendor/bin/paratest", {}, "phpunit.xml"],
      [
        "RSpec from a folder",
        "bundle exec rspec",
        { "gems.rb": 'gem "rspec"\n' },
        "gems.rb",
        'gem "rspec", path: "kit"\n',
      ],
    ]),
  )("$title", ({ change }) => {
    expect(isRefused(change)).toBe(true);
  });
});

describe("what honest changes contain is not", () => {
  test.each(
    named([
      [
        "a package from the registry",
        "npm test",
        npm,
        "package.json",
        manifest({ devDependencies: { chai: "^5.0.0", "@swc/jest": "^0.2.0" } }),
      ],
      [
        "a package of the workspace",
        "npm test",
        npm,
        "package.json",
        manifest({ dependencies: { "@acme/core": "workspace:*" } }),
      ],
      ["a program of its own", "npm test", npm, "package.json", manifest({ bin: { x: "x.js" } })],
      [
        "another entry of the package",
        "npm test",
        npm,
        "package.json",
        manifest({ exports: { ".": "./src/index.js" } }),
      ],
      ["a patch of a package that the code uses", "npm test", npm, "patches/left-pad+1.3.0.patch"],
      [
        "compiler options, where Mocha runs",
        "npm test",
        { ...npm, "tsconfig.json": "{\n}\n" },
        "tsconfig.json",
        '{\n  "compilerOptions": {\n    "lib": ["es2022"]\n  }\n}\n',
      ],
      [
        "another target to build",
        "npx nx test app",
        {},
        "libs/a/project.json",
        json({ targets: { build: { executor: "@nx/js:tsc" } } }),
      ],
      ["a dependency", "pytest", python, "requirements.txt", "pytest==9\nrequests>=2\n"],
      [
        "the project itself",
        "pytest",
        python,
        "requirements.txt",
        "pytest==9\n-e .[dev]\n-r requirements/base.txt\n",
      ],
      [
        "a package from a repository",
        "pytest",
        python,
        "requirements.txt",
        "pytest==9\nkit @ git+https://example.com/kit\n",
      ],
      [
        "a dependency for uv",
        "uv run pytest",
        python,
        "pyproject.toml",
        project('[dependency-groups]\ndev = ["pytest>=9", "requests"]\n'),
      ],
      ["a module with the name of a task file", "inv test", { "tasks.py": "" }, "src/shop/tasks.py"],
      ["tasks of a queue, without Invoke", "pytest", python, "tasks.py"],
      [
        "a dependency in Pixi's file",
        "pixi run test",
        { "pixi.toml": '[tasks]\ntest = "pytest"\n' },
        "pixi.toml",
        '[tasks]\ntest = "pytest"\n\n[dependencies]\nnumpy = "*"\n',
      ],
      [
        "a dependency in Pipfile",
        "pipenv run test",
        { Pipfile: '[scripts]\ntest = "pytest"\n' },
        "Pipfile",
        '[scripts]\ntest = "pytest"\n\n[packages]\nrequests = "*"\n',
      ],
      [
        "a module with the name of a linter, if only tests run",
        "python3 -m pytest",
        python,
        "src/app/black.py",
      ],
      [
        "a dependency in the settings of a package manager",
        "rye test",
        { "pyproject.toml": project('[tool.rye]\ndev-dependencies = ["pytest"]\n') },
        "pyproject.toml",
        project('[tool.rye]\ndev-dependencies = ["pytest", "requests"]\n'),
      ],
      [
        "how Hatch builds the package",
        "hatch test",
        python,
        "pyproject.toml",
        project("[tool.hatch.build]\nonly-packages = true\n"),
      ],
      ["what doit remembers of a run", "doit test", { "dodo.py": "" }, ".doit.db.dat"],
      [
        "settings of a linter that the check does not call",
        "poe test",
        { "pyproject.toml": project('[tool.poe.tasks]\ntest = "pytest"\n') },
        "ruff.toml",
      ],
      ["files with the name of a script", "./bin/console lint", {}, "config/console.yml"],
    ]),
  )("$title", ({ change }) => {
    expect(isRefused(change)).toBe(false);
  });
});
