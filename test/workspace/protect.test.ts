import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitOf, openPlayground, type Playground, runGit, writeFiles } from "./playground.ts";

const files = {
  ".gitignore": "*.cache\n",
  "src/a.js": "a",
  "test/a.test.js": "test a",
  "test/deep/b.test.js": "test b",
  "test/.hidden": "dot",
  "run.sh": "#!/bin/sh\n",
};

interface Case {
  readonly title: string;
  readonly globs: readonly string[];
  tamper(playground: Playground): void;
  readonly restored: readonly string[];
}

const cases: readonly Case[] = [
  {
    title: "nothing was touched",
    globs: ["test/**"],
    tamper: () => undefined,
    restored: [],
  },
  {
    title: "only other files were changed",
    globs: ["test/**"],
    tamper: ({ write, remove }) => {
      write({ "src/b.js": "new" });
      remove("run.sh");
    },
    restored: [],
  },
  {
    title: "a file was changed",
    globs: ["test/**"],
    tamper: ({ write }) => write({ "test/a.test.js": "nothing to test" }),
    restored: ["test/a.test.js"],
  },
  {
    title: "a file was deleted",
    globs: ["test/**"],
    tamper: ({ remove }) => remove("test/deep/b.test.js"),
    restored: ["test/deep/b.test.js"],
  },
  {
    title: "the whole folder was deleted",
    globs: ["test/**"],
    tamper: ({ remove }) => remove("test"),
    restored: ["test/.hidden", "test/a.test.js", "test/deep/b.test.js"],
  },
  {
    title: "a file was added",
    globs: ["**/*.test.js"],
    tamper: ({ write }) => write({ "src/easy.test.js": "passes" }),
    restored: ["src/easy.test.js"],
  },
  {
    title: "a hidden file was changed",
    globs: ["test/**"],
    tamper: ({ write }) => write({ "test/.hidden": "changed" }),
    restored: ["test/.hidden"],
  },
  {
    title: "a file was made executable",
    globs: ["test/*"],
    tamper: ({ top }) => chmodSync(join(top, "test/a.test.js"), 0o755),
    restored: ["test/a.test.js"],
  },
  {
    title: "a file was renamed away",
    globs: ["test/**"],
    tamper: ({ top }) => renameSync(join(top, "test/a.test.js"), join(top, "src/moved.js")),
    restored: ["test/a.test.js"],
  },
  {
    title: "a file was replaced by a folder",
    globs: ["test/*.js"],
    tamper: ({ top, remove, write }) => {
      remove("test/a.test.js");
      mkdirSync(join(top, "test/a.test.js"));
      write({ "test/a.test.js/inner.js": "x" });
    },
    restored: ["test/a.test.js"],
  },
  {
    title: "a file was replaced by a folder with files that the globs mean too",
    globs: ["test/**"],
    tamper: ({ remove, write }) => {
      remove("test/a.test.js");
      write({ "test/a.test.js/inner.js": "x", "test/a.test.js/deep/inner.js": "y" });
    },
    restored: ["test/a.test.js", "test/a.test.js/deep/inner.js", "test/a.test.js/inner.js"],
  },
  {
    title: "the folder was replaced by a file",
    globs: ["test/**"],
    tamper: ({ remove, write }) => {
      remove("test");
      write({ test: "no folder" });
    },
    restored: ["test", "test/.hidden", "test/a.test.js", "test/deep/b.test.js"],
  },
  {
    title: "an added file is hidden by a new ignore rule",
    globs: ["**/*.test.js"],
    tamper: ({ write }) =>
      write({
        ".gitignore": "*.cache\neasy.*\n",
        "src/easy.test.js": "passes",
        "src/easy.txt": "not protected",
      }),
    restored: ["src/easy.test.js"],
  },
  {
    title: "an added file is hidden by .git/info/exclude",
    globs: ["**/*.test.js"],
    tamper: ({ write }) => write({ ".git/info/exclude": "easy.*\n", "src/easy.test.js": "passes" }),
    restored: ["src/easy.test.js"],
  },
  {
    title: "a filter claims that a changed file is as it was",
    globs: ["test/**"],
    tamper: ({ git, write }) => {
      git("config", "filter.lie.clean", "git show HEAD:%f");
      write({ ".gitattributes": "* filter=lie\n", "test/a.test.js": "nothing to test" });
    },
    restored: ["test/a.test.js"],
  },
  {
    title: "globs are written with a dot or a slash in front, or name a folder",
    globs: ["./test/a.test.js", "/src/", "!nothing"].slice(0, 2),
    tamper: ({ write }) => write({ "src/a.js": "changed", "test/a.test.js": "changed", "run.sh": "changed" }),
    restored: ["src/a.js", "test/a.test.js"],
  },
];

describe("protected files are back, and named, when", () => {
  test.each(cases)("$title", async ({ globs, tamper, restored }) => {
    const playground = openPlayground({ files });
    const commit = await commitOf(playground.snapshot());
    tamper(playground);
    expect(await playground.ask({ op: "protect", commit, globs })).toEqual({ restored });
    for (const [path, text] of Object.entries(files)) {
      if (path.startsWith("test/")) expect(playground.read(path)).toBe(text);
    }
    expect(existsSync(join(playground.top, "src/easy.test.js"))).toBe(false);
    expect(lstatSync(join(playground.top, "test/a.test.js")).mode & 0o111).toBe(0);
    // and again there is nothing to do
    expect(await playground.ask({ op: "protect", commit, globs })).toEqual({ restored: [] });
  });
});

