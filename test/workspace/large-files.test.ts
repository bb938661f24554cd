import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openCheckout, unlockStore } from "../../src/workspace/checkout.ts";
import { findLarge } from "../../src/workspace/large-files.ts";
import { takeSnapshot } from "../../src/workspace/snapshot.ts";
import { openPlayground } from "./playground.ts";

const sizes = { accepted: 100, searched: 130, stored: 1_000_000 };
const sized = (size: number) => "x".repeat(size);

async function open(files: Readonly<Record<string, string>>, secrets: readonly string[] = []) {
  const play = openPlayground({ files });
  const dir = join(play.root, "private/run-0001");
  const signal = AbortSignal.timeout(60_000);
  const checkout = await openCheckout({ dir, workspace: play.workspace, signal, secrets });
  const take = (since?: string) => takeSnapshot(checkout, { since, message: "iteration", sizes });
  return { ...play, checkout, take };
}

test("a file that GitHub would refuse is named when it changes", async () => {
  const { write, take } = await open({ "a.txt": "a\n" });
  write({ "large.bin": sized(101), "most.bin": sized(100) });
  const first = await take();
  expect(first.large).toEqual([{ path: "large.bin", size: 101, kept: true }]);
  expect(first.diff.paths).toEqual(["large.bin", "most.bin"]);
  write({ "a.txt": "b\n" });
  expect((await take(first.commit)).large).toBeUndefined();
});

test("one that is too large to be searched for keys is named as large, not as a secret", async () => {
  const secret = "sk-secret-0123456789";
  const { write, take, kept } = await open({ "huge.bin": "before" }, [secret]);
  write({ "b.txt": secret, "huge.bin": sized(131), "large.bin": `${secret}${sized(101)}` });
  const { commit, large, withheld } = await take();
  expect(large).toEqual([
    { path: "huge.bin", size: 131, kept: false },
    { path: "large.bin", size: 121, kept: false },
  ]);
  expect(withheld).toEqual(["b.txt", "large.bin"]);
  expect(kept("show", `${commit}:huge.bin`)).toBe("before");
});

test("one that git stores as something small, such as a pointer of Git LFS, is not large", async () => {
  const { checkout, write, git } = await open({ "pointer.txt": "oid sha256:1\n" });
  write({ "large.bin": sized(101) });
  const object = git("rev-parse", "HEAD:pointer.txt").trim();
  expect(await findLarge(checkout, [{ path: "large.bin", mode: "100644", object }], sizes)).toEqual([]);
});

test("the size of the snapshots is reported when it is large, and again when it has doubled", async () => {
  const { checkout, take } = await open({ "a.txt": "a\n" });
  const packs = join(checkout.store, "objects/pack");
  mkdirSync(packs, { recursive: true });
  const sizes: (number | undefined)[] = [];
  let since: string | undefined;
  for (const [at, size] of [999_999, 1, 999_999, 1, 1].entries()) {
    writeFileSync(join(packs, `${at}.keep`), "x".repeat(size));
    writeFileSync(join(checkout.top, "a.txt"), `${at}\n`);
    const { commit, stored } = await take(since);
    sizes.push(stored);
    since = commit;
  }
  expect(sizes).toEqual([undefined, 1_000_000, undefined, 2_000_000, undefined]);
});

test("each version of a large file is stored once, however often it is looked at", {
  timeout: 60_000,
}, async () => {
  const { checkout, take } = await open({ "a.txt": "a\n" });
  let since: string | undefined;
  for (let version = 0; version < 2; version += 1) {
    writeFileSync(join(checkout.top, "large.bin"), Buffer.alloc(65 * 1024 * 1024, version));
    for (let look = 0; look < 2; look += 1) since = (await take(since)).commit;
  }
  const packs = readdirSync(join(checkout.store, "objects/pack"));
  expect(packs.filter((name) => name.endsWith(".pack"))).toHaveLength(2);
});

test("a pack that a killed git was writing is removed when the run continues", async () => {
  const { checkout } = await open({ "a.txt": "a\n" });
  const packs = join(checkout.store, "objects/pack");
  mkdirSync(packs, { recursive: true });
  for (const name of ["tmp_pack_Ab12Cd", "pack-1.idx"]) writeFileSync(join(packs, name), "x");
  await unlockStore(checkout.dir);
  expect(existsSync(join(packs, "tmp_pack_Ab12Cd"))).toBe(false);
  expect(existsSync(join(packs, "pack-1.idx"))).toBe(true);
});

test.runIf(platform() === "linux")(
  "a sparse file larger than the free space is an error with a remedy, and does not hold the run for hours",
  async () => {
    const { write, take, top } = await open({ "a.txt": "a\n" });
    write({ "disk.img": "x" });
    truncateSync(join(top, "disk.img"), 8 * 2 ** 40);
    await expect(take()).rejects.toThrow(
      /disk\.img is a sparse file of 8192 GiB, more than its disk has free, .*remove it, or list it in \.gitignore/,
    );
    rmSync(join(top, "disk.img"));
    write({ "a.txt": "b\n" });
    expect((await take()).diff.paths).toEqual(["a.txt"]);
  },
);
