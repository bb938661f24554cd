import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { type Folder, folderAt, loopFile, openFolder, typed } from "../parts/terminal.ts";

const canMount = spawnSync("unshare", ["-Urm", "mount", "-t", "tmpfs", "tmpfs", "/tmp"]).status === 0;
const runId = "full-run";
const how = ["--store", "git"];
const workflow = loopFile(`
  prompt: "round $LOOP_ITERATION"
  until_bash: test "$LOOP_ITERATION" -ge 4
  max_iterations: 9
`);
// Its answers are long enough to be in the way.
const agent = (second = "true") =>
  `command:echo "$UNTIL_GREEN_ITERATION" >> calls; test "$UNTIL_GREEN_ITERATION" != 2 -o -e second || { touch second; ${second}; }; head -c 30000 /dev/zero | tr "\\0" a; echo did`;

interface Disk {
  /** A checkout whose unpushed lines and other temporary files are on the small disk. */
  readonly folder: Folder;
  /** The same, started through a shell that runs this first. */
  after(script: string): Folder;
  /** Runs a command as the commands of the folder see the disk. */
  inside(script: string): Promise<unknown>;
}

/** A disk of so many KiB, in a namespace of its own. */
async function openDisk(kib: number): Promise<Disk> {
  const { path, write } = openFolder();
  write({ "w.yml": workflow, ".gitignore": "calls\nsecond\ndisk/\nhost.git/\n" });
  const disk = join(path, "disk");
  mkdirSync(disk);
  execFileSync("git", ["init", "--quiet", "--bare", join(path, "host.git")]);
  execFileSync("git", ["remote", "add", "origin", join(path, "host.git")], { cwd: path });
  const mount = `mount -t tmpfs -o size=${kib}k tmpfs "$0" && echo mounted && exec sleep 300`;
  const holder = spawn("unshare", ["-Urm", "sh", "-c", mount, disk], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await new Promise((resolve, reject) => {
    holder.stdout.once("data", resolve);
    holder.once("exit", () => reject(new Error("no disk could be mounted")));
  });
  const enter = ["nsenter", "-t", `${holder.pid}`, "-U", "-m", "--preserve-credentials"];
  const after = (script: string) =>
    folderAt(path, { ...typed(), TMPDIR: disk, RUNNER_TEMP: disk, HOME: path }, [
      ...enter,
      ...["sh", "-c", `cd "$0" && ${script}; exec "$@"`, path],
    ]);
  return {
    after,
    folder: after("true"),
    inside: (script) =>
      promisify(execFile)(enter[0] as string, [...enter.slice(1), "sh", "-c", script, disk]),
  };
}

const callsIn = ({ path }: Folder) => {
  const calls = join(path, "calls");
  return existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n").map(Number) : [];
};

const run = (folder: Folder, second?: string) =>
  folder.run("run", "w.yml", "--agent", agent(second), "--run-id", runId, "--isolation", "off", ...how);

/** Goes on with the run, or begins it where nothing of it was on record; through a shell with limits, if given. */
async function goOn(folder: Folder, limited = folder) {
  const { code } = await folder.run("status", runId, ...how);
  return code === 0 ? limited.run("resume", runId, "--isolation", "off", ...how) : run(limited);
}

// Each size fills up at another point: at the first line, at the claim, before the first agent is paid, when the reserve
// is used up, and around the clone in which the last check runs.
test.runIf(canMount).each([4, 32, 64, 100, 600, 680, 700])(
  "a git store whose disk of %i KiB is full says what to do; with more room nothing is repeated",
  async (kib) => {
    const { folder, inside } = await openDisk(kib);
    const { code, stderr } = await run(folder);
    // The largest may be enough where less is written.
    if (kib < 600 || code !== 0) {
      expect(code, stderr).toBe(1);
      expect(stderr).toMatch(
        /no space is left for \/\S+\/disk\S* \(ENOSPC\): what was recorded before is not lost; free/,
      );
      if (callsIn(folder).length > 0) expect(stderr).toContain(`until-green resume ${runId} --store git`);
      expect(stderr).toMatch(
        /free some space, then (repeat the command|resume the run: until-green resume \S+ --store git)$/m,
      );
      await inside('mount -o remount,size=200m "$0"');
      const end = await goOn(folder);
      expect(end.code, end.stderr).toBe(0);
    }
    expect(callsIn(folder)).toEqual([1, 2, 3, 4]);
    const ended = execFileSync("git", ["show", `refs/until-green/${runId}/state:events`], {
      cwd: join(folder.path, "host.git"),
      encoding: "utf8",
    });
    expect(ended).toContain("run.ended");
  },
);

test.runIf(canMount)(
  "an answer for which the disk has no more room is on record, and not asked for again",
  async () => {
    const { folder, inside } = await openDisk(3000);
    const fill = 'head -c 300M /dev/zero > "$(df --output=target "$TMPDIR" | tail -n 1)/fill" 2> /dev/null';
    const { code, stderr } = await run(folder, fill);
    expect(code, stderr).toBe(1);
    expect(stderr).toContain(`then resume the run: until-green resume ${runId} --store git`);
    await inside('rm "$0/fill"');
    const end = await goOn(folder);
    expect(end.code, end.stderr).toBe(0);
    expect(callsIn(folder)).toEqual([1, 2, 3, 4]);
  },
);

test.runIf(canMount)(
  "a disk that turns read-only ends the run with what to do; only the call it cut off runs again",
  async () => {
    const { folder, inside } = await openDisk(3000);
    const lock = `d=$(find disk -type d -name ${runId}) && mount --bind $d $d && mount -o remount,bind,ro $d`;
    const { code, stderr } = await run(folder, lock);
    expect(code, stderr).toBe(1);
    expect(stderr).toMatch(
      /is on a disk that is read-only now \(EROFS\): what was recorded is not lost; make it writable, then resume the run: until-green resume full-run --store git/,
    );
    await inside(`umount "$0"/*/*/${runId} && mount -o remount,ro "$0"`);
    for (const args of [["resume", runId], ["list"], ["status", runId]])
      expect((await folder.run(...args, ...how)).stderr).toMatch(
        /read-only now \(EROFS\): .*; make it writable/,
      );
    await inside('mount -o remount,rw "$0"');
    const end = await goOn(folder);
    expect(end.code, end.stderr).toBe(0);
    expect(end.stderr).toContain("iteration 2 of fix was in progress");
    expect(callsIn(folder)).toEqual([1, 2, 2, 3, 4]);
  },
);

test.runIf(canMount)(
  "too few open files end a command with what to do, and lose nothing",
  { timeout: 240_000 },
  async () => {
    const { folder, after } = await openDisk(3000);
    const messages: string[] = [];
    // How many files a process needs depends on the machine.
    for (let files = 24, isDone = false; !isDone && files < 200; files += 2) {
      const { code, stderr } = await goOn(folder, after(`ulimit -n ${files}`));
      isDone = code === 0;
      if (!isDone) messages.push(stderr);
    }
    expect(messages.join("\n")).toMatch(
      /too many files are open \(EMFILE\): what was recorded is not lost; .*ulimit -n.*, then (resume|repeat)/,
    );
    expect(callsIn(folder)).toEqual([1, 2, 3, 4]);
  },
);

test.runIf(canMount)(
  "a checkout on a disk that is read-only ends the run with what to do, and fails no loop",
  async () => {
    const { folder, after } = await openDisk(3000);
    const lock = "mount --bind .git .git && mount -o remount,bind,ro .git";
    const { code, stderr } = await run(after(lock));
    expect(code, stderr).toBe(1);
    expect(stderr).toMatch(
      /is on a disk that is read-only now \(EROFS\): .*make it writable, then resume the run/,
    );
    const end = await goOn(folder, after("umount .git"));
    expect(end.code, end.stderr).toBe(0);
    expect(callsIn(folder)).toEqual([1, 2, 3, 4]);
  },
);

test.runIf(canMount)(
  "a host whose disk is read-only for a while is waited for, and keeps the run where it was to be kept",
  async () => {
    const { folder, inside } = await openDisk(3000);
    const host = '"$0/../host.git"';
    await inside(`mount --bind ${host} ${host} && mount -o remount,bind,ro ${host}`);
    const args = ["run", "w.yml", "--agent", agent(), "--run-id", runId, "--isolation", "off", ...how];
    const running = folder.start(...args);
    let output = "";
    running.process.stderr?.on("data", (text) => {
      output += text;
    });
    await expect.poll(() => output, { timeout: 60_000 }).toContain("still trying");
    await inside(`umount ${host}`);
    const { code, stderr } = await running.ended;
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain("accepts no refs");
    expect(callsIn(folder)).toEqual([1, 2, 3, 4]);
  },
);

test.runIf(canMount)("a file for which the disk has no room is not left half written", async () => {
  const { folder, inside } = await openDisk(64);
  await inside('head -c 9M /dev/zero > "$0/fill"').catch(() => undefined);
  const commands = {
    "disk/c.yml cannot be written: no space is left (ENOSPC)": ["convert", "w.yml", "--out", "disk/c.yml"],
    "the report cannot be written: no space is left for disk/s.html (ENOSPC)": [
      ...["stats", "--out", "disk/s.html", "--format", "html"],
    ],
  };
  for (const [message, command] of Object.entries(commands)) {
    const { code, stderr } = await folder.run(...command);
    expect(code, stderr).toBe(2);
    expect(stderr).toContain(`${message}; free some space, then repeat the command`);
  }
  await inside('test "$(ls "$0")" = fill');
  await inside('rm "$0/fill"');
  for (const command of Object.values(commands)) expect((await folder.run(...command)).code).toBe(0);
  await inside('test -s "$0/c.yml" && test -s "$0/s.html"');
});
