import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { commitOf, openPlayground, runGit } from "./playground.ts";

const honest = "test that fails $Id$\n";
const files = { "test/a.sh": honest, "src/a.js": "a\n", "run.sh": "exit 1\n", ".gitignore": "*.log\n" };

/** A playground whose agent is about to work, with a program of its own that must never be started. */
async function openScene() {
  const playground = openPlayground({ files });
  const commit = await commitOf(playground.snapshot());
  const started = join(playground.root, "started");
  const evil = join(playground.root, "evil.sh");
  writeFileSync(evil, `#!/bin/sh\ntouch ${started}\ncat\n`, { mode: 0o755 });
  const store = join(playground.root, "private/run-0001/snapshots.git");
  return { ...playground, commit, evil, started, store, gitDir: join(playground.top, ".git") };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

/** Writes other bytes under the name of a blob, as a loose object in front of a pack too. */
function rewriteBlob(objects: string, honestText: string, evilText: string): void {
  const blob = (text: string) => `blob ${Buffer.byteLength(text)}\0${text}`;
  const id = createHash("sha1").update(blob(honestText)).digest("hex");
  const path = join(objects, id.slice(0, 2), id.slice(2));
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  writeFileSync(path, deflateSync(Buffer.from(blob(evilText))));
}

const green = "test that is green!!!\n";
const settings = ({ evil, root }: Scene) => `
[core]
\tfsmonitor = ${evil}
\tsshCommand = ${evil}
\thooksPath = ${dirname(evil)}
\tworktree = ${root}
\ttrustctime = false
\tcheckStat = minimal
\tsparseCheckout = true
\texcludesFile = ${root}/everything
\tattributesFile = ${root}/everything
[filter "evil"]
\tclean = ${evil}
\tsmudge = ${evil}
[diff]
\texternal = ${evil}
[merge "evil"]
\tdriver = ${evil}
[include]
\tpath = ${root}/more
`;

const rows: readonly (readonly [string, (scene: Scene) => void])[] = [
  [
    "settings of the checkout that name programs and another folder",
    (scene) => appendFileSync(join(scene.gitDir, "config"), settings(scene)),
  ],
  [
    "the same in the private repository",
    (scene) => appendFileSync(join(scene.store, "config"), settings(scene)),
  ],
  [
    "attributes and filters in the checkout and in the private repository",
    (scene) => {
      appendFileSync(join(scene.store, "config"), settings(scene));
      writeFileSync(join(scene.top, ".gitattributes"), "* filter=evil diff=evil merge=evil\n");
      for (const dir of [scene.gitDir, scene.store])
        writeFileSync(join(dir, "info/attributes"), "* filter=evil\n");
    },
  ],
  [
    "rules that hide the change in the checkout and in the private repository",
    (scene) => {
      for (const dir of [scene.gitDir, scene.store]) {
        appendFileSync(join(dir, "info/exclude"), "*\n");
        writeFileSync(join(dir, "info/sparse-checkout"), "/nothing\n");
      }
    },
  ],
  [
    "a link to another repository in place of the private one's parts",
    ({ store, top }) => writeFileSync(join(store, "commondir"), join(top, ".git")),
  ],
  [
    "hooks in both",
    ({ gitDir, store, evil }) => {
      for (const dir of [gitDir, store])
        for (const hook of ["post-index-change", "post-checkout", "reference-transaction", "pre-commit"]) {
          mkdirSync(join(dir, "hooks"), { recursive: true });
          symlinkSync(evil, join(dir, "hooks", hook));
        }
    },
  ],
  [
    "marks in the user's index that a file is not to be looked at",
    ({ git }) => {
      git("update-index", "--assume-unchanged", "test/a.sh");
      git("update-index", "--skip-worktree", "test/a.sh", "src/a.js");
    },
  ],
  [
    "marks in the private index",
    ({ store, top }) => {
      const [index = ""] = execFileSync("sh", ["-c", `ls ${store}/index-*`], { encoding: "utf8" })
        .trim()
        .split("\n");
      execFileSync("git", ["update-index", "--skip-worktree", "test/a.sh"], {
        cwd: top,
        env: { PATH: process.env["PATH"], GIT_DIR: store, GIT_WORK_TREE: top, GIT_INDEX_FILE: index },
      });
    },
  ],
  [
    "references in place of others, and grafts",
    ({ git, gitDir, store }) => {
      const other = git("hash-object", "-w", "src/a.js").trim();
      git("replace", git("rev-parse", "HEAD:test/a.sh").trim(), other);
      for (const dir of [gitDir, store])
        writeFileSync(join(dir, "info/grafts"), `${git("rev-parse", "HEAD").trim()}\n`);
    },
  ],
  [
    "a checkout made sparse",
    ({ git }) => {
      git("config", "core.sparseCheckout", "true");
      git("sparse-checkout", "set", "--no-cone", "/src");
    },
  ],
  [
    "a list that says the files are aside while an agent works",
    ({ gitDir }) => {
      mkdirSync(join(gitDir, "until-green/aside"), { recursive: true });
      writeFileSync(join(gitDir, "until-green/aside/paths.json"), '["test", "src"]');
    },
  ],
  ["the user's index removed", ({ gitDir }) => rmSync(join(gitDir, "index"))],
];

describe("what an agent rewrites of git is neither obeyed nor believed", () => {
  test.each(rows)("%s", async (_, rewrite) => {
    const scene = await openScene();
    rewrite(scene);
    scene.write({ "test/a.sh": green, "test/added.sh": "more\n", "src/a.js": "b\n" });
    const { restored } = await scene.ask({ op: "protect", commit: scene.commit, globs: ["test/**"] });
    expect(restored).toEqual(expect.arrayContaining(["test/a.sh", "test/added.sh"]));
    expect(scene.read("test/a.sh")).toBe(honest);
    expect(existsSync(join(scene.top, "test/added.sh"))).toBe(false);
    const { diff } = await scene.snapshot(scene.commit);
    expect(diff?.paths).toContain("src/a.js");
    expect(diff?.paths).not.toContain("test/a.sh");
    expect(existsSync(scene.started)).toBe(false);
  });
});

const hidden: readonly (readonly [string, (scene: Scene) => void])[] = [
  [
    "a file's time of change set back",
    ({ top, write }) => {
      const { atime, mtime } = statSync(join(top, "test/a.sh"));
      write({ "test/a.sh": green.slice(0, honest.length).padEnd(honest.length, "!") });
      utimesSync(join(top, "test/a.sh"), atime, mtime);
    },
  ],
  [
    "attributes by which git writes a part of it anew",
    ({ write }) =>
      write({ ".gitattributes": "test/* ident\n", "test/a.sh": honest.replace("$Id$", "$Id: exit 0 $") }),
  ],
  [
    "attributes by which git converts its line ends",
    ({ write }) =>
      write({ ".gitattributes": "test/* text eol=crlf\n", "test/a.sh": honest.replace("\n", "\r\n") }),
  ],
  [
    "a private index that says it is as it was",
    ({ store, top, write, evil }) => {
      write({ "test/a.sh": green });
      const [index = ""] = execFileSync("sh", ["-c", `ls ${store}/index-*`], { encoding: "utf8" })
        .trim()
        .split("\n");
      const env = { PATH: process.env["PATH"], GIT_DIR: store, GIT_WORK_TREE: top, GIT_INDEX_FILE: index };
      const id = createHash("sha1").update(`blob ${honest.length}\0${honest}`).digest("hex");
      writeFileSync(`${evil}.clean`, `#!/bin/sh\nprintf '%s' '${honest.trim()}'\necho\n`, { mode: 0o755 });
      const clean = ["-c", `filter.evil.clean=${evil}.clean`];
      writeFileSync(join(top, ".gitattributes"), "test/* filter=evil\n");
      execFileSync("git", [...clean, "add", "test/a.sh"], { cwd: top, env });
      rmSync(join(top, ".gitattributes"));
      const staged = execFileSync("git", ["ls-files", "-s", "test/a.sh"], {
        cwd: top,
        env,
        encoding: "utf8",
      });
      expect(staged).toContain(id);
    },
  ],
  [
    "a hard link to it, written by its other name",
    ({ top }) => {
      linkSync(join(top, "test/a.sh"), join(top, "other"));
      writeFileSync(join(top, "other"), green);
    },
  ],
  [
    "a folder above it, put in its place by a link",
    ({ top, outside }) => {
      rmSync(join(top, "test"), { recursive: true });
      writeFileSync(join(outside, "a.sh"), green);
      symlinkSync(outside, join(top, "test"));
    },
  ],
  [
    "a pipe in its place",
    ({ top }) => {
      rmSync(join(top, "test/a.sh"));
      execFileSync("sh", ["-c", "mkfifo test/a.sh"], { cwd: top });
    },
  ],
  [
    "a folder in its place",
    ({ top }) => {
      rmSync(join(top, "test/a.sh"));
      mkdirSync(join(top, "test/a.sh"));
      writeFileSync(join(top, "test/a.sh/inner"), green);
    },
  ],
  [
    "a file nobody may read",
    ({ top }) => {
      writeFileSync(join(top, "test/a.sh"), green);
      chmodSync(join(top, "test/a.sh"), 0o200);
    },
  ],
];

describe("a protected file is restored", () => {
  test.each(hidden)("from %s", async (_, tamper) => {
    const scene = await openScene();
    tamper(scene);
    const { restored } = await scene.ask({ op: "protect", commit: scene.commit, globs: ["test/**"] });
    expect(restored).toContain("test/a.sh");
    expect(readFileSync(join(scene.top, "test/a.sh"), "utf8")).toBe(honest);
  });

  test("again and again, without git being asked about files that are as they were", async () => {
    const scene = await openScene();
    for (let round = 0; round < 2; round += 1) {
      scene.write({ "test/a.sh": green });
      const { restored } = await scene.ask({ op: "protect", commit: scene.commit, globs: ["test/**"] });
      expect(restored).toEqual(["test/a.sh"]);
    }
    expect(await scene.ask({ op: "protect", commit: scene.commit, globs: ["test/**"] })).toEqual({
      restored: [],
    });
  });
});

describe("protecting fails, and no check is asked, where git's objects were rewritten", () => {
  const protect = ({ ask, commit }: Pick<Scene, "ask" | "commit">) =>
    ask({ op: "protect", commit, globs: ["test/**"] });

  test.each([
    [
      "the file's own, in the checkout",
      ({ gitDir }: Scene) => rewriteBlob(join(gitDir, "objects"), honest, green),
    ],
    [
      "the file's own, in the private repository",
      ({ gitDir, store }: Scene) => {
        rewriteBlob(join(gitDir, "objects"), honest, green);
        rewriteBlob(join(store, "objects"), honest, green);
      },
    ],
  ])("%s", async (_, rewrite) => {
    const scene = await openScene();
    rewrite(scene);
    scene.write({ "test/a.sh": green });
    await expect(protect(scene)).rejects.toThrow(/objects were rewritten|git .* failed/);
  });

  test("those of its folder", async () => {
    const scene = await openScene();
    scene.write({ "test/a.sh": green });
    const folder = scene.git("rev-parse", "HEAD:test").trim();
    scene.git("add", "test/a.sh");
    const other = scene.git("rev-parse", `${scene.git("write-tree").trim()}:test`).trim();
    const at = (id: string) => join(scene.gitDir, "objects", id.slice(0, 2), id.slice(2));
    const evil = readFileSync(at(other));
    rmSync(at(folder), { force: true });
    writeFileSync(at(folder), evil);
    await expect(protect(scene)).rejects.toThrow(/objects were rewritten|git .* failed/);
  });
});

test("in a repository that converts line ends protected files are as they were", async () => {
  const { ask, snapshot, git, top, read, write } = openPlayground();
  git("config", "core.autocrlf", "true");
  write({ "test/a.bat": "one\r\ntwo\r\n", "src/a": "a\r\n" });
  git("add", "--all");
  git("commit", "-q", "-m", "crlf");
  const commit = await commitOf(snapshot());
  expect(runGit(top, "cat-file", "-p", "HEAD:test/a.bat")).toBe("one\ntwo\n");
  expect(await ask({ op: "protect", commit, globs: ["test/**"] })).toEqual({ restored: [] });
  write({ "test/a.bat": "three\r\n" });
  expect(await ask({ op: "protect", commit, globs: ["test/**"] })).toEqual({ restored: ["test/a.bat"] });
  expect(read("test/a.bat")).toBe("one\r\ntwo\r\n");
});
