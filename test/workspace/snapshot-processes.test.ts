import { appendFileSync, chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listChanges } from "../../src/workspace/changes.ts";
import { openCheckout } from "../../src/workspace/checkout.ts";
import { inspectPaths, protectPaths } from "../../src/workspace/protect.ts";
import { takeSnapshot } from "../../src/workspace/snapshot.ts";
import { takeStaged } from "../../src/workspace/stage.ts";
import { openPlayground } from "./playground.ts";

async function openCounted(files: Readonly<Record<string, string>> = {}) {
  const play = openPlayground({ files: { "a.txt": "a\n", "b.txt": "b\n", ...files } });
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
    git: async (args, more) => {
      started.push(args[0] ?? "");
      return await checkout.git(args, more);
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
  return { ...play, checkout, take, iterate, inspect };
}

test("an iteration stages its files once, and compares them again only where they changed", async () => {
  const { take, iterate, inspect, write, kept } = await openCounted();
  const base = (await take()).commit;
  await inspect(base);
  const first = await iterate(base, base);
  expect(first.started).toEqual(["add", "diff-index"]);
  const same = await iterate(base, first.commit);
  expect(same.started).toEqual(["add"]);
  write({ "b.txt": "changed\n" });
  const changed = await iterate(base, same.commit);
  expect(changed.started).toEqual(["add"]);
  expect(changed).toMatchObject({ restored: [], diff: { files: 1, added: 1, removed: 1, paths: ["b.txt"] } });
  const after = await iterate(base, changed.commit);
  expect(after.started).toEqual(["add"]);
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
    expect(taken.started.filter((command) => command.startsWith("diff"))).toEqual([]);
    const changes = await listChanges(checkout, base);
    const seen = changes.map(({ path, before, mode, object }) => `:${before} ${mode} ${object} ${path}`);
    const raw = kept("diff-tree", "-r", "--raw", "--no-abbrev", "--no-renames", base, taken.tree);
    const rows = raw.trimEnd().split("\n").filter(Boolean);
    expect(seen.sort()).toEqual(rows.map((row) => row.replace(/^(\S+ \S+) \S+ (\S+) \S\t/, "$1 $2 ")).sort());
  }
});

const ignoring = { ".gitignore": "*.log.test.js\n*.tmp\nnode_modules/\n", "src/c.js": "c\n" };

const unremarkable: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["a file that is ignored and not protected", { "x.tmp": "", "src/x.tmp": "" }],
  ["a file in a folder that was ignored before", { "node_modules/new/new.test.js": "" }],
  ["a file beside others that are ignored by themselves", { "mixed/deep/y.tmp": "" }],
];
test.each(unremarkable)("what git ignores takes no process: %s", async (_, files) => {
  const { base, iterate, write } = await openIgnoring();
  write(files);
  const { restored, started } = await iterate(base, base);
  expect({ restored, started }).toEqual({ restored: [], started: ["add"] });
});

const remarkable: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] = [
  ["in a folder with tracked files", { "src/x.log.test.js": "" }, ["src/x.log.test.js"]],
  ["at the top", { "x.log.test.js": "" }, ["x.log.test.js"]],
  ["in a new folder", { "new/x.log.test.js": "" }, ["new/x.log.test.js"]],
  ["beside files that are ignored by themselves", { "mixed/x.log.test.js": "" }, ["mixed/x.log.test.js"]],
  [
    "by a rule that ignores itself",
    { "src/.gitignore": "*.test.js\n.gitignore\n", "src/x.test.js": "" },
    ["src/x.test.js"],
  ],
];
test.each(remarkable)("a new protected file that git ignores is removed: %s", async (_, files, restored) => {
  const { base, iterate, write } = await openIgnoring();
  write(files);
  const seen = await iterate(base, base);
  expect(seen.restored).toEqual(restored);
  expect(seen.started).toContain("ls-files");
});

test("git is asked again what it ignores when the rules have changed", async () => {
  const { base, iterate, write } = await openIgnoring();
  write({ ".gitignore": `${ignoring[".gitignore"]}*.bak\n` });
  const changed = await iterate(base, base);
  const lists = ({ started }: typeof changed) => started.filter((command) => command === "ls-files").length;
  expect(lists(changed)).toBe(2);
  const after = await iterate(base, changed.commit);
  // Rules that differ from the commit's are compared with them each time.
  expect(lists(after)).toBe(1);
});

async function openIgnoring() {
  const opened = await openCounted(ignoring);
  opened.write({ "node_modules/a/a.test.js": "", "mixed/x.tmp": "", "mixed/deep/x.tmp": "" });
  const base = (await opened.take()).commit;
  await opened.inspect(base);
  await opened.iterate(base, base);
  return { ...opened, base };
}

test("folders are left out with another start of git only where something changed in them", async () => {
  const { take, write, kept } = await openCounted();
  const first = await take();
  write({ "b.txt": "changed\n" });
  const second = await take(first.commit, ["private"]);
  expect(second.started).toEqual(["add"]);
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

test("a snapshot starts git once, and again only to count the lines of a change in several places", async () => {
  const { take, write, kept } = await openCounted();
  const first = await take();
  const same = await take(first.commit);
  expect(same.started).toEqual(["add"]);
  expect(same).toMatchObject({ tree: first.tree, diff: { files: 0 } });
  write({ "a.txt": "changed\n", "new.txt": "new\n" });
  const changed = await take(same.commit);
  expect(changed.started).toEqual(["add"]);
  expect(changed.diff).toEqual({ files: 2, added: 2, removed: 1, paths: ["a.txt", "new.txt"] });
  write({ "a.txt": "changed\nsame\nlast\n" });
  const longer = await take(changed.commit);
  expect(longer).toMatchObject({ started: ["add"], diff: { files: 1, added: 2, removed: 0 } });
  write({ "a.txt": "other\nsame\nend\n" });
  const twice = await take(longer.commit);
  expect(twice).toMatchObject({ started: ["add", "diff-index"], diff: { files: 1, added: 2, removed: 2 } });
  expect((await take(twice.commit)).started).toEqual(["add"]);
  expect(kept("rev-list", "--count", twice.commit).trim()).toBe("6");
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
