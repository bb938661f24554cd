import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { env } from "node:process";

const cache = resolve(import.meta.dirname, "../../node_modules/.cache/go");

let made: Readonly<Record<string, string>> | undefined;

/**
 * The environment of Go with a compiled standard library, as Go had it before 1.20. A fresh clone has no build cache, and
 * to compile the library again took ten times as long as all the rest of a loop.
 */
export function goRoot(): Readonly<Record<string, string>> {
  made ??= { GOROOT: compiled(), GODEBUG: "installgoroot=all" };
  return made;
}

function compiled(): string {
  const go = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    execFileSync("go", args, { env: { ...env, ...more }, encoding: "utf8" }).trim();
  const [root = "", version = ""] = go(["env", "GOROOT", "GOVERSION"]).split("\n");
  const folder = join(cache, version);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  // In a folder of its own until it is whole: two test files may want it at the same time.
  const draft = mkdtempSync(join(cache, "new-"));
  mkdirSync(join(draft, "pkg"));
  for (const within of ["", "pkg"])
    for (const name of readdirSync(join(root, within)))
      if (name !== "pkg") symlinkSync(join(root, within, name), join(draft, within, name));
  const imported = ["testing", "testing/internal/testdeps", "fmt", "os"];
  const packages = go(["list", "-deps", ...imported]).split("\n");
  go(["install", ...packages.filter((name) => name !== "unsafe")], {
    GOROOT: draft,
    GODEBUG: "installgoroot=all",
    GOCACHE: join(cache, "build"),
  });
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}
