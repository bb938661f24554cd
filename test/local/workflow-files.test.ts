import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { filesBeside, findWorkflow, listWorkflows, readSource } from "../../src/local/workflow-files.ts";

async function folderOf(...names: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "files-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), `this is ${name}`);
  }
  return folder;
}

test.each([
  ["own/fix.yml", "own/fix.yml"],
  ["fix", ".github/loops/fix.yml"],
  ["old", ".archon/workflows/old.yaml"],
])("the workflow %s is found at %s", async (name, file) => {
  const cwd = await folderOf(
    "own/fix.yml",
    ".github/loops/fix.yml",
    ".archon/workflows/fix.yml",
    ".archon/workflows/old.yaml",
  );
  expect(findWorkflow(name, cwd)).toEqual({ file, text: `this is ${file}` });
});

test("below the top of a repository, names and command files are looked for there too, after one's own", async () => {
  const top = await folderOf(
    ".git/HEAD",
    ".github/loops/fix.yml",
    ".github/loops/other.yml",
    ".archon/commands/plan.md",
    "web/app/.github/loops/fix.yml",
  );
  const cwd = join(top, "web/app");
  expect(findWorkflow("fix", cwd).file).toBe(".github/loops/fix.yml");
  expect(findWorkflow("other", cwd)).toEqual({
    file: "../../.github/loops/other.yml",
    text: "this is .github/loops/other.yml",
  });
  const beside = filesBeside("../../.github/loops/other.yml", cwd);
  expect(beside.command("plan")).toBe("this is .archon/commands/plan.md");
  expect(beside.workflow("fix")?.file).toBe("../../.github/loops/fix.yml");
});

test("a workflow that is not there is refused with where it was looked for", async () => {
  const cwd = await folderOf();
  expect(() => findWorkflow("fix", cwd)).toThrow(
    `no workflow fix in .github/loops or .archon/workflows of ${cwd}`,
  );
  expect(() => readSource("fix", cwd)).toThrow(/fix cannot be read/);
});

test.skipIf(!existsSync("/dev/fd"))(
  "a pipe is read to its end, and of a device without one only a part",
  async () => {
    const cwd = await folderOf();
    expect(readSource("/dev/zero", cwd).text).toHaveLength(16 * 1024 * 1024);
    const script =
      "import { findWorkflow } from './src/local/workflow-files.ts'; console.log(findWorkflow('/dev/stdin', '/').text)";
    const line = 'printf piped | "$0" --input-type=module-typescript --eval "$1"';
    const output = execFileSync("bash", ["-c", line, process.execPath, script], { encoding: "utf8" });
    expect(output).toBe("piped\n");
  },
);

test("a path that is not there is not looked for among the names", async () => {
  const cwd = await folderOf();
  expect(() => findWorkflow("/no/fix.yml", cwd)).toThrow(`no file /no/fix.yml in ${cwd}`);
});

test("all workflows are listed, in order and nothing else", async () => {
  const cwd = await folderOf(
    ".github/loops/b.yml",
    ".github/loops/a.yaml",
    ".github/loops/commands/x.md",
    ".archon/workflows/c.yml",
  );
  expect(listWorkflows(cwd)).toEqual([
    ".github/loops/a.yaml",
    ".github/loops/b.yml",
    ".archon/workflows/c.yml",
  ]);
  expect(listWorkflows(join(cwd, "elsewhere"))).toEqual([]);
});

test("a workflow may name files in its own folder first, then those in the usual folders, and command files", async () => {
  const cwd = await folderOf(
    "own/main.yml",
    "own/child.yml",
    ".github/loops/child.yml",
    ".github/loops/other.yml",
    ".archon/commands/say.md",
  );
  const files = filesBeside("own/main.yml", cwd);
  expect(files.workflow("child")?.file).toBe("own/child.yml");
  expect(files.workflow("other")?.file).toBe(".github/loops/other.yml");
  expect(files.workflow("none")).toBeUndefined();
  expect(files.command("say")).toBe("this is .archon/commands/say.md");
  expect(files.command("none")).toBeUndefined();
});

test("Archon's configuration is the one of the checkout, and no link out of it", async () => {
  const cwd = await folderOf(".git/HEAD", ".archon/config.yaml", "web/.git/HEAD");
  expect(filesBeside(".archon/workflows/x.yaml", cwd).archonConfig()).toBe("this is .archon/config.yaml");
  expect(filesBeside("x.yaml", join(cwd, "web")).archonConfig()).toBeUndefined();
  await mkdir(join(cwd, "web/.archon"));
  await symlink(join(cwd, ".archon/config.yaml"), join(cwd, "web/.archon/config.yaml"));
  expect(filesBeside("x.yaml", join(cwd, "web")).archonConfig()).toBeUndefined();
});

test("a text next to a workflow is read from inside the checkout, links followed", async () => {
  const cwd = await folderOf("loops/w.yml", "loops/you.md", "top.md");
  const outside = await folderOf("secret");
  await symlink(join(outside, "secret"), join(cwd, "loops/link.md"));
  for (const workflow of ["loops/w.yml", join(cwd, "loops/w.yml")]) {
    const { text } = filesBeside(workflow, cwd);
    expect(text("you.md")).toBe("this is loops/you.md");
    expect(text("../top.md")).toBe("this is top.md");
    for (const path of ["link.md", "none.md", "../../x", join(outside, "secret")])
      expect(text(path)).toBeUndefined();
  }
});

