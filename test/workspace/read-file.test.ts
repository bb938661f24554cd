import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { FileRequest } from "../../src/ports/file.ts";
import { noSuchFile } from "../../src/ports/unreadable.ts";
import { readFileIn } from "../../src/workspace/read-file.ts";

let root = "";
const read = (path: string, more: Partial<FileRequest> = {}) =>
  readFileIn({ path, of: "checkout", most: 2048, ...more }, join(root, "checkout"));

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "read-"));
  const checkout = join(root, "checkout");
  await mkdir(join(checkout, "deep/er"), { recursive: true });
  await mkdir(join(root, "checkout-2"));
  await writeFile(join(root, "secret"), "secret\n");
  await writeFile(join(root, "checkout-2/secret"), "secret\n");
  await writeFile(join(checkout, "deep/er/list.txt"), "ä\nb\n");
  await writeFile(join(checkout, "...txt"), "dots");
  await writeFile(join(checkout, "empty"), "");
  await writeFile(join(checkout, "just"), "x".repeat(2048));
  await writeFile(join(checkout, "large"), "x".repeat(2049));
  await symlink(join(root, "secret"), join(checkout, "file-link"));
  await symlink("../checkout-2", join(checkout, "folder-link"));
  await symlink("deep/er", join(checkout, "inner-link"));
  await symlink("loop", join(checkout, "loop"));
  execFileSync("bash", ["-c", 'mkfifo "$0"', join(checkout, "pipe")]);
  return () => rm(root, { recursive: true, force: true });
});

test.each([
  ["deep/er/list.txt", "ä\nb\n"],
  ["./deep//er/list.txt", "ä\nb\n"],
  ["inner-link/list.txt", "ä\nb\n"],
  ["...txt", "dots"],
  ["empty", ""],
  ["just", "x".repeat(2048)],
])("reads %s", async (path, text) => {
  expect(await read(path)).toEqual({ text });
});

test.each([
  ["/etc/hosts", "it is outside of the checkout"],
  ["../secret", "it is outside of the checkout"],
  ["deep/../../secret", "it is outside of the checkout"],
  ["deep\\..\\..\\secret", "it is outside of the checkout"],
  ["file-link", "it is outside of the checkout"],
  ["folder-link/secret", "it is outside of the checkout"],
  ["nothing", noSuchFile],
  ["empty/file", noSuchFile],
  ["deep", "it is no regular file"],
  [".", "it is no regular file"],
  ["", "it is no regular file"],
  ["pipe", "it is no regular file"],
  ["loop", "it cannot be read: ELOOP"],
  ["large", "it is larger than 2 KiB"],
  ["with\0nul", "it cannot be read: ERR_INVALID_ARG_VALUE"],
])("does not read %j", async (path, because) => {
  expect(await read(path)).toEqual({ because });
});

test("says that a file is outside of the artifacts", async () => {
  expect(await read("../x", { of: "artifacts" })).toEqual({ because: "it is outside of the artifacts" });
});
