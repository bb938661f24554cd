import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packFiles } from "../../../src/stores/git/files.ts";

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
