import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { user as attacker } from "./escape-scene.ts";

const isRoot = process.getuid?.() === 0;
/** One of whom no other test ends the processes. */
const user = attacker + 1;
const main = builtCommandLine();

/** A disk of 96 MiB, which an ordinary user owns. */
const disk = mkdtempSync(isRoot ? "/home/until-green-disk-" : "/tmp/until-green-disk-");
const isMounted =
  isRoot &&
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=96m,nr_inodes=100000,mode=755", "tmpfs", disk]).status === 0;
if (isMounted) chownSync(disk, user, user);
afterAll(() => {
  if (isMounted) spawnSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true, force: true });
});

interface End {
  readonly code: number | null;
  readonly message: string;
}

/** A control group with 2 GiB of memory; nothing if none can be made here. */
const group = openGroup();
afterAll(() => {
  if (group !== undefined) rmdirSync(group);
});

function openGroup(): string | undefined {
  const [first, second] = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"];
  const [at, limit] = existsSync(first) ? [first, "memory.limit_in_bytes"] : [second, "memory.max"];
  const path = join(at, `until-green-${process.pid}`);
  try {
    mkdirSync(path);
    writeFileSync(join(path, limit), String(2 ** 31));
    return path;
  } catch {
    return undefined;
  }
}

/** As the ordinary user, below that disk; in that control group if asked. */
function start(args: readonly string[], cwd: string, within?: string): Promise<End> {
  const identity = ["--reuid", `${user}`, "--regid", `${user}`, "--clear-groups"];
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
    HOME: disk,
    TMPDIR: join(disk, "tmp"),
  };
  return new Promise((resolve) => {
    const command = ["setpriv", ...identity, process.execPath, main, ...args];
    const enter = within === undefined ? "" : `echo $$ > ${join(within, "cgroup.procs")}; `;
    const child = spawn("bash", ["-c", `${enter}exec "$@"`, "bash", ...command], { cwd, env });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        output += chunk;
      });
    child.once("exit", (code) => resolve({ code, message: output }));
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
      expect(run.message).toMatch(
        /only \d+ MiB are left on the disk of \S+, so the running program was ended/,
      );
      expect(run.message).toContain("until-green resume");
      expect(run.code, run.message).not.toBe(0);
      expect(bavail * bsize).toBeGreaterThan(2 ** 20);
      const status = await start(["status"], repo);
      expect(status.message).not.toMatch(/damaged|cannot/);
      rmSync(repo, { recursive: true, force: true });
    },
  );
});

/** Empty files, of which a disk takes a limited number. */
const litter = "for i in $(seq 30); do (mkdir d$i; cd d$i; seq 500 | xargs touch) || exit 1; sleep 0.1; done";

describe.runIf(isMounted)("an ordinary user's disk that takes few files", () => {
  test("is not filled with empty ones: the run stops with the reason", async () => {
    const repo = checkout("files");
    execFileSync("mount", ["-o", "remount,nr_inodes=8000", disk]);
    const loop = ["--until-bash", "test -e done", "--max-iterations", "1"];
    const run = await start(
      ["run", "--prompt", "x", ...loop, "--agent", `command:${litter}; touch done`],
      repo,
    );
    const { ffree } = statfsSync(disk);
    expect(run.message).toMatch(
      /only \d+ more files can be made on the disk of \S+, so the running program was ended/,
    );
    expect(run.message).toContain("until-green resume");
    expect(ffree).toBeGreaterThan(100);
    expect((await start(["status"], repo)).message).not.toMatch(/damaged|cannot/);
    rmSync(repo, { recursive: true, force: true });
    execFileSync("mount", ["-o", "remount,nr_inodes=100000", disk]);
  });
});

/** Takes most of the memory at once, and then a little at a time, until it is ended. */
const take = (how: string) => `python3 -c '
import mmap, time
${how}
take(1500)
for i in range(300):
    take(2)
    time.sleep(0.1)
'`;

import { builtCommandLine } from "../parts/built.ts";

describe.runIf(isMounted && group !== undefined)("an ordinary user's memory", () => {
  test.each([
    ["of its own", take('held = []\ndef take(n): held.append(bytearray(b"x") * (n << 20))')],
    [
      "in files",
      take(
        'f = open("/dev/shm/held", "wb")\ndef take(n):\n    for i in range(n): f.write(b"x" * (1 << 20))\n    f.flush()',
      ),
    ],
  ])("is not taken by its agent, %s: the agent fails and says why", async (_, eat) => {
    const repo = checkout("memory");
    const loop = ["--until-bash", "test -e done", "--max-iterations", "1"];
    const agent = `command:${eat}; echo $?; touch done`;
    const run = await start(["run", "--prompt", "x", ...loop, "--agent", agent], repo, group);
    expect(run.message).toMatch(
      /the program was ended, because it used \d+ MiB of memory and only \d+ MiB of 2048 MiB/,
    );
    expect(run.code, run.message).toBe(1);
    expect((await start(["status"], repo)).message).not.toMatch(/damaged|cannot/);
    rmSync(repo, { recursive: true, force: true });
  });
});
