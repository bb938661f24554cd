import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeTree } from "../../../src/git/objects.ts";
import { packFiles, unpackFiles } from "../../../src/stores/git/files.ts";

test("a file or folder that an agent moves away at this moment stays behind, and the rest travels", () => {
  const top = mkdtempSync(join(tmpdir(), "pack-files-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const [gitDir, folder] = [join(top, "git"), join(top, "files")];
  execFileSync("git", ["init", "--quiet", "--bare", gitDir]);
  mkdirSync(join(folder, "b"), { recursive: true });
  for (const name of ["a.txt", "b/c.txt", "d.txt"]) writeFileSync(join(folder, name), name);
  const tree = packFiles(
    { gitDir, format: "sha1" },
    {
      folder,
      caps: { fileBytes: 100, bytes: 100, files: 10 },
      secrets: [],
      seal: (_, body) => body,
      travels(path) {
        // What came before is measured by now, and not yet read.
        if (path === "d.txt") renameSync(join(folder, "b"), join(top, "b"));
        return true;
      },
    },
  );
  const packed = execFileSync("git", ["-C", gitDir, "ls-tree", "-r", "--name-only", tree ?? ""], {
    encoding: "utf8",
  });
  expect(packed).toBe("a.txt\nd.txt\n");
});

/** A repository, and a folder with files whose ages are in their order, the oldest first. */
function open(files: Readonly<Record<string, string>>) {
  const top = mkdtempSync(join(tmpdir(), "files-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const [gitDir, folder] = [join(top, "git"), join(top, "files")];
  execFileSync("git", ["init", "--quiet", "--bare", gitDir]);
  mkdirSync(folder);
  for (const [at, [path, body]] of Object.entries(files).entries()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), body);
    utimesSync(join(folder, path), 1_700_000_000 + at, 1_700_000_000 + at);
  }
  const pack = (more: Partial<Parameters<typeof packFiles>[1]> = {}) => {
    const tree = packFiles(
      { gitDir, format: "sha1" },
      {
        folder,
        caps: { fileBytes: 10, bytes: 25, files: 4 },
        secrets: [],
        travels: () => true,
        seal: (_, body) => body,
        ...more,
      },
    );
    if (tree === undefined) return undefined;
    const names = execFileSync("git", ["-C", gitDir, "ls-tree", "-r", "--name-only", tree], {
      encoding: "utf8",
    });
    return Object.fromEntries(
      names
        .trim()
        .split("\n")
        .map((name) => [
          name,
          execFileSync("git", ["-C", gitDir, "show", `${tree}:${name}`], { encoding: "utf8" }),
        ]),
    );
  };
  return { top, gitDir, folder, pack };
}

test("as many files travel as the limits allow: of each, of all together, and of their number", () => {
  const { pack } = open({ a: "1234567890", b: "12345678901", c: "1234567890", d: "123456", e: "12345" });
  expect(Object.keys(pack() ?? {})).toEqual(["a", "c"]);
  expect(Object.keys(pack({ caps: { fileBytes: 11, bytes: 100, files: 3 } }) ?? {})).toEqual(["a", "b", "c"]);
  const caps = { fileBytes: 10, bytes: 25, files: 5 };
  expect(Object.keys(pack({ caps }) ?? {})).toEqual(["a", "c", "e"]);
  expect(Object.keys(pack({ caps, newestFirst: true }) ?? {})).toEqual(["c", "d", "e"]);
  expect(pack({ travels: () => false })).toBeUndefined();
});

test("no secret travels, neither in a file nor in a name; nor do links and hidden files", () => {
  const secrets = ["sk-secret", "short"];
  const { folder, top, pack } = open({
    "log.txt": "key sk-secret, a short one",
    "sub/deep.txt": "d",
    "sk-secret.txt": "x",
    ".hidden": "x",
    ".sub/a.txt": "x",
  });
  writeFileSync(join(top, "outside"), "x");
  symlinkSync(join(top, "outside"), join(folder, "link"));
  const caps = { fileBytes: 100, bytes: 1_000, files: 10 };
  const travelled: string[] = [];
  const travels = (path: string) => travelled.push(path) > 0;
  const seal = (path: string, body: Buffer) => Buffer.from(`${path}: ${body}`);
  expect(pack({ secrets, caps, travels, seal })).toEqual({
    "log.txt": "log.txt: key ***, a short one",
    "sub/deep.txt": "sub/deep.txt: d",
  });
  expect(travelled.toSorted()).toEqual(["log.txt", "sk-secret.txt", "sub/deep.txt"]);
});

test("files come back as they were, over whatever is there, and only where they may", async () => {
  const { gitDir, top } = open({});
  const folder = join(top, "back");
  mkdirSync(folder);
  const body = (text: string) => Buffer.from(text);
  const tree = writeTree(gitDir, "sha1", {
    "a.txt": body("new"),
    sub: { "b.txt": body("b"), "not.txt": body("x") },
    "..": { evil: body("x") },
    ".": { dot: body("x") },
    "c:d": body("drive"),
    "e\\f": body("backslash"),
  });
  writeFileSync(join(top, "outside"), "mine");
  symlinkSync(join(top, "outside"), join(folder, "a.txt"));
  await unpackFiles(
    { gitDir },
    {
      tree,
      folder,
      travels: (path) => path !== "sub/not.txt",
      open: (path, stored) => body(`${path}=${stored}`),
      mode: 0o600,
    },
  );
  expect(existsSync(join(top, "evil"))).toBe(false);
  expect(readFileSync(join(top, "outside"), "utf8")).toBe("mine");
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("a.txt=new");
  expect(readFileSync(join(folder, "sub", "b.txt"), "utf8")).toBe("sub/b.txt=b");
  expect(readdirSync(folder).toSorted()).toEqual(["a.txt", "sub"]);
  expect(readdirSync(join(folder, "sub"))).toEqual(["b.txt"]);
  expect(lstatSync(join(folder, "a.txt")).mode & 0o777).toBe(0o600);
  expect(lstatSync(join(folder, "sub")).mode & 0o777).toBe(0o700);
  expect(existsSync(join(folder, "sub", "not.txt"))).toBe(false);
});

test("of what a tree has, only files come back: no links and no submodules", async () => {
  const { gitDir, top } = open({});
  const git = (input: string, ...args: readonly string[]) =>
    execFileSync("git", ["-C", gitDir, ...args], { input, encoding: "utf8" }).trim();
  const blob = git("/etc/passwd", "hash-object", "-w", "--stdin");
  const rows = [
    `120000 blob ${blob}\tlink`,
    `160000 commit ${"1".repeat(40)}\tmodule`,
    `100755 blob ${blob}\tprogram`,
  ];
  const tree = git(`${rows.join("\n")}\n`, "mktree", "--missing");
  const folder = join(top, "back");
  mkdirSync(folder);
  await unpackFiles({ gitDir }, { tree, folder, travels: () => true, open: (_, stored) => stored });
  expect(readdirSync(folder)).toEqual(["program"]);
  expect(readFileSync(join(folder, "program"), "utf8")).toBe("/etc/passwd");
});
