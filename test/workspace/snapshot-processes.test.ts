import { appendFileSync, chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openCheckout } from "../../src/workspace/checkout.ts";
import { takeSnapshot } from "../../src/workspace/snapshot.ts";
import { openPlayground } from "./playground.ts";

async function openCounted() {
  const play = openPlayground({ files: { "a.txt": "a\n", "b.txt": "b\n" } });
  const dir = join(play.root, "private/run-0001");
  const opened = {
    dir,
    workspace: play.top,
    signal: AbortSignal.timeout(20_000),
    secrets: ["hunter2hunter2"],
  };
  const checkout = await openCheckout(opened);
  const started: string[] = [];
  const counted: typeof checkout = {
    ...checkout,
    git: (args, more) => {
      started.push(args[0] ?? "");
      return checkout.git(args, more);
    },
  };
  const take = async (since?: string) => {
    started.length = 0;
    const snapshot = await takeSnapshot(counted, { since, message: "iteration" });
    return { ...snapshot, started: [...started] };
  };
  return { ...play, checkout, take };
}

test("a snapshot starts git once where nothing changed, and three times where something did", async () => {
  const { take, write, kept } = await openCounted();
  const first = await take();
  const same = await take(first.commit);
  expect(same.started).toEqual(["add"]);
  expect(same).toMatchObject({ tree: first.tree, diff: { files: 0 } });
  write({ "a.txt": "changed\n", "new.txt": "new\n" });
  const changed = await take(same.commit);
  expect(changed.started.toSorted()).toEqual(["add", "diff-index", "write-tree"]);
  expect(changed.diff).toEqual({ files: 2, added: 2, removed: 1, paths: ["a.txt", "new.txt"] });
  expect((await take(changed.commit)).started).toEqual(["add"]);
  expect(kept("rev-list", "--count", changed.commit).trim()).toBe("4");
  expect(kept("fsck", "--strict", "--no-dangling")).toBe("");
});

const ways: readonly (readonly [string, (top: string) => void])[] = [
  ["a byte", (top) => appendFileSync(join(top, "a.txt"), "x")],
  ["a mode", (top) => chmodSync(join(top, "a.txt"), 0o755)],
  ["a removed file", (top) => rmSync(join(top, "a.txt"))],
];
test.each(ways)("a snapshot is never taken for its predecessor: %s changed", async (_, change) => {
  const { take, top } = await openCounted();
  const first = await take();
  change(top);
  const second = await take(first.commit);
  expect(second.tree).not.toBe(first.tree);
  expect(second.diff.paths).toEqual(["a.txt"]);
});

test("an index that another process wrote is read again", async () => {
  const { take, write, checkout } = await openCounted();
  const first = await take();
  write({ "a.txt": "changed\n" });
  await checkout.git(["add", "a.txt"]);
  const second = await take(first.commit);
  expect(second.diff.paths).toEqual(["a.txt"]);
});

test("a file with a secret stays out of the next snapshot too, though nothing changed", async () => {
  const { take, write, kept } = await openCounted();
  const first = await take();
  write({ "a.txt": "the key is hunter2hunter2\n" });
  const second = await take(first.commit);
  const third = await take(second.commit);
  for (const { commit, withheld } of [second, third]) {
    expect(withheld).toEqual(["a.txt"]);
    expect(kept("show", `${commit}:a.txt`)).toBe("a\n");
  }
});