test("a soul is not taken for the workflow that bears its name; the one in custom/souls is found", async () => {
  const cwd = await folderOf(
    ".git/HEAD",
    "w/poet.yaml",
    "w/bard.json",
    "custom/souls/poet.yaml",
    "w/bard.yaml",
  );
  await writeFile(join(cwd, "w/poet.yaml"), 'version: "1.0"\nblocks: {}\n');
  await writeFile(join(cwd, "w/bard.yaml"), '{ "name": "x",\n  "blocks": {} }');
  const { soul } = filesBeside("w/poet.yaml", cwd);
  expect(soul("poet")?.file).toBe("custom/souls/poet.yaml");
  expect(soul("bard")?.file).toBe("w/bard.json");
});

test("a called workflow is in the checkout, or next to a caller outside of it", async () => {
  const outside = await folderOf("secret.yml", "main.yml", "child.yml");
  const cwd = await folderOf(".git/HEAD", "own/main.yml");
  await symlink(join(outside, "secret.yml"), join(cwd, "own/link.yml"));
  const { workflow } = filesBeside("own/main.yml", cwd);
  for (const name of ["link", `../../${outside.split("/").at(-1)}/secret`, join(outside, "secret")])
    expect(workflow(name)).toBeUndefined();
  expect(filesBeside(join(outside, "main.yml"), cwd).workflow("child")?.file).toBe(
    join(outside, "child.yml"),
  );
});

test("a file in UTF-16 that begins with its mark is read as what it says, whichever way round", async () => {
  const cwd = await folderOf();
  const little = Buffer.from("\ufeffname: Käse", "utf16le");
  await writeFile(join(cwd, "little.yml"), little);
  await writeFile(join(cwd, "big.yml"), Buffer.from(little).swap16());
  expect(readSource("little.yml", cwd).text).toBe("name: Käse");
  expect(readSource("big.yml", cwd).text).toBe("name: Käse");
});

test("command files and scripts are found in their folders, or one folder below", async () => {
  const cwd = await folderOf(
    ".archon/commands/plan.md",
    ".archon/commands/defaults/plan.md",
    ".archon/commands/defaults/review.md",
    ".archon/commands/a/b/deep.md",
    ".archon/scripts/echo.py",
    ".archon/scripts/echo.ts",
    ".github/loops/scripts/tools/count.js",
  );
  const { command, script } = filesBeside(".archon/workflows/w.yml", cwd);
  expect(["plan", "review", "deep"].map(command)).toEqual([
    "this is .archon/commands/plan.md",
    "this is .archon/commands/defaults/review.md",
    undefined,
  ]);
  expect(script("echo", [".py"])).toBe(".archon/scripts/echo.py");
  expect(script("echo", [".ts", ".js"])).toBe(".archon/scripts/echo.ts");
  expect(script("count", [".js"])).toBe(".github/loops/scripts/tools/count.js");
  expect(script("missing", [".js"])).toBeUndefined();
});

test("a pack's workflow is found by its file or its name, with the commands and scripts of its own folder first", async () => {
  const cwd = await folderOf(
    ".git/HEAD",
    ".archon/commands/plan.md",
    ".archon/workflows/sdlc/ship/commands/plan.md",
    ".archon/workflows/sdlc/ship/scripts/go.ts",
  );
  const ship = ".archon/workflows/sdlc/ship/ship.yaml";
  await writeFile(join(cwd, ship), 'name: "the ship"\nnodes: []\n');
  for (const name of ["ship", "the ship"]) expect(findWorkflow(name, cwd).file).toBe(ship);
  expect(listWorkflows(cwd)).toEqual([ship]);
  const flat = filesBeside(".archon/workflows/x.yaml", cwd);
  for (const name of ["ship", "the ship"]) expect(flat.workflow(name)?.file).toBe(ship);
  expect(flat.command("plan")).toBe("this is .archon/commands/plan.md");
  for (const files of [filesBeside(ship, cwd), flat.packaged(ship)]) {
    expect(files.command("plan")).toBe("this is .archon/workflows/sdlc/ship/commands/plan.md");
    expect(files.script("go", [".ts"])).toBe(".archon/workflows/sdlc/ship/scripts/go.ts");
  }
});

test("a workflow next to the file is found by its name, but not through a link that leads out", async () => {
  const cwd = await folderOf(".git/HEAD", "flows/all.yaml");
  const outside = await folderOf("secret.yaml");
  await writeFile(join(outside, "secret.yaml"), "name: secret\nsteps: []\n");
  await symlink(join(outside, "secret.yaml"), join(cwd, "flows/linked.yaml"));
  await writeFile(join(cwd, "flows/code-review.yaml"), "name: code_review # for all\nsteps: []\n");
  const { workflow } = filesBeside("flows/all.yaml", cwd);
  expect(workflow("code_review")?.file).toBe("flows/code-review.yaml");
  expect(workflow("secret")).toBeUndefined();
});
