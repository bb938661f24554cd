import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openIsolation } from "../../src/processes/isolation.ts";
import { runProcess } from "../../src/processes/process.ts";

const environment = { PATH: process.env["PATH"] ?? "", HOME: homedir() };
const hasFiles = (await openIsolation({ mode: "auto", environment }).walls()).some(
  ({ name, on }) => name === "files" && on,
);

function checkout() {
  const top = mkdtempSync(join(homedir(), ".until-green-git-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      cwd: top,
      encoding: "utf8",
    });
  git("init", "-q", "main");
  git("-C", "main", "commit", "-q", "--allow-empty", "-m", "first");
  return { top, main: join(top, "main"), git };
}

/** What a program in a folder prints, and git's faults with it. */
async function inside(folder: string, script: string, env: Readonly<Record<string, string>> = {}) {
  const isolation = openIsolation({ mode: "auto", environment, writable: [folder] });
  const { tail } = await runProcess({
    command: "bash",
    args: ["--norc", "-c", script],
    cwd: folder,
    env: { ...environment, ...env },
    signal: new AbortController().signal,
    wrap: (launch) => isolation.wrap(launch),
  });
  return tail.trim();
}

describe.runIf(hasFiles)("behind the file wall, a program", () => {
  test("commits, switches branches and packs in its checkout", async () => {
    const { main, git } = checkout();
    const script = `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
      echo x > x && git add x && git switch -q -c topic && git commit -q -m second && git pack-refs --all && git gc -q && echo fine`;
    expect(await inside(main, script)).toBe("fine");
    expect(git("-C", "main", "log", "--format=%s", "topic")).toBe("second\nfirst\n");
  });

  test("cannot change the settings and hooks of its repository, nor its git folder for another", async () => {
    const { main } = checkout();
    const before = readFileSync(join(main, ".git/config"), "utf8");
    const script = `git config core.fsmonitor evil; echo x > .git/hooks/post-checkout; rm -rf .git/hooks; mv .git moved
      (echo '[core]' > .git/config) ; true`;
    await inside(main, script);
    expect(readFileSync(join(main, ".git/config"), "utf8")).toBe(before);
    expect(existsSync(join(main, ".git/hooks/post-checkout"))).toBe(false);
  });

  test("leaves no setting that starts a program, also if the settings were changed from outside meanwhile", async () => {
    const { main, git } = checkout();
    git("-C", "main", "config", "alias.kept", "log");
    const ends = inside(
      main,
      `: > ready; until [ -e go ]; do sleep 0.05; done
      git config core.fsmonitor evil; git config core.worktree /; git config user.email b@example.com; true`,
    );
    while (!existsSync(join(main, "ready"))) await new Promise((later) => setTimeout(later, 20));
    git("-C", "main", "config", "user.name", "ann");
    writeFileSync(join(main, "go"), "");
    expect(await ends).toContain("core.fsmonitor, core.worktree");
    const settings = git("-C", "main", "config", "--local", "--list");
    expect(settings).not.toMatch(/fsmonitor|worktree/);
    expect(settings).toContain("user.name=ann");
    expect(settings).toContain("alias.kept=log");
  });

  test("does not end this process by an index that is too large to be read", async () => {
    const { main } = checkout();
    expect(await inside(main, "truncate -s 3G .git/index; echo ok")).toBe("ok");
  });

  test("nor by a large file in place of a nested repository", async () => {
    const { main } = checkout();
    const script = `git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),inner
      mkdir inner; truncate -s 1G inner/.git; echo ok`;
    expect(await inside(main, script)).toBe("ok");
  });

  test("nor those of a linked work tree, and of a submodule", async () => {
    const { top, main, git } = checkout();
    git("-C", "main", "worktree", "add", "-q", join(top, "linked"));
    const module = join(main, ".git/modules/a/b");
    git("init", "-q", "--bare", module);
    const script = `for f in .git "$COMMON/config" "$COMMON/worktrees/linked/commondir" "$COMMON/modules/a/b/config"; do
      (echo x >> "$f") 2>/dev/null && echo "$f"; done; mv "$COMMON/modules/a" "$COMMON/modules/c" 2>/dev/null && echo moved; true`;
    expect(await inside(join(top, "linked"), script, { COMMON: join(main, ".git") })).toBe("");
  });

  test("leaves no lock by which git would refuse to work, and none of another git is removed", async () => {
    const { main, git } = checkout();
    const locks = ["index", "HEAD", "packed-refs", "shallow", "refs/heads/topic"].map(
      (name) => `${name}.lock`,
    );
    const left = () => [...locks, "theirs.lock"].filter((name) => existsSync(join(main, ".git", name)));
    writeFileSync(join(main, ".git/theirs.lock"), "");
    const script = `for lock in ${locks.join(" ")}; do : > .git/$lock; done; echo made`;
    expect(await inside(main, script)).toBe("made");
    expect(left()).toEqual(["theirs.lock"]);
    git("-C", "main", "commit", "-q", "--allow-empty", "-m", "second");
    const other = spawn("git", ["cat-file", "--batch"], { cwd: main, stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void other.kill("SIGKILL"));
    other.stdin.write("HEAD\n");
    await once(other.stdout, "data");
    await inside(main, script);
    expect(left()).toEqual([...locks, "theirs.lock"]);
  });

  test("leaves no file by which git would find other settings", async () => {
    const { main, git } = checkout();
    mkdirSync(join(main, "evil"));
    writeFileSync(join(main, "evil/config"), "[core]\n\tfsmonitor = evil\n");
    expect(
      await inside(
        main,
        "{ echo ../evil > .git/commondir; echo x > .git/config.worktree; } 2> /dev/null; echo tried",
      ),
    ).toBe("tried");
    expect(existsSync(join(main, ".git/commondir"))).toBe(false);
    expect(existsSync(join(main, ".git/config.worktree"))).toBe(false);
    expect(git("-C", "main", "config", "--list")).not.toContain("evil");
  });

  test("leaves no repository in the index whose settings the next `git status` would obey", async () => {
    const { top, main, git } = checkout();
    const script = `git init -q inner && cd inner && git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m x
      echo "#!/bin/sh" > ../program; echo "touch $TOP/ran" >> ../program; chmod +x ../program
      git config core.fsmonitor "$PWD/../program"; git status --short; cd ..; git add inner 2> /dev/null; echo made`;
    expect(await inside(main, script, { TOP: main })).toContain("made");
    rmSync(join(main, "ran"), { force: true });
    git("-C", "main", "status", "--short");
    expect(existsSync(join(main, "ran"))).toBe(false);
    expect(git("-C", join(top, "main/inner"), "log", "--format=%s")).toBe("x\n");
  });

  test("nor one within the last of 202 repositories", async () => {
    const { main, git } = checkout();
    const commit = "git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m x";
    const script = `git init -q z; cd z; git init -q in; (cd in; ${commit}; git config core.fsmonitor "touch $TOP/ran")
      git add in; ${commit}; cd ..
      for i in $(seq 201); do mkdir -p a/$i/.git; done; echo 'ref: refs/heads/main' | tee a/{1..201}/.git/HEAD > /dev/null
      mkdir a/{1..201}/.git/{objects,refs}; head=$(git -C z rev-parse HEAD)
      printf "160000 $head 0\ta/%s\n" {1..201} | git update-index --index-info; git add z; echo made`;
    expect(await inside(main, script, { TOP: main })).toContain("made");
    rmSync(join(main, "ran"), { force: true });
    git("-C", "main", "status", "--short");
    expect(existsSync(join(main, "ran"))).toBe(false);
  });

  test("has variables that turn off the installation of hooks, so that installing packages does not fail", async () => {
    const { main } = checkout();
    expect(await inside(main, 'echo "$HUSKY $LEFTHOOK"')).toBe("0 0");
    expect(await inside(main, 'echo "$HUSKY"', { HUSKY: "1" })).toBe("1");
  });
});
