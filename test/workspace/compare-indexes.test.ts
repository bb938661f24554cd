import { chmodSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readChanges } from "../../src/workspace/changes.ts";
import { openCheckout } from "../../src/workspace/checkout.ts";
import { compareIndexes } from "../../src/workspace/compare-indexes.ts";
import { countLines } from "../../src/workspace/count-lines.ts";
import { readIndexFile } from "../../src/workspace/index-file.ts";
import { fc } from "../parts/random.ts";
import { openPlayground, runGit, writeFiles } from "./playground.ts";

async function open(files: Readonly<Record<string, string>>) {
  const { top, root } = openPlayground({ files });
  const signal = AbortSignal.timeout(60_000);
  const checkout = await openCheckout({ dir: join(root, "private"), workspace: top, signal, secrets: [] });
  const stage = async () => {
    await checkout.git(["add", "--all"]);
    const tree = (await checkout.git(["write-tree"])).out.trim();
    return { files: readIndexFile(checkout) ?? new Map(), tree };
  };
  let last = await stage();
  return {
    top,
    /** What we find, and what git finds, since the last time. */
    async compare() {
      const before = last;
      last = await stage();
      const ours = compareIndexes(checkout, before.files);
      return { ours, gits: await readChanges(checkout, ["diff-tree", before.tree, last.tree]) };
    },
  };
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `line ${from + at}\n`).join("");
const write = (files: Readonly<Record<string, string>>) => (top: string) => writeFiles(top, files);

const steps: readonly (readonly [string, (top: string) => void])[] = [
  ["new files", write({ "one.txt": numbered(0, 30), "two.txt": "no end of line", "empty.txt": "" })],
  ["a line in the middle", write({ "one.txt": `${numbered(0, 12)}other\n${numbered(13, 30)}` })],
  ["lines that are gone", write({ "one.txt": numbered(0, 5) })],
  ["lines at the end", write({ "one.txt": numbered(0, 9) })],
  ["lines that repeat", write({ "one.txt": `${numbered(0, 9)}${numbered(0, 9)}` })],
  ["an end of line", write({ "two.txt": "no end of line\n" })],
  ["other ends of lines", write({ "two.txt": "no end of line\r\n" })],
  ["a binary file", write({ "two.txt": "a\0b\n" })],
  ["a NUL far behind", write({ "empty.txt": `${"x".repeat(8000)}\n\0\n` })],
  ["a mode", (top) => chmodSync(join(top, "one.txt"), 0o755)],
  ["a link", (top) => symlinkSync("one.txt", join(top, "link"))],
  ["a name that is not UTF-8", (top) => writeFileSync(Buffer.from(`${top}/\xff\xfe`, "latin1"), "x\n")],
  ["a folder", write({ "dir/a": "1\n", "dir/b/c": "2\n", "dir.txt": "3\n", "dir-": "4\n" })],
  ["a removed folder", (top) => rmSync(join(top, "dir"), { recursive: true })],
  ["a file in its place", write({ dir: "x\n" })],
  ["removed files", (top) => ["one.txt", "two.txt", "link"].map((name) => rmSync(join(top, name)))],
];
test("the changes between two readings of an index are git's", async () => {
  const { top, compare } = await open({ "a.txt": "a\n" });
  for (const [what, change] of steps) {
    change(top);
    const { ours, gits } = await compare();
    expect.soft(gits, what).not.toEqual([]);
    expect.soft(ours, what).toEqual(gits);
  }
});

const others: readonly (readonly [string, (top: string) => void])[] = [
  ["two pieces", write({ "a.txt": "x\nb\ny\n" })],
  ["a link in the place of a file", linked],
  ["attributes", write({ "sub/.gitattributes": "*.txt binary\n", "c.txt": "c\n" })],
  [
    "many files",
    write(Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`many/${at}.txt`, `${at}\n`]))),
  ],
  ["a file that is only in a pack", packed],
  ["a submodule", nested],
];
test.each(others)("git finds the changes itself: %s", async (_, change) => {
  const { top, compare } = await open({ "a.txt": "a\nb\nc\n" });
  change(top);
  const { ours, gits } = await compare();
  expect(gits).not.toEqual([]);
  expect(ours).toBeUndefined();
});

function linked(top: string) {
  rmSync(join(top, "a.txt"));
  symlinkSync("b", join(top, "a.txt"));
}

function packed(top: string) {
  runGit(top, "gc", "--quiet", "--prune=now");
  writeFiles(top, { "a.txt": "a\n" });
}

function nested(top: string) {
  const inside = join(top, "inside");
  writeFiles(inside, { "x.txt": "x\n" });
  runGit(inside, "init", "-q");
  runGit(inside, "add", "--all");
  runGit(inside, "commit", "-q", "-m", "start");
}

test("where lines are counted, git counts the same", async () => {
  const { top, compare } = await open({ "a.txt": "" });
  const text = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "d\n", "\n"), { maxLength: 8 });
  const texts = fc.sample(fc.array(text, { minLength: 20, maxLength: 20 }), { numRuns: 8, seed: 5 });
  const last = new Map<number, string>();
  let counted = 0;
  for (const round of texts) {
    writeFiles(top, Object.fromEntries(round.map((lines, at) => [`${at}.txt`, lines.join("")])));
    const { gits } = await compare();
    for (const { path, added, removed } of gits) {
      const at = Number.parseInt(path, 10);
      const before = Buffer.from(last.get(at) ?? "");
      const ours = countLines(before, Buffer.from(round[at]?.join("") ?? ""));
      if (ours === undefined) continue;
      counted += 1;
      expect(ours).toEqual({ added, removed });
    }
    for (const [at, lines] of round.entries()) last.set(at, lines.join(""));
  }
  expect(counted).toBeGreaterThan(60);
});