describe("protecting", () => {
  test("never writes through a symbolic link", async () => {
    const { snapshot, ask, top, outside, read, remove } = openPlayground({ files });
    const commit = await commitOf(snapshot());
    writeFiles(outside, { "a.test.js": "outside", "deep/b.test.js": "outside", "victim.txt": "outside" });
    remove("test");
    symlinkSync(outside, join(top, "test"));
    remove("run.sh");
    symlinkSync(join(outside, "victim.txt"), join(top, "run.sh"));
    const { restored } = await ask({ op: "protect", commit, globs: ["test/**", "run.sh"] });
    expect(restored).toEqual(["run.sh", "test", "test/.hidden", "test/a.test.js", "test/deep/b.test.js"]);
    expect(lstatSync(join(top, "test")).isDirectory()).toBe(true);
    expect(lstatSync(join(top, "run.sh")).isFile()).toBe(true);
    expect([read("test/a.test.js"), read("run.sh")]).toEqual(["test a", files["run.sh"]]);
    for (const path of ["a.test.js", "deep/b.test.js", "victim.txt"]) {
      expect(readFileSync(join(outside, path), "utf8")).toBe("outside");
    }
  });

  test("puts a protected symbolic link back as a link", async () => {
    const { snapshot, ask, top, write, remove } = openPlayground({ files });
    symlinkSync("src/a.js", join(top, "link.js"));
    const commit = await commitOf(snapshot());
    remove("link.js");
    write({ "link.js": "a file" });
    expect(await ask({ op: "protect", commit, globs: ["link.js"] })).toEqual({ restored: ["link.js"] });
    expect(lstatSync(join(top, "link.js")).isSymbolicLink()).toBe(true);
  });

  test("leaves what a test runner caches, and all that is not protected", async () => {
    const { snapshot, ask, write, read } = openPlayground({ files });
    const commit = await commitOf(snapshot());
    write({ ".gitignore": "*.cache\nmore\n", "test/a.cache": "cached", "src/a.js": "changed" });
    expect(await ask({ op: "protect", commit, globs: ["test/**"] })).toEqual({ restored: [] });
    expect([read("test/a.cache"), read("src/a.js")]).toEqual(["cached", "changed"]);
  });

  test("counts globs from the workspace and answers paths from the checkout's top", async () => {
    const { snapshot, ask, write } = openPlayground({
      files: { "test/a.js": "outer", "pkg/test/a.js": "inner" },
      below: "pkg",
    });
    const commit = await commitOf(snapshot());
    write({ "test/a.js": "changed", "pkg/test/a.js": "changed" });
    expect(await ask({ op: "protect", commit, globs: ["test/**"] })).toEqual({ restored: ["pkg/test/a.js"] });
  });

  test.each([{ commits: true }, { commits: false }])(
    "finds files in a repository added inside the checkout (with a commit: $commits)",
    async ({ commits }) => {
      const { snapshot, ask, top } = openPlayground({ files });
      const commit = await commitOf(snapshot());
      const inner = join(top, "src/inner");
      mkdirSync(inner);
      runGit(inner, "init", "-q");
      writeFiles(inner, { "easy.test.js": "passes", "other.js": "x" });
      if (commits) runGit(inner, "add", "--all");
      if (commits) runGit(inner, "commit", "-qm", "inner");
      const { restored } = await ask({ op: "protect", commit, globs: ["**/*.test.js"] });
      expect(restored).toEqual(["src/inner/easy.test.js"]);
      expect(existsSync(join(inner, "easy.test.js"))).toBe(false);
      expect(existsSync(join(inner, "other.js"))).toBe(true);
    },
  );

  test("leaves a submodule's own files and says nothing of them", async () => {
    const { snapshot, ask, top, git, root } = openPlayground({ files });
    const library = join(root, "library");
    mkdirSync(library);
    runGit(library, "init", "-q");
    writeFiles(library, { "a.test.js": "1" });
    runGit(library, "add", "--all");
    runGit(library, "commit", "-qm", "one");
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "test/library");
    git("commit", "-qm", "library");
    const commit = await commitOf(snapshot());
    writeFiles(join(top, "test/library"), { "a.test.js": "2" });
    runGit(join(top, "test/library"), "commit", "-qam", "two");
    expect(await ask({ op: "protect", commit, globs: ["test/**"] })).toEqual({ restored: [] });
  });

  test("works after the agent removed and remade the repository's own folder", async () => {
    const { snapshot, ask, top, write, git, read } = openPlayground({ files });
    const commit = await commitOf(snapshot());
    renameSync(join(top, ".git/objects"), join(top, "objects"));
    rmSync(join(top, ".git"), { recursive: true });
    git("init", "-q");
    rmSync(join(top, ".git/objects"), { recursive: true });
    renameSync(join(top, "objects"), join(top, ".git/objects"));
    write({ "test/a.test.js": "changed" });
    expect(await ask({ op: "protect", commit, globs: ["test/**"] })).toEqual({
      restored: ["test/a.test.js"],
    });
    expect(read("test/a.test.js")).toBe("test a");
  });
});
