import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { gitWorkspace } from "../../src/workspace/workspace.ts";
import { commitOf, openPlayground, type Playground, runGit, writeFiles } from "./playground.ts";

const files = { ".gitignore": "node_modules\n", "a.txt": "1\n2\n3\n4\n5\n", "b.txt": "b\n" };

describe("a fork", () => {
  test("is a checkout of its own with the same branch and the same uncommitted changes", async () => {
    const { ask, write, git, remove } = openPlayground({ files });
    write({ "a.txt": "changed\n", "new.txt": "new\n" });
    remove("b.txt");
    const { path = "" } = await ask({ op: "fork", name: "deploy#1" });
    expect(runGit(path, "status", "--porcelain", "--branch")).toBe(git("status", "--porcelain", "--branch"));
    expect(runGit(path, "log", "--format=%s")).toBe("start\n");
    expect(runGit(path, "rev-parse", "--show-toplevel").trim()).toBe(path);
    runGit(path, "commit", "-qam", "in the fork");
    expect(git("log", "--format=%s")).toBe("start\n");
  });

  test("is at the same commit if HEAD is detached, and at none if there is none", async () => {
    const detached = openPlayground({ files });
    detached.git("checkout", "-q", "--detach");
    const one = await detached.ask({ op: "fork", name: "one" });
    expect(runGit(one.path ?? "", "rev-parse", "HEAD")).toBe(detached.git("rev-parse", "HEAD"));
    const empty = openPlayground();
    empty.write({ "a.txt": "a" });
    const two = await empty.ask({ op: "fork", name: "two" });
    expect(runGit(two.path ?? "", "status", "--porcelain", "--branch")).toBe(
      "## No commits yet on main\n?? a.txt\n",
    );
  });

  test("is the same folder of the checkout as the workspace", async () => {
    const { ask } = openPlayground({ files, below: "pkg/inner" });
    const { path = "" } = await ask({ op: "fork", name: "one" });
    expect(path.endsWith("/pkg/inner")).toBe(true);
    expect(readdirSync(join(path, "../..")).toSorted()).toEqual([
      ".git",
      ".gitignore",
      "a.txt",
      "b.txt",
      "pkg",
    ]);
  });

  test("keeps snapshots that outlive it, commits of its agent and all", async () => {
    const { ask, snapshot, kept } = openPlayground({ files });
    const { path = "", commit: from = "" } = await ask({ op: "fork", name: "one" });
    writeFiles(path, { "c.txt": "c\n" });
    runGit(path, "add", "c.txt");
    runGit(path, "commit", "-qm", "by the agent");
    const { commit = "", diff } = await snapshot(undefined, path);
    expect(diff?.paths).toEqual(["c.txt"]);
    await ask({ op: "join", name: "one", from });
    expect(existsSync(path)).toBe(false);
    expect(kept("show", `${commit}:c.txt`)).toBe("c\n");
    kept("fsck", "--connectivity-only");
  });

  test("can be forked itself", async () => {
    const { ask, read } = openPlayground({ files });
    const outer = await ask({ op: "fork", name: "outer" });
    writeFiles(outer.path ?? "", { "outer.txt": "o\n" });
    runGit(outer.path ?? "", "add", "--all");
    runGit(outer.path ?? "", "commit", "-qm", "in the outer fork");
    const inner = await ask({ op: "fork", name: "inner" }, outer.path);
    writeFiles(inner.path ?? "", { "inner.txt": "i\n" });
    const joined = await ask({ op: "join", name: "inner", from: inner.commit ?? "" }, outer.path);
    expect(joined.diff?.paths).toEqual(["inner.txt"]);
    await ask({ op: "join", name: "outer", from: outer.commit ?? "" });
    expect([read("outer.txt"), read("inner.txt")]).toEqual(["o\n", "i\n"]);
  });
});

test("a fresh clone may be on another file system than the checkout", async () => {
  const { root, top, snapshot } = openPlayground({ files });
  const commit = await commitOf(snapshot());
  // In memory, where the system has such a folder.
  const elsewhere = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "clone-"));
  onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
  const keeper = gitWorkspace({ privateDir: (runId) => join(root, "private", runId) });
  const { workspace } = await keeper.clone(
    {
      commit,
      base: commit,
      parent: join(elsewhere, "checkout"),
      guard: { scripts: [], allow: [], tests: false },
    },
    { runId: "run-0001", workspace: top, signal: AbortSignal.timeout(20_000) },
  );
  expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe(files["a.txt"]);
  expect(runGit(workspace, "status", "--porcelain")).toBe("");
});

