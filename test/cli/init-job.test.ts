import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { openFolder } from "../parts/terminal.ts";

const uv = {
  "pyproject.toml": "[project]\nname = 'a'\n[dependency-groups]\ndev = ['pytest']\n[tool.mypy]\n",
  "uv.lock": "",
};

const read = (folder: { readonly path: string }, file: string) =>
  readFileSync(join(folder.path, file), "utf8");

test("init --job lists the jobs, one line each, and writes nothing", async () => {
  const folder = openFolder();
  const { code, stdout } = await folder.run("init", "--job");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^fix-main +Fix a red main branch$/m);
  expect(stdout).toMatch(/^fix-pr +Fix a pull request whose tests fail$/m);
  expect(() => read(folder, ".github/loops/fix-main.yml")).toThrow("ENOENT");
});

test("init --job NAME writes the job with the project's check and steps, and says what is left to do and the cost", async () => {
  const folder = openFolder();
  folder.write(uv);
  const { code, stderr } = await folder.run("init", "--job", "fix-pr", "--no-try-check");
  expect(code, stderr).toBe(0);
  const loop = parse(read(folder, ".github/loops/fix-pr.yml"));
  expect(loop).toMatchObject({ name: "fix-pr", nodes: [{ loop: { until_bash: "uv run pytest -q" } }] });
  expect(loop.nodes[0].loop.prompt).toContain("`uv run pytest -q` fails");
  const workflow = read(folder, ".github/workflows/fix-pr.yml");
  expect(workflow).toMatch(
    /- uses: astral-sh\/setup-uv@[\s\S]*- run: uv sync\n {6}- run: uv run pytest -q\n/,
  );
  expect(workflow).not.toContain("npm");
  expect(stderr).toContain("gh secret set ANTHROPIC_API_KEY");
  expect(stderr).toContain("A run costs at most $5 (max-cost-usd in .github/workflows/fix-pr.yml)");
});

test("init --job writes the project's commands into the script of a job, too", async () => {
  const folder = openFolder();
  folder.write(Object.fromEntries(Object.entries(uv).map(([name, text]) => [`api/${name}`, text])));
  const { code, stderr } = await folder.run("init", "--job", "fix-main", "--no-try-check");
  expect(code, stderr).toBe(0);
  const loop = read(folder, ".github/loops/fix-main-api.yml");
  expect(loop).toMatch(/^ +cd api && uv sync$/m);
  expect(loop).toMatch(/^ +cd api && uv run pytest -q$/m);
  expect(loop).not.toContain("npm");
});

test("init --job finds the check that the job is about, not the tests", async () => {
  const folder = openFolder();
  folder.write(uv);
  const { stderr, code } = await folder.run("init", "--job", "types", "--no-try-check");
  expect(code, stderr).toBe(0);
  expect(parse(read(folder, ".github/loops/types.yml")).nodes[0].loop.until_bash).toBe(
    "uv run mypy . && uv run pytest -q",
  );
});

test("init --job names the checks it knows if the project has none of them, and takes one with --check", async () => {
  const folder = openFolder();
  folder.write({ "package.json": '{ "scripts": { "test": "node --test" } }' });
  const refused = await folder.run("init", "--job", "types", "--no-try-check");
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/types knows \(`npm run types && npm test`, .*--check/),
  });
  const { code } = await folder.run("init", "--job", "types", "--check", "make types", "--no-try-check");
  expect(code).toBe(0);
  expect(parse(read(folder, ".github/loops/types.yml")).nodes[0].loop.until_bash).toBe("make types");
});

test("init --job says which job is meant if there is none of that name", async () => {
  const { code, stderr } = await openFolder().run("init", "--job", "fix-mian");
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("did you mean fix-main?"),
  });
});
