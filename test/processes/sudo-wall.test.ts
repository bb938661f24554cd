import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { commandOf } from "../security/escape-scene.ts";

/*
 * The process wall as sudo builds it: on GitHub-hosted runners, where user namespaces are forbidden. Root stands in for a
 * user who may use sudo: in mounts of its own, `nobody` may.
 */

const folder = mkdtempSync(join(tmpdir(), "until-green-sudo-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
chmodSync(folder, 0o777);
const isRoot = process.getuid?.() === 0;
const rules = join(folder, "rules");
writeFileSync(rules, "nobody ALL=(ALL) NOPASSWD: ALL\n");
const asUser = isRoot
  ? [
      ...["unshare", "-m", "sh", "-c"],
      `mount -t tmpfs -o mode=755 tmpfs /etc/sudoers.d && install -m 440 ${rules} /etc/sudoers.d/nobody && exec "$@"`,
      ...["sh", "setpriv", "--reuid", "nobody", "--regid", "nogroup", "--groups", "nogroup,tty"],
    ]
  : [];

function run(...command: readonly string[]) {
  const [program = "", ...args] = [...asUser, ...command];
  const env = { PATH: process.env["PATH"], HOME: folder };
  return spawnSync(program, args, { cwd: folder, env, encoding: "utf8", timeout: 60_000 });
}

const modules = new URL("../../src/processes/", import.meta.url).pathname;
/** Also whether that user may read our code and start Node. */
const mayUseSudo =
  process.platform === "linux" &&
  [
    ["sudo", "-n", "unshare", "-m", "-i", "-p", "-f", "--mount-proc", "true"],
    [process.execPath, "--version"],
    ["cat", join(modules, "process.ts")],
  ].every((command) => run(...command).status === 0);
const user = isRoot ? "nobody" : userInfo().username;

const running = (command: string) =>
  readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandOf(Number(pid)).trim() === command);

/** Runs a script behind the wall. */
function behind(script: string, env: Readonly<Record<string, string>> = {}, more: object = {}) {
  for (const name of ["hidden", "fixed"]) {
    writeFileSync(join(folder, name), name);
    chmodSync(join(folder, name), 0o666);
  }
  const options = { masks: [join(folder, "hidden")], fixed: [join(folder, "fixed")] };
  const launch = { command: "/bin/sh", args: ["-c", script], env: { PATH: "/usr/bin:/bin", ...env } };
  const program = `import { bySudo, findTools } from "${modules}pid-namespace.ts";
    import { runProcess } from "${modules}process.ts";
    const wall = bySudo(findTools(), ${JSON.stringify(options)});
    const end = await runProcess({ ...${JSON.stringify(launch)}, cwd: ${JSON.stringify(folder)}, timeoutMs: 30_000, ...${JSON.stringify(more)},
      signal: new AbortController().signal, wrap: async (launch) => wall.wrap(launch) });
    console.log(JSON.stringify(end));`;
  const { stdout, stderr } = run(process.execPath, "--input-type=module-typescript", "-e", program);
  return JSON.parse(stdout || JSON.stringify({ stderr })) as { readonly [key: string]: unknown };
}

test.runIf(mayUseSudo)("behind it a program is the same user, without groups and privileges", () => {
  const status = "grep -E '^(NoNewPrivs|Cap...|Groups):' /proc/self/status | tr -d '\\t '";
  const { stdout } = behind(`id -un; id -gn; id -Gn | wc -w; ${status}`);
  const groups = "Groups:";
  expect(`${stdout}`.trim().split("\n")).toEqual([
    user,
    expect.stringMatching(/./),
    "1",
    groups,
    ...["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].map((name) => `${name}:${"0".repeat(16)}`),
    "NoNewPrivs:1",
  ]);
});

test.runIf(mayUseSudo)(
  "behind it nothing leads back to root, to other processes or to what is hidden",
  () => {
    const script = `sudo -n true && echo sudo; sg tty -c true && echo group
    nsenter -t 1 -m true && echo mounts; umount hidden && echo umount; kill -KILL 1; kill -0 1 || echo first
    ls /proc | grep -c '^[0-9]'; cat hidden; echo x > fixed; cat fixed`;
    const { stdout, exitCode } = behind(script);
    expect(`${stdout}`.trim().split("\n").slice(1)).toEqual(["fixed"]);
    expect(Number(`${stdout}`.split("\n")[0])).toBeLessThan(8);
    expect(exitCode).toBe(0);
  },
);

/** A program with a name of its own: others may run these tests on this machine, too. */
const asleep = `sleep 4717.${process.pid}`;

test.runIf(mayUseSudo)("behind it a program has its environment, its exit code and its end", () => {
  const env = { ODD: "a'b\nc $HOME `id`" };
  expect(behind('printf %s "$ODD"; exit 7', env)).toMatchObject({ stdout: env.ODD, exitCode: 7 });
  expect(
    behind(`(setsid ${asleep} &) > /dev/null 2>&1; kill -STOP 0; kill -STOP $PPID; echo on`),
  ).toMatchObject({
    stdout: "on\n",
  });
  expect(running(asleep)).toEqual([]);
});

test.runIf(mayUseSudo)("behind it a program whose time is up ends, with all that it started", () => {
  const script = `trap '' TERM; (setsid ${asleep} &); echo on; while :; do sleep 0.1; done`;
  expect(behind(script, {}, { timeoutMs: 1500 })).toMatchObject({ how: "timed-out", stdout: "on\n" });
  expect(running(asleep)).toEqual([]);
});