test("a fresh clone that a setup prepares has no installed packages that came since the loop began", async () => {
  const { root, top, snapshot, write } = openPlayground({
    files: { ".gitignore": "", "package-lock.json": "{}", "packages/old/node_modules/a.js": "kept\n" },
  });
  const base = await commitOf(snapshot());
  const added = ["node_modules/mocha/index.js", "vendor/composer/installed.json", "deps/plug/mix.exs"];
  const code = ["src/deps/list.js", "test/fixtures/x/node_modules/y.js"];
  write(
    Object.fromEntries([...added, ...code, "packages/old/node_modules/b.js"].map((path) => [path, "x\n"])),
  );
  const commit = await commitOf(snapshot());
  const keeper = gitWorkspace({ privateDir: (runId) => join(root, "private", runId) });
  const { workspace } = await keeper.clone(
    { commit, base, parent: join(root, "clone"), guard: { scripts: ["npm test"], allow: [], tests: false } },
    { runId: "run-0001", workspace: top, signal: AbortSignal.timeout(20_000) },
  );
  const isThere = (path: string) => existsSync(join(workspace, path));
  expect(added.filter(isThere)).toEqual([]);
  expect(code.filter((path) => !isThere(path))).toEqual([]);
  expect(isThere("packages/old/node_modules/b.js")).toBe(true);
});

test("in a fresh clone, new files are older than the files from before, so that make builds them again", async () => {
  const play = openPlayground({ files: { "a.c": "a\n" } });
  const base = await commitOf(play.snapshot());
  play.write({ unit: "x\n", "b.c": "b\n", "a.c": "b\n" });
  const commit = await commitOf(play.snapshot());
  const keeper = gitWorkspace({ privateDir: (runId) => join(play.root, "private", runId) });
  const { workspace } = await keeper.clone(
    { commit, base, parent: join(play.root, "clone"), guard: { scripts: [], allow: [], tests: false } },
    { runId: "run-0001", workspace: play.top, signal: AbortSignal.timeout(20_000) },
  );
  const made = (path: string) => statSync(join(workspace, path)).mtimeMs;
  expect(made("unit")).toBeLessThan(made("a.c") - 1000);
  expect(made("b.c")).toBe(made("unit"));
});

test("a fresh clone has nothing that a build made, even if the agent committed it", async () => {
  const play = openPlayground({ files: { ".gitignore": "dist/\nbuild\ntester\n*.log\n", "a.c": "a\n" } });
  const base = await commitOf(play.snapshot());
  const built = ["a.o", "dist/a.js", "dist/test/a.test.js", "build/x", "tester", "tsconfig.tsbuildinfo"];
  const code = ["src/build/list.js", "b.c", "run.log", "bin/start"];
  play.write({ ".gitignore": "", ...Object.fromEntries([...built, ...code].map((path) => [path, "x\n"])) });
  for (const path of ["tester", "bin/start"]) chmodSync(join(play.top, path), 0o755);
  const commit = await commitOf(play.snapshot());
  const keeper = gitWorkspace({ privateDir: (runId) => join(play.root, "private", runId) });
  const { workspace } = await keeper.clone(
    { commit, base, parent: join(play.root, "clone"), guard: { scripts: [], allow: [], tests: false } },
    { runId: "run-0001", workspace: play.top, signal: AbortSignal.timeout(20_000) },
  );
  const isThere = (path: string) => existsSync(join(workspace, path));
  expect(built.filter(isThere)).toEqual([]);
  expect(code.filter((path) => !isThere(path))).toEqual([]);
});

