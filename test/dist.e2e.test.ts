import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const stale = "dist/ is stale: run `npm run build` and commit it";

// Not in this process: a bundle depends on the exports of Node's modules, and another test may have replaced some.
const build = (into: string) => promisify(execFile)(execPath, ["scripts/build.ts", into]);

let fresh: string;

beforeAll(async () => {
  fresh = join(await mkdtemp(join(tmpdir(), "until-green-dist-")), "dist");
  await build(fresh);
});

afterAll(() => rm(join(fresh, ".."), { recursive: true, force: true }));

test("dist/ holds exactly the files that a build makes", async () => {
  expect(existsSync("dist"), stale).toBe(true);
  const [committed, built] = [await filesIn("dist"), await filesIn(fresh)];
  expect(committed.filter((name) => !built.includes(name)).join(), stale).toBe("");
  expect(built.filter((name) => !committed.includes(name)).join(), stale).toBe("");
});

test("every file of dist/ is what a build makes, byte for byte", async () => {
  const names = await filesIn(fresh);
  const differing = await Promise.all(names.map(async (name) => ((await isSame(name)) ? [] : [name])));
  expect(differing.flat().join(), stale).toBe("");
});

test("two builds give the same bytes", async () => {
  const again = join(fresh, "..", "again");
  await build(again);
  for (const name of await filesIn(fresh)) {
    expect((await readFile(join(again, name))).equals(await readFile(join(fresh, name))), name).toBe(true);
  }
});

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

async function isSame(name: string): Promise<boolean> {
  const committed = join("dist", name);
  return existsSync(committed) && (await readFile(committed)).equals(await readFile(join(fresh, name)));
}
