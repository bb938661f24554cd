import { expect, test } from "vitest";
import { findProject } from "../../src/cli/init/project.ts";
import { openFolder } from "../parts/terminal.ts";

const manifest = (more: object = {}) => JSON.stringify({ scripts: { test: "node --test" }, ...more });
const packages = { "packages/a/package.json": manifest() };

test.each<[string, Record<string, string>, { check: string; install?: string }]>([
  [
    "go with make",
    { "go.mod": "module a\n", Makefile: "test: generate\n\tgo test ./...\n" },
    { check: "make test" },
  ],
  [
    "go with make",
    { "go.mod": "module a\n", Makefile: ".PHONY: test\ntest: ## runs the tests\n\t@go test -race ./...\n" },
    { check: "make test" },
  ],
  ["go", { "go.mod": "module a\n", Makefile: "test:\n\tgo test -v ./...\n" }, { check: "go test ./..." }],
  [
    "go",
    { "go.mod": "module a\n", Makefile: "test:\n\tdocker compose run app go test -race ./...\n" },
    { check: "go test ./..." },
  ],
  [
    "pytest with uv with make",
    {
      "pyproject.toml": "[dependency-groups]\ndev = ['pytest']\n",
      "uv.lock": "",
      Makefile: "test:\n\tuv run pytest --cov=a \\\n\t  tests\n",
    },
    { check: "make test", install: "uv sync" },
  ],
  [
    "pytest",
    { "requirements.txt": "pytest\n", "test_a.py": "", Makefile: "test:\n\tpytest -q tests/\n" },
    { check: "python3 -m pytest -q", install: "python3 -m pip install -r requirements.txt" },
  ],
  [
    "npm",
    { "package.json": manifest(), Makefile: "test: build\n\tnpm test\n" },
    { check: "npm test", install: "npm install" },
  ],
  [
    "npm",
    { "package.json": manifest({ scripts: { test: "turbo run test" } }), "turbo.json": "{}" },
    { check: "npm test -- --continue", install: "npm install" },
  ],
  [
    "turbo with pnpm",
    {
      "package.json": "{}",
      "pnpm-lock.yaml": "",
      ...packages,
      "pnpm-workspace.yaml": "",
      "turbo.json": "{}",
    },
    { check: "pnpm exec turbo run test --continue", install: "pnpm install --frozen-lockfile" },
  ],
  [
    "pnpm workspace",
    { "package.json": "{}", "pnpm-lock.yaml": "", ...packages, "pnpm-workspace.yaml": "" },
    { check: "pnpm -r --no-bail --if-present test", install: "pnpm install --frozen-lockfile" },
  ],
  [
    "npm workspace",
    { "package.json": '{"workspaces":["packages/*"]}', ...packages },
    { check: "npm test --workspaces --if-present", install: "npm install" },
  ],
  [
    "yarn workspace",
    { "package.json": '{"workspaces":["packages/*"]}', "yarn.lock": "", ".yarnrc.yml": "", ...packages },
    { check: "yarn workspaces foreach --all run test", install: "yarn install --immutable" },
  ],
])("the tests of %s are run as the project itself runs all of them", (tool, files, { check, install }) => {
  const folder = openFolder({ bare: true });
  folder.write(files);
  expect(findProject(folder.path)).toMatchObject({ tool, check, install });
});

test("init counts failing tests for each package", async () => {
  const folder = openFolder();
  const failing = ["✖ adds (1ms)", "ℹ tests 1", "ℹ pass 0", "ℹ fail 1"];
  const printed = ["a", "b"].flatMap((name) =>
    ["cache miss, executing 8f", ...failing].map((line) => `@x/${name}:test: ${line}`),
  );
  folder.write({ printed: `${printed.join("\n")}\n` });
  const { stderr } = await folder.run("init", "--check", "cat printed; exit 1");
  expect(stderr).toContain("2 tests failing in @x/a:test (1), @x/b:test (1): work for the loop (exit 1)\n");
});
