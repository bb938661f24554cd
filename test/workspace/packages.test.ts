import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { git } from "../../src/git/git.ts";
import { findPackages } from "../../src/workspace/packages.ts";

async function repositoryOf(files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), "packages-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await git({ cwd, args: ["init", "--quiet"] });
  await commit(cwd, files);
  return cwd;
}

async function commit(cwd: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  await git({ cwd, args: ["add", "--all"] });
  await git({ cwd, args: ["commit", "--quiet", "--message", "more"] });
}

const named = (manifest: string) => ({
  [`libs/a/${manifest}`]: "{}",
  [`libs/b/${manifest}`]: "{}",
  [`other/${manifest}`]: "{}",
});

test.each([
  ["npm and yarn", { "package.json": '{"workspaces": ["./libs/*"]}', ...named("package.json") }],
  [
    "yarn's older form",
    { "package.json": '{"workspaces": {"packages": ["libs/*/"]}}', ...named("package.json") },
  ],
  ["pnpm", { "pnpm-workspace.yaml": "packages: [libs/**, other, '!other']\n", ...named("package.json") }],
  ["Go", { "go.work": "go 1.23\nuse (\n\t./libs/a // first\n\t./libs/b\n)\n", ...named("go.mod") }],
  [
    "Cargo",
    {
      "Cargo.toml": '[workspace]\nmembers = ["libs/*", "other"]\nexclude = ["other"]\n',
      ...named("Cargo.toml"),
    },
  ],
])("packages are those that the workspaces of %s list", async (_, files) => {
  const cwd = await repositoryOf(files);
  expect(await findPackages(cwd, undefined)).toEqual(["libs/a", "libs/b"]);
  await commit(cwd, { "libs/b/new.txt": "n", "top.txt": "t" });
  expect(await findPackages(cwd, "HEAD^")).toEqual(["libs/b"]);
});

test.each([
  [{ "a.txt": "a" }, undefined, /no file lists packages here/],
  [{ "package.json": "{" }, undefined, /package\.json cannot be read as a list of packages/],
  [
    { "package.json": '{"workspaces": ["p"]}', "p/package.json": "{}" },
    "no-such",
    /`no-such`: check out with `fetch-depth: 0`/,
  ],
])("a list that cannot be made says why: %j since %o", async (files, since, because) => {
  await expect(findPackages(await repositoryOf(files as Record<string, string>), since)).rejects.toThrow(
    because,
  );
});
