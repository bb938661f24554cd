import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findRepository, gitWorkspace } from "../../src/workspace/workspace.ts";
import { commitOf, openPlayground, runGit, temporaryFolder, writeFiles } from "./playground.ts";

describe("a snapshot", () => {
  test("holds changed, added, deleted and made-executable files, on top of the checkout's commit", async () => {
    const { write, remove, git, snapshot, kept, top } = openPlayground({
      files: { "a.txt": "a\n", "b.txt": "b\n", "run.sh": "#!/bin/sh\n" },
    });
    write({ "a.txt": "A\nA\n", "new/c.txt": "c\n" });
    remove("b.txt");
    chmodSync(join(top, "run.sh"), 0o755);
    const { commit, tree, diff } = await snapshot();
    expect(kept("ls-tree", "-r", "--format=%(objectmode) %(path)", commit ?? "")).toBe(
      "100644 a.txt\n100644 new/c.txt\n100755 run.sh\n",
    );
    expect(kept("rev-parse", `${commit}^`, `${commit}^{tree}`)).toBe(`${git("rev-parse", "HEAD")}${tree}\n`);
    expect(diff).toEqual({
      files: 4,
      added: 3,
      removed: 2,
      paths: ["a.txt", "b.txt", "new/c.txt", "run.sh"],
    });
    expect(kept("show", "-s", "--format=%an <%ae> %s", commit ?? "")).toBe(
      "until-green <until-green@users.noreply.github.com> iteration\n",
    );
  });

  test("says what changed since the one before, and has the same tree when nothing did", async () => {
    const { write, snapshot } = openPlayground({ files: { "a.txt": "a\n" } });
    const first = await snapshot();
    const second = await snapshot(first.commit);
    write({ "a.txt": "a\nb\n" });
    const third = await snapshot(second.commit);
    expect(second.tree).toBe(first.tree);
    expect(second.diff).toEqual({ files: 0, added: 0, removed: 0, paths: [] });
    expect(third.diff).toEqual({ files: 1, added: 1, removed: 0, paths: ["a.txt"] });
  });

  test("leaves the user's index, HEAD, refs and status as they were", async () => {
    const { write, git, snapshot, ask, top } = openPlayground({ files: { "a.txt": "a\n", "b.txt": "b\n" } });
    write({ "a.txt": "staged\n" });
    git("add", "a.txt");
    write({ "a.txt": "changed again\n", "c.txt": "untracked\n" });
    const look = () => ({
      index: readFileSync(join(top, ".git/index")),
      status: git("-c", "core.preloadIndex=false", "status", "--porcelain=v2", "--branch"),
      refs: git("for-each-ref"),
      head: readFileSync(join(top, ".git/HEAD"), "utf8"),
    });
    look(); // the first status writes the index itself
    const before = look();
    const commit = await commitOf(snapshot());
    await ask({ op: "protect", commit, globs: ["**"] });
    await ask({ op: "fork", name: "one" });
    await ask({ op: "restore", commit });
    expect(look()).toEqual(before);
  });

  test("omits what .gitignore and .git/info/exclude name, but not what is committed anyway", async () => {
    const { write, snapshot, kept, top } = openPlayground({
      files: { ".gitignore": "*.log\nout/\n", "kept.log": "committed\n" },
    });
    writeFileSync(join(top, ".git/info/exclude"), "mine\n");
    write({ "a.log": "x", "out/a.txt": "x", mine: "x", "seen.txt": "x" });
    const commit = await commitOf(snapshot());
    expect(kept("ls-tree", "-r", "--name-only", commit)).toBe(".gitignore\nkept.log\nseen.txt\n");
  });

  test("keeps names with blanks, quotes, newlines and letters of any script", async () => {
    const names = ["a b.txt", 'quo"te.txt', "two\nlines.txt", "größe-文件-🦊.txt", "-dash", ":(glob)x"];
    const { write, snapshot, ask, remove, read } = openPlayground({ files: {} });
    write(Object.fromEntries(names.map((name) => [name, name])));
    const { commit = "", diff } = await snapshot();
    expect(diff?.paths.toSorted()).toEqual(names.toSorted());
    for (const name of names) remove(name);
    await ask({ op: "restore", commit });
    expect(names.map(read)).toEqual(names);
  });

  test("works in a repository without a commit", async () => {
    const { write, snapshot, kept, ask, read } = openPlayground();
    write({ "a.txt": "a\n" });
    const { commit = "", diff } = await snapshot();
    expect(diff).toEqual({ files: 1, added: 1, removed: 0, paths: ["a.txt"] });
    expect(kept("show", "-s", "--format=%P", commit).trim()).toBe("");
    write({ "a.txt": "b\n" });
    await ask({ op: "restore", commit });
    expect(read("a.txt")).toBe("a\n");
  });

  test("takes in the whole checkout when the workspace is a folder in it", async () => {
    const { write, snapshot } = openPlayground({
      files: { "a.txt": "a", "inner/b.txt": "b" },
      below: "inner",
    });
    write({ "a.txt": "changed", "inner/b.txt": "changed" });
    expect((await snapshot()).diff?.paths).toEqual(["a.txt", "inner/b.txt"]);
  });

  test("counts no lines of binary files and lists fifty paths at most", async () => {
    const { write, snapshot, top } = openPlayground({ files: {} });
    writeFileSync(join(top, "a.bin"), Buffer.from([0, 1, 2, 10, 0]));
    expect((await snapshot()).diff).toEqual({ files: 1, added: 0, removed: 0, paths: ["a.bin"] });
    write(Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`many/${n}.txt`, "x\n"])));
    const { diff } = await snapshot();
    expect([diff?.files, diff?.paths.length]).toEqual([61, 50]);
  });

  test("passes over repositories inside the checkout, with and without a commit", async () => {
    const { write, snapshot, top } = openPlayground({ files: { "a.txt": "a" } });
    for (const name of ["empty", "full"]) {
      mkdirSync(join(top, name));
      runGit(join(top, name), "init", "-q");
      writeFiles(join(top, name), { "inner.txt": "x" });
    }
    runGit(join(top, "full"), "add", "--all");
    runGit(join(top, "full"), "commit", "-qm", "inner");
    write({ "b.txt": "b" });
    expect((await snapshot()).diff?.paths).toEqual(["b.txt", "full"]);
  });

  test("sees a file that changed in the instant of a commit, keeping its length", async () => {
    const { write, git, snapshot } = openPlayground({ files: { "a.txt": "1" } });
    for (let round = 0; round < 5; round += 1) {
      write({ "a.txt": String(round) });
      git("add", "a.txt");
      write({ "a.txt": "x" });
      expect((await snapshot()).diff?.paths).toEqual(["a.txt"]);
    }
  });

  test("runs none of the repository's hooks, filters and monitors", async () => {
    const { write, git, snapshot, ask, top, outside } = openPlayground({ files: { "a.txt": "a" } });
    const evil = `#!/bin/sh\necho "$0" >> ${join(outside, "ran")}\ncat\n`;
    const script = join(outside, "evil.sh");
    writeFileSync(script, evil, { mode: 0o755 });
    mkdirSync(join(top, ".git/hooks"), { recursive: true });
    for (const hook of [
      "post-checkout",
      "pre-commit",
      "post-index-change",
      "reference-transaction",
      "post-commit",
    ]) {
      writeFileSync(join(top, ".git/hooks", hook), evil, { mode: 0o755 });
    }
    for (const [name, value] of [
      ["core.fsmonitor", script],
      ["filter.evil.clean", script],
      ["filter.evil.smudge", script],
      ["filter.lfs.clean", script],
      ["diff.evil.command", script],
      ["diff.evil.textconv", script],
      ["merge.evil.driver", script],
    ] as const) {
      git("config", name, value);
    }
    write({
      ".gitattributes": "*.txt filter=evil diff=evil merge=evil\n*.bin filter=lfs\n",
      "a.txt": "b",
      "b.bin": "b",
    });
    const commit = await commitOf(snapshot());
    write({ "a.txt": "c" });
    await ask({ op: "protect", commit, globs: ["a.txt"] });
    const { path = "" } = await ask({ op: "fork", name: "one" });
    writeFileSync(join(path, "a.txt"), "from the fork");
    await ask({ op: "join", name: "one", from: commit });
    await ask({ op: "restore", commit });
    expect(existsSync(join(outside, "ran"))).toBe(false);
  });

  test("ignores the git variables around it", async () => {
    const { snapshot, write, outside } = openPlayground({ files: { "a.txt": "a" } });
    process.env["GIT_DIR"] = outside;
    process.env["GIT_INDEX_FILE"] = join(outside, "index");
    try {
      write({ "a.txt": "b" });
      expect((await snapshot()).diff?.paths).toEqual(["a.txt"]);
    } finally {
      delete process.env["GIT_DIR"];
      delete process.env["GIT_INDEX_FILE"];
    }
  });

  test("continues after a killed git left its lock", async () => {
    const { snapshot, root, top } = openPlayground({ files: { "a.txt": "a" } });
    await snapshot();
    const store = join(root, "private/run-0001/snapshots.git");
    const locks = readdirSync(store)
      .filter((name) => name.startsWith("index-"))
      .map((name) => `${name}.lock`);
    expect(locks).toHaveLength(1);
    for (const lock of locks) writeFileSync(join(store, lock), "");
    const again = gitWorkspace({ privateDir: (runId) => join(root, "private", runId) });
    const context = { runId: "run-0001", workspace: top, signal: AbortSignal.timeout(20_000) };
    expect(await again.handle({ op: "snapshot", since: undefined, message: "" }, context)).toHaveProperty(
      "commit",
    );
  });

  test("stays out of itself if its folder is inside the checkout", async () => {
    const { top, write } = openPlayground({ files: { "a.txt": "a" } });
    const keeper = gitWorkspace({ privateDir: (runId) => join(top, ".runs", runId) });
    write({ "b.txt": "b" });
    const context = { runId: "run-0001", workspace: top, signal: AbortSignal.timeout(20_000) };
    const { diff } = await keeper.handle({ op: "snapshot", since: undefined, message: "" }, context);
    expect(diff?.paths).toEqual(["b.txt"]);
  });

  test("many asked for at once come one after the other", async () => {
    const { snapshot } = openPlayground({ files: { "a.txt": "a" } });
    const answers = await Promise.all(Array.from({ length: 6 }, () => snapshot()));
    expect(new Set(answers.map(({ tree }) => tree)).size).toBe(1);
  });

  test("works in a shallow clone and in a linked work tree", async () => {
    const { top, git, write, root, ask } = openPlayground({ files: { "a.txt": "1\n" } });
    write({ "a.txt": "2\n" });
    git("commit", "-qam", "second");
    runGit(root, "clone", "-q", "--depth=1", `file://${top}`, "shallow");
    git("worktree", "add", "-q", "--detach", join(root, "linked"));
    for (const [runId, dir] of [["run-0002", "shallow"] as const, ["run-0003", "linked"] as const]) {
      const workspace = join(root, dir);
      const keeper = gitWorkspace({ privateDir: (id) => join(root, "private", id) });
      const context = { runId, workspace, signal: AbortSignal.timeout(20_000) };
      writeFiles(workspace, { "b.txt": "b\n" });
      const { diff, commit = "" } = await keeper.handle(
        { op: "snapshot", since: undefined, message: "" },
        context,
      );
      expect(diff?.paths).toEqual(["b.txt"]);
      const { path = "" } = await keeper.handle({ op: "fork", name: "f" }, context);
      writeFiles(path, { "c.txt": "c\n" });
      const joined = await keeper.handle({ op: "join", name: "f", from: commit }, context);
      expect(joined.diff?.paths).toEqual(["c.txt"]);
    }
    expect(await ask({ op: "snapshot", since: undefined, message: "" })).toHaveProperty("commit");
  });
});

