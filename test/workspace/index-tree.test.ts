import { chmodSync, copyFileSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openCheckout } from "../../src/workspace/checkout.ts";
import { parseIndex, readIndexFile } from "../../src/workspace/index-file.ts";
import { takeSnapshot } from "../../src/workspace/snapshot.ts";
import { openPlayground, runGit, writeFiles } from "./playground.ts";

async function open(format: "sha1" | "sha256" = "sha1") {
  const { top, root } = openPlayground();
  rmSync(join(top, ".git"), { recursive: true });
  runGit(top, "init", "-q", `--object-format=${format}`);
  writeFiles(top, { "a.txt": "a\n", "b/c.txt": "c\n", "b/d/e.txt": "e\n", "f/g.txt": "g\n" });
  runGit(top, "add", "--all");
  runGit(top, "commit", "-q", "-m", "start");
  const signal = AbortSignal.timeout(60_000);
  const opened = await openCheckout({ dir: join(root, "private"), workspace: top, signal, secrets: [] });
  const started: string[] = [];
  const checkout: typeof opened = {
    ...opened,
    git: (args, more) => {
      started.push(args[0] ?? "");
      return opened.git(args, more);
    },
  };
  let since: string | undefined;
  return {
    top,
    started,
    checkout: opened,
    async take() {
      started.length = 0;
      const taken = await takeSnapshot(checkout, { since, message: "iteration" });
      since = taken.commit;
      return taken;
    },
    /** What git itself makes of a copy of the index. */
    async expected() {
      const copy = `${opened.index}-copy`;
      copyFileSync(opened.index, copy);
      const { out } = await opened.git(["write-tree"], { env: { GIT_INDEX_FILE: copy } });
      await opened.git(["fsck", "--strict", "--no-dangling"]);
      return out.trim();
    },
  };
}

const steps: readonly (readonly [string, (top: string) => void])[] = [
  ["a file in each of two folders", (top) => writeFiles(top, { "b/c.txt": "x\n", "f/g.txt": "y\n" })],
  ["names that sort by what follows", (top) => writeFiles(top, { "b.txt": "", "b-": "", b0: "", b1: "" })],
  ["names in other scripts", (top) => writeFiles(top, { "ä/ö ü.txt": "x\n", "ä.txt": "", "日/本": "" })],
  ["an executable file", (top) => chmodSync(join(top, "a.txt"), 0o755)],
  ["a link", (top) => symlinkSync("a.txt", join(top, "b/link"))],
  ["a folder that goes", (top) => rmSync(join(top, "b/d"), { recursive: true })],
  ["a file in its place", (top) => writeFiles(top, { "b/d": "a file\n" })],
  [
    "a folder in the place of that",
    (top) => {
      rmSync(join(top, "b/d"));
      writeFiles(top, { "b/d/e/f": "x\n" });
    },
  ],
  ["a file of no bytes, deep", (top) => writeFiles(top, { "one/two/three/four.txt": "" })],
  [
    "all that goes but one",
    (top) => ["b", "one", "f"].map((name) => rmSync(join(top, name), { recursive: true })),
  ],
];
test.each(["sha1", "sha256"] as const)(
  "trees are those of git, with %s",
  async (format) => {
    const { top, take, expected, started } = await open(format);
    await take();
    for (const [what, change] of steps) {
      change(top);
      const { tree } = await take();
      expect.soft(started, what).toEqual(["add"]);
      expect.soft(tree, what).toBe(await expected());
    }
  },
  120_000,
);

test.each([
  ["of version 4", ["update-index", "--index-version", "4"]],
  ["that is split", ["update-index", "--split-index"]],
])("git writes the tree of an index %s", async (_, args) => {
  const { top, take, checkout, expected, started } = await open();
  await checkout.git(args);
  await take();
  writeFiles(top, { "b/c.txt": "x\n" });
  const { tree } = await take();
  expect(started).toContain("write-tree");
  expect(tree).toBe(await expected());
});

test("an index that ends too early, or holds what is no file, is not read", async () => {
  const { checkout, take } = await open();
  await take();
  const whole = readFileSync(checkout.index);
  expect(parseIndex(whole)?.size).toBe(3);
  for (let length = 0; length < whole.length; length += 7)
    expect(parseIndex(whole.subarray(0, length))).toBeUndefined();
  const odd = Buffer.from(whole);
  odd.writeUInt32BE(0o40000, 12 + 24);
  expect(parseIndex(odd)).toBeUndefined();
});

test("the files of the last indexes are remembered, and of no more than eight", async () => {
  const { checkout, take } = await open();
  await take();
  const first = await readIndexFile(checkout);
  expect(first?.size).toBe(3);
  expect(await readIndexFile(checkout)).toBe(first);
  for (let number = 0; number < 8; number += 1) {
    const index = `${checkout.index}-${number}`;
    copyFileSync(checkout.index, index);
    await readIndexFile({ index });
  }
  const again = await readIndexFile(checkout);
  expect(again).not.toBe(first);
  expect(again).toEqual(first);
});
