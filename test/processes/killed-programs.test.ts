import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanAfterKill } from "../../src/processes/clean-after-kill.ts";
import { watchGit } from "../../src/processes/watch-git.ts";
import { builtCommandLine } from "../parts/built.ts";
import { openPlayground, runGit } from "../workspace/playground.ts";

const module = join(import.meta.dirname, "../../src/processes/watch-git.ts");
const canMount = spawnSync("unshare", ["-m", "true"]).status === 0;
const files = { "a.txt": "a\n" };

/** What `git status` runs in the checkout if the repository in `inner` is obeyed. */
function arm({ top, outside, write }: ReturnType<typeof openPlayground>): string {
  const ran = join(outside, "ran");
  write({ "inner/f": "1\n" });
  const inner = join(top, "inner");
  runGit(top, "init", "-q", "inner");
  runGit(inner, "add", "f");
  runGit(inner, "commit", "-q", "-m", "first");
  runGit(top, "add", "inner");
  runGit(inner, "config", "core.fsmonitor", `touch ${ran}; false`);
  return ran;
}

/** Another process that is killed while its program works in the checkout. */
function killedIn(top: string): void {
  const script = `import { watchGit } from ${JSON.stringify(module)};
    await watchGit([${JSON.stringify(top)}]); process.kill(process.pid, "SIGKILL");`;
  const { signal } = spawnSync(process.execPath, ["--input-type=module-typescript", "--eval", script], {
    cwd: top,
  });
  expect(signal).toBe("SIGKILL");
}

async function clean(top: string): Promise<string> {
  let said = "";
  await cleanAfterKill(join(top, ".git"), (text) => {
    said += text;
  });
  return said;
}

const recordsOf = (top: string) => readdirSync(join(top, ".git/until-green/programs"));

test("what a program armed is disarmed after its until-green was killed, before git enters it", async () => {
  const play = openPlayground({ files });
  killedIn(play.top);
  const ran = arm(play);
  expect(await clean(play.top)).toContain(join(play.top, "inner"));
  play.git("status", "--short");
  expect(existsSync(ran)).toBe(false);
  expect(recordsOf(play.top)).toEqual([]);
  expect(await clean(play.top)).toBe("");
});

test("the next program's start disarms it too", async () => {
  const play = openPlayground({ files });
  killedIn(play.top);
  const ran = arm(play);
  const close = await watchGit([play.top]);
  close();
  play.git("status", "--short");
  expect(existsSync(ran)).toBe(false);
});

test("records of processes that were lost with their machine are taken over together", async () => {
  const play = openPlayground({ files });
  killedIn(play.top);
  const folder = join(play.top, ".git/until-green/programs");
  const record = recordsOf(play.top).find((name) => name.endsWith(".json")) ?? "";
  const text = readFileSync(join(folder, record));
  for (const name of recordsOf(play.top)) rmSync(join(folder, name));
  // One lease each, one after the other, would take longer than a test may.
  for (const pid of [2, 3, 4, 5, 6, 7]) {
    writeFileSync(join(folder, `${pid}-pod.json`), text);
    writeFileSync(join(folder, `${pid}-pod.lock`), `${pid} 1 pod-1 1 01234567`);
  }
  const close = await watchGit([play.top]);
  close();
  expect(recordsOf(play.top)).toEqual([]);
});

test("nothing is touched while the process of a record is alive, and no record stays after its program", async () => {
  const play = openPlayground({ files });
  const close = await watchGit([play.top]);
  arm(play);
  expect(await clean(play.top)).toBe("");
  expect(readFileSync(join(play.top, "inner/.git/config"), "utf8")).toContain("fsmonitor");
  close();
  expect(readFileSync(join(play.top, "inner/.git/config"), "utf8")).not.toContain("fsmonitor");
  expect(recordsOf(play.top)).toEqual([]);
});

test("links, locks and the name of another folder that a program left are removed, but not what people set long after the kill", async () => {
  const play = openPlayground({ files });
  killedIn(play.top);
  const git = join(play.top, ".git");
  mkdirSync(join(git, "rr-cache"));
  execFileSync("ln", ["-s", "/nowhere", join(git, "rr-cache/link")]);
  writeFileSync(join(git, "commondir"), "../evil\n");
  writeFileSync(join(git, "index.lock"), "");
  await clean(play.top);
  expect(["rr-cache/link", "commondir", "index.lock"].filter((name) => existsSync(join(git, name)))).toEqual(
    [],
  );

  killedIn(play.top);
  const lock = recordsOf(play.top).find((name) => name.endsWith(".lock")) ?? "";
  const hourAgo = Date.now() / 1000 - 3600;
  utimesSync(join(git, "until-green/programs", lock), hourAgo, hourAgo);
  play.git("config", "alias.mine", "log");
  expect(await clean(play.top)).toBe("");
  expect(play.git("config", "alias.mine")).toBe("log\n");
});

test("a record that cannot be read is removed", async () => {
  const play = openPlayground({ files });
  mkdirSync(join(play.top, ".git/until-green/programs"), { recursive: true });
  writeFileSync(join(play.top, ".git/until-green/programs/1-x.json"), "{");
  expect(await clean(play.top)).toBe("");
  expect(recordsOf(play.top)).toEqual([]);
});

test.runIf(canMount)("a checkout on a read-only disk is left as it is", () => {
  const { top } = openPlayground({ files });
  killedIn(top);
  const main = builtCommandLine();
  const script = `mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && cd "$1" && exec "$2" "$3" list`;
  const args = ["-m", "bash", "-c", script, "bash", top, process.execPath, main];
  const { status, stderr } = spawnSync("unshare", args, { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  expect(recordsOf(top).length).toBeGreaterThan(0);
});
