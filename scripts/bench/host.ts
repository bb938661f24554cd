import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A repository at a git host. */
export interface Host {
  readonly remote: string;
  /** A fresh clone of depth 1, in its own folder. */
  clone(name: string): string;
}

/** A repository whose host is a folder. */
export function openHost(folder: string): Host {
  const remote = join(folder, "host.git");
  const git = (...args: readonly string[]) => execFileSync("git", args, { stdio: "ignore" });
  const first = join(folder, "first");
  git("init", "--quiet", "--bare", "--initial-branch=main", remote);
  git("init", "--quiet", "--initial-branch=main", first);
  writeFileSync(join(first, "README.md"), "x\n");
  git("-C", first, "add", "--all");
  const who = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"];
  git("-C", first, ...who, "commit", "--quiet", "--message", "All there is");
  git("-C", first, "push", "--quiet", remote, "main");
  return {
    remote,
    clone(name) {
      const path = join(folder, name, "checkout");
      mkdirSync(dirname(path), { recursive: true });
      git("clone", "--quiet", "--depth=1", `file://${remote}`, path);
      return path;
    },
  };
}