describe("joining", () => {
  test("merges changes of several forks into a workspace that changed meanwhile", async () => {
    const { ask, write, read, git } = openPlayground({ files });
    write({ "mine.txt": "before\n" });
    const one = await ask({ op: "fork", name: "one" });
    const two = await ask({ op: "fork", name: "two" });
    writeFiles(one.path ?? "", { "a.txt": "ONE\n2\n3\n4\n5\n", "one/new.txt": "1\n" });
    writeFiles(two.path ?? "", { "a.txt": "1\n2\n3\n4\nTWO\n" });
    rmSync(join(two.path ?? "", "b.txt"));
    write({ "mine.txt": "meanwhile\n", "node_modules/p.js": "installed" });
    const head = git("rev-parse", "HEAD");
    const first = await ask({ op: "join", name: "one", from: one.commit ?? "" });
    const second = await ask({ op: "join", name: "two", from: two.commit ?? "" });
    expect(first.diff?.paths).toEqual(["a.txt", "one/new.txt"]);
    expect(second.diff).toEqual({ files: 2, added: 1, removed: 2, paths: ["a.txt", "b.txt"] });
    expect([read("a.txt"), read("mine.txt"), read("one/new.txt"), read("node_modules/p.js")]).toEqual([
      "ONE\n2\n3\n4\nTWO\n",
      "meanwhile\n",
      "1\n",
      "installed",
    ]);
    expect(git("status", "--porcelain")).toBe(" M a.txt\n D b.txt\n?? mine.txt\n?? one/\n");
    expect(git("rev-parse", "HEAD")).toBe(head);
  });

  test("with a conflict changes nothing, names the paths, and keeps the fork's last snapshot", async () => {
    const { ask, write, read, git, kept } = openPlayground({ files });
    const { path = "", commit: from = "" } = await ask({ op: "fork", name: "one" });
    writeFiles(path, { "a.txt": "fork\n2\n3\n4\n5\n", "b.txt": "fork\n", "c.txt": "c\n" });
    write({ "a.txt": "mine\n2\n3\n4\n5\n" });
    rmSync(join(path, "../../../../checkout/b.txt"));
    const before = git("status", "--porcelain");
    const { conflicts, commit = "" } = await ask({ op: "join", name: "one", from });
    expect(conflicts).toEqual(["a.txt", "b.txt"]);
    expect(git("status", "--porcelain")).toBe(before);
    expect(read("a.txt")).toBe("mine\n2\n3\n4\n5\n");
    expect(existsSync(path)).toBe(false);
    expect(kept("show", `${commit}:c.txt`)).toBe("c\n");
  });

  test("again, by a process that did not hear the answer, answers the same", async () => {
    const { ask, root, top } = openPlayground({ files });
    const { path = "", commit: from = "" } = await ask({ op: "fork", name: "one" });
    writeFiles(path, { "c.txt": "c\n" });
    const answer = await ask({ op: "join", name: "one", from });
    const other = gitWorkspace({ privateDir: (runId) => join(root, "private", runId) });
    const context = { runId: "run-0001", workspace: top, signal: AbortSignal.timeout(20_000) };
    expect(await other.handle({ op: "join", name: "one", from }, context)).toEqual(answer);
  });

  test("a fork whose name is used again starts over", async () => {
    const { ask, read } = openPlayground({ files });
    for (const text of ["first\n", "second\n"]) {
      const { path = "", commit: from = "" } = await ask({ op: "fork", name: "/deploy#1" });
      writeFiles(path, { "b.txt": text });
      expect((await ask({ op: "join", name: "/deploy#1", from })).diff?.paths).toEqual(["b.txt"]);
      expect(read("b.txt")).toBe(text);
    }
  });

  test("does not mistake the workspace for a fork that lost its .git", async () => {
    const playground = openPlayground({ files });
    const { path = "", commit: from = "" } = await playground.ask({ op: "fork", name: "one" });
    rmSync(join(path, ".git"), { recursive: true });
    writeFiles(path, { "c.txt": "c\n" });
    expect((await playground.ask({ op: "join", name: "one", from })).diff?.paths).toEqual(["c.txt"]);
  });

  test("a fork that is not here is an error that says so", async () => {
    const playground: Playground = openPlayground({ files });
    const from = await commitOf(playground.snapshot());
    const asked = playground.ask({ op: "join", name: "gone", from });
    await expect(asked).rejects.toThrow("the fork gone is not here");
    expect(readFileSync(join(playground.top, "b.txt"), "utf8")).toBe("b\n");
  });
});

describe("closing", () => {
  test("keeps what each fork left under a ref of its own, and one of them can still be joined", async () => {
    const { ask, read, kept } = openPlayground({ files });
    const one = await ask({ op: "fork", name: "fix-1" });
    const two = await ask({ op: "fork", name: "fix-2" });
    writeFiles(one.path ?? "", { "a.txt": "ONE\n2\n3\n4\n5\n" });
    writeFiles(two.path ?? "", { "a.txt": "TWO\n2\n3\n4\n5\n", "new.txt": "n\n" });
    const first = await ask({ op: "close", name: "fix-1" });
    const second = await ask({ op: "close", name: "fix-2" });
    expect([existsSync(one.path ?? ""), existsSync(two.path ?? "")]).toEqual([false, false]);
    expect(first.diff).toEqual({ files: 1, added: 1, removed: 1, paths: ["a.txt"] });
    expect(
      kept("for-each-ref", "--format=%(objectname)", "refs/attempts").trim().split("\n").toSorted(),
    ).toEqual([first.commit, second.commit].toSorted());
    expect(await ask({ op: "close", name: "fix-1" })).toEqual(first);
    expect(read("a.txt")).toBe(files["a.txt"]);
    const { commit = "", tree = "" } = second;
    const join = { op: "join", name: "fix-2", from: two.commit ?? "", closed: { commit, tree } } as const;
    expect((await ask(join)).diff?.paths).toEqual(["a.txt", "new.txt"]);
    expect((await ask(join)).diff?.paths).toEqual([]);
    expect([read("a.txt"), read("new.txt")]).toEqual(["TWO\n2\n3\n4\n5\n", "n\n"]);
  });
});

test("a fresh clone has no new links to files outside of the commit", async () => {
  const play = openPlayground({ files });
  symlinkSync("/etc", join(play.top, "old"));
  play.git("add", "-A");
  play.git("commit", "-qm", "a link of the project");
  const base = await commitOf(play.snapshot());
  for (const [name, target] of [
    ["out", "/etc/hostname"],
    ["up", "../up.txt"],
    ["in", "./a.txt"],
    ["gone", "later.txt"],
  ] as const)
    symlinkSync(target, join(play.top, name));
  const commit = await commitOf(play.snapshot());
  const keeper = gitWorkspace({ privateDir: (runId) => join(play.root, "private", runId) });
  const { workspace } = await keeper.clone(
    { commit, base, parent: join(play.root, "clone"), guard: { scripts: [], allow: [], tests: false } },
    { runId: "run-0001", workspace: play.top, signal: AbortSignal.timeout(20_000) },
  );
  expect(readdirSync(workspace).toSorted()).toEqual([
    ".git",
    ".gitignore",
    "a.txt",
    "b.txt",
    "gone",
    "in",
    "old",
  ]);
});