describe("restoring", () => {
  test("makes the checkout equal to the commit and leaves ignored files alone", async () => {
    const { write, remove, snapshot, ask, read, top, git } = openPlayground({
      files: { ".gitignore": "node_modules\n", "a.txt": "a", "dir/b.txt": "b" },
    });
    const { commit = "", tree } = await snapshot();
    write({ "a.txt": "changed", "new.txt": "new", dir2: "x", "node_modules/p/index.js": "installed" });
    remove("dir");
    symlinkSync("/nowhere", join(top, "dir"));
    expect(await ask({ op: "restore", commit })).toEqual({ commit, tree });
    expect(git("status", "--porcelain")).toBe("");
    expect([read("a.txt"), read("dir/b.txt"), read("node_modules/p/index.js")]).toEqual([
      "a",
      "b",
      "installed",
    ]);
  });

  test("makes the workspace's folder again", async () => {
    const { snapshot, ask, workspace, write, remove } = openPlayground({
      files: { "a.txt": "a" },
      below: "inner",
    });
    const commit = await commitOf(snapshot());
    write({ "inner/b.txt": "b" });
    remove("inner");
    mkdirSync(workspace);
    await ask({ op: "restore", commit });
    expect(statSync(workspace).isDirectory()).toBe(true);
  });

  test("an unknown commit is an error with git's own message", async () => {
    const { ask } = openPlayground({ files: { "a.txt": "a" } });
    const asked = ask({ op: "restore", commit: "1234567890123456789012345678901234567890" });
    await expect(asked).rejects.toThrow(/git read-tree failed: fatal: .*1234567890/);
  });
});

