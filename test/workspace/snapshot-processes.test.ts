import { appendFileSync, chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { listChanges } from "../../src/workspace/changes.ts";
import { openCheckout } from "../../src/workspace/checkout.ts";
import { inspectPaths, protectPaths } from "../../src/workspace/protect.ts";
import { takeSnapshot } from "../../src/workspace/snapshot.ts";
import { takeStaged } from "../../src/workspace/stage.ts";
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
  /** By the name of a process: one that must have started before it may end, as they run side by side. */
  const beside = new Map<string, string>();
  const counted: typeof checkout = {
    ...checkout,
    git: async (args, more) => {
      const name = args[0] ?? "";
      started.push(name);
      const ended = await checkout.git(args, more);
      const other = beside.get(name);
      if (other !== undefined) await vi.waitUntil(() => started.includes(other), { timeout: 20_000 });
      return ended;
    },
  };
  const take = async (since?: string, leaveOut: readonly string[] = []) => {
    started.length = 0;
    const snapshot = await takeSnapshot(counted, { since, message: "iteration", leaveOut });
    return { ...snapshot, started: [...started] };
  };
  const guard = { scripts: ["npm test"], allow: [], tests: true };
  /** What an iteration asks for: its protected files are compared with a commit, then a snapshot is taken. */
  const iterate = async (base: string, since: string) => {
    started.length = 0;
    const restored = await protectPaths(counted, { commit: base, globs: ["a.txt"], guard });
    const snapshot = await takeSnapshot(counted, {
      since,
      message: "iteration",
      staged: await takeStaged(counted),
    });
    return { ...snapshot, restored, started: [...started] };
  };
  const inspect = (base: string) => inspectPaths(counted, { commit: base, globs: ["a.txt"], guard });
  return { ...play, checkout, take, iterate, inspect, beside };
}

test("an iteration stages its files once, and compares them again only where they changed", async () => {
  const { take, iterate, inspect, write, kept, beside } = await openCounted();
  const base = (await take()).commit;
  await inspect(base);
  const first = await iterate(base, base);
  expect(first.started.toSorted()).toEqual(["add", "diff-index", "ls-files"]);
  const same = await iterate(base, first.commit);
  expect(same.started.toSorted()).toEqual(["add", "ls-files"]);
  write({ "b.txt": "changed\n" });
  beside.set("add", "ls-files").set("write-tree", "diff-index");
  const changed = await iterate(base, same.commit);
  expect(changed.started.toSorted()).toEqual(["add", "diff-index", "ls-files", "write-tree"]);
  expect(changed).toMatchObject({ restored: [], diff: { files: 1, added: 1, removed: 1, paths: ["b.txt"] } });
  const after = await iterate(base, changed.commit);
  expect(after.started.toSorted()).toEqual(["add", "ls-files"]);
  expect(kept("show", `${after.commit}:b.txt`)).toBe("changed\n");
});

test("what differs from a commit follows from the last snapshot and what is new since then", async () => {
  const { checkout, take, iterate, inspect, write, top, kept } = await openCounted();
  const base = (await take()).commit;
  await inspect(base);
  let last = (await iterate(base, base)).commit;
  const steps: readonly (() => void)[] = [
    () => write({ "b.txt": "b\nmore\n", "new.txt": "new\n", "dir/x.txt": "x\n" }),
    () => write({ "b.txt": "b\n", "dir/x.txt": "y\n" }),
    () => chmodSync(join(top, "new.txt"), 0o755),
    () => rmSync(join(top, "dir"), { recursive: true }),
    () => write({ dir: "a file in the place of a folder\n" }),
    () => rmSync(join(top, "b.txt")),
    () => write({ "b.txt": "b\n", "new.txt": "other\n" }),
  ];
  for (const step of steps) {
    step();
    const taken = await iterate(base, last);
    last = taken.commit;
    expect(taken.started).not.toContain("diff-tree");
    expect(taken.started.filter((command) => command === "diff-index")).toHaveLength(1);
    const said = await listChanges(checkout, base);
    const seen = said.map(({ path, before, mode, object }) => `:${before} ${mode} ${object} ${path}`);
    const raw = kept("diff-tree", "-r", "--raw", "--no-abbrev", "--no-renames", base, taken.tree);
    const rows = raw.trimEnd().split("\n").filter(Boolean);
    expect(seen.sort()).toEqual(rows.map((row) => row.replace(/^(\S+ \S+) \S+ (\S+) \S\t/, "$1 $2 ")).sort());
  }
});

test("folders are left out with another start of git only where something changed in them", async () => {
  const { take, write, kept } = await openCounted();
  const first = await take();
  write({ "b.txt": "changed\n" });
  const second = await take(first.commit, ["private"]);
  expect(second.started.toSorted()).toEqual(["add", "diff-index", "write-tree"]);
  write({ "b.txt": "again\n", "private/x.txt": "x\n" });
  const third = await take(second.commit, ["private"]);
  expect(third.started).toContain("reset");
  expect(third.diff.paths).toEqual(["b.txt"]);
  expect(kept("ls-tree", "-r", "--name-only", third.commit)).not.toContain("private");
});

test("a snapshot after files were restored holds them as they were", async () => {
  const { take, iterate, inspect, write, kept } = await openCounted();
  const base = (await take()).commit;
  await inspect(base);
  await iterate(base, base);
  write({ "a.txt": "tampered\n", "b.txt": "changed\n" });
  const restored = await iterate(base, base);
  expect(restored).toMatchObject({ restored: ["a.txt"], diff: { paths: ["b.txt"] } });
  expect(kept("show", `${restored.commit}:a.txt`)).toBe("a\n");
});

test("what was staged serves one request, and none after the index was written", async () => {
  const { take, inspect, iterate, checkout, write } = await openCounted();
  const base = (await take()).commit;
  await inspect(base);
  const protect = () => protectPaths(checkout, { commit: base, globs: ["a.txt"] });
  await iterate(base, base);
  expect(await takeStaged(checkout)).toBeUndefined();
  await protect();
  write({ "b.txt": "changed\n" });
  await checkout.git(["add", "b.txt"]);
  expect(await takeStaged(checkout)).toBeUndefined();
});

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
