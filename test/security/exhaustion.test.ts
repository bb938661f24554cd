import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { user as attacker } from "./escape-scene.ts";

const isRoot = process.getuid?.() === 0;
/** One of whom no other test ends the processes. */
const user = attacker + 1;
const main = join(import.meta.dirname, "../../src/cli/main.ts");

/** A disk of 96 MiB, which an ordinary user owns. */
const disk = mkdtempSync(isRoot ? "/home/until-green-disk-" : "/tmp/until-green-disk-");
const isMounted =
  isRoot && spawnSync("mount", ["-t", "tmpfs", "-o", "size=96m,mode=755", "tmpfs", disk]).status === 0;
if (isMounted) chownSync(disk, user, user);
afterAll(() => {
  if (isMounted) spawnSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true, force: true });
});

interface End {
  readonly code: number | null;
  readonly said: string;
}

/** As the ordinary user, below that disk. */
function start(words: readonly string[], cwd: string): Promise<End> {
  const identity = ["--reuid", `${user}`, "--regid", `${user}`, "--clear-groups"];
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
    HOME: disk,
    TMPDIR: join(disk, "tmp"),
  };
  return new Promise((resolve) => {
    const child = spawn("setpriv", [...identity, process.execPath, main, ...words], { cwd, env });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        said += chunk;
      });
    child.once("exit", (code) => resolve({ code, said }));
  });
}

function checkout(name: string): string {
  const path = join(disk, name);
  mkdirSync(path);
  mkdirSync(join(disk, "tmp"), { recursive: true });
  for (const folder of [path, join(disk, "tmp")]) chownSync(folder, user, user);
  execFileSync("setpriv", [
    "--reuid",
    `${user}`,
    "--regid",
    `${user}`,
    "--clear-groups",
    "git",
    "init",
    "-q",
    path,
  ]);
  return path;
}

/** Writes a megabyte at a time, until it is ended or the disk is full. */
const fill = "for i in $(seq 90); do head -c 1048576 /dev/zero >> big || exit 1; sleep 0.15; done";

describe.runIf(isMounted)("an ordinary user's disk", () => {
  test.each(["agent", "check"])(
    "is not filled by its %s: the run stops with the reason, and resumes",
    async (who) => {
      const repo = checkout(who);
      const parts =
        who === "agent" ? [`command:${fill}; touch done`, "test -e done"] : ["command:touch done", fill];
      const [agent = "", check = ""] = parts;
      const run = await start(
        ["run", "--prompt", "x", "--until-bash", check, "--max-iterations", "1", "--agent", agent],
        repo,
      );
      const { bavail, bsize } = statfsSync(disk);
      expect(run.said).toMatch(/only \d+ MiB are left on the disk of \S+, so the program that ran was ended/);
      expect(run.said).toContain("until-green resume");
      expect(run.code, run.said).not.toBe(0);
      expect(bavail * bsize).toBeGreaterThan(2 ** 20);
      const status = await start(["status"], repo);
      expect(status.said).not.toMatch(/damaged|cannot/);
      rmSync(repo, { recursive: true, force: true });
    },
  );
});