describe("without a checkout", () => {
  const ask = (workspace: string) =>
    gitWorkspace({ privateDir: () => join(temporaryFolder(), "private") }).handle(
      { op: "snapshot", since: undefined, message: "" },
      { runId: "run-0001", workspace, signal: AbortSignal.timeout(20_000) },
    );

  test("a folder that is no repository is an error that says to make one", async () => {
    await expect(ask(temporaryFolder())).rejects.toThrow(/is not a git repository: run `git init` there, or/);
  });

  test("a bare repository is an error that says to check it out", async () => {
    const dir = temporaryFolder();
    runGit(dir, "init", "-q", "--bare");
    await expect(ask(dir)).rejects.toThrow(/is a bare git repository: run in a checkout of it/);
  });

  test("a folder that is not there is named", async () => {
    await expect(ask(join(temporaryFolder(), "gone"))).rejects.toThrow(/gone does not exist/);
  });

  test("a machine without git is an error that says to install it", () => {
    // A process of its own: where git is, is found once.
    const dir = temporaryFolder();
    const script = `
      import { gitWorkspace } from ${JSON.stringify(join(process.cwd(), "src/workspace/workspace.ts"))};
      const signal = new AbortController().signal;
      await gitWorkspace({ privateDir: () => ${JSON.stringify(dir)} })
        .handle({ op: "snapshot", message: "m" }, { runId: "run-0001", signal, workspace: ${JSON.stringify(dir)} })
        .catch((error) => console.log(error.message));`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      env: { PATH: dir },
      encoding: "utf8",
    });
    expect(stdout).toContain("git is not installed: install git 2.38 or newer");
  });

  test("an aborted question rejects with the reason", async () => {
    const { workspace, root } = openPlayground({ files: { "a.txt": "a" } });
    const keeper = gitWorkspace({ privateDir: () => join(root, "private") });
    const signal = AbortSignal.abort(new Error("enough"));
    const asked = keeper.handle(
      { op: "snapshot", since: undefined, message: "" },
      { runId: "r", workspace, signal },
    );
    await expect(asked).rejects.toThrow("enough");
  });
});

describe("finding a repository", () => {
  test("answers the top and the git folder from anywhere inside, and nothing outside", async () => {
    const { top, workspace } = openPlayground({ files: { "a.txt": "a" }, below: "deep/er" });
    const found = await findRepository(workspace);
    expect([found?.top, found?.gitDir]).toEqual([top, join(top, ".git")]);
    const elsewhere = temporaryFolder();
    expect(await findRepository(elsewhere)).toBeUndefined();
    rmSync(elsewhere, { recursive: true });
    expect(await findRepository(elsewhere)).toBeUndefined();
  });
});

test("a large file does not push the others out of a patch that is cut", async () => {
  const it = openPlayground({ files: { "z.ts": "old\n" } });
  const from = await commitOf(it.snapshot());
  it.write({ "a.txt": `${"long line\n".repeat(5000)}`, "z.ts": "new\n" });
  const to = await commitOf(it.snapshot(from));
  const { patch = "" } = await it.ask({ op: "diff", from, to, most: 2000 });
  expect(patch).toContain("+new");
  expect(patch).toContain("characters left out");
  expect(patch.length).toBeLessThan(2200);
});
