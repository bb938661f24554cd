import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openIsolation } from "../../src/processes/isolation.ts";
import { builtCommandLine } from "../parts/built.ts";
import { typed } from "../parts/terminal.ts";

const walls = await openIsolation({ environment: process.env }).walls();
const hasFileWall = walls.some(({ name, on }) => name === "files" && on);
const isRoot = process.getuid?.() === 0;

function open() {
  const checkout = mkdtempSync(join(tmpdir(), "until-green-owner-"));
  onTestFinished(() => rmSync(checkout, { recursive: true, force: true }));
  execFileSync("git", ["init", "--quiet"], { cwd: checkout });
  const run = (...args: readonly string[]) => {
    const { stdout, stderr } = spawnSync(process.execPath, [builtCommandLine(), ...args], {
      cwd: checkout,
      env: { ...typed(), GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" },
      encoding: "utf8",
    });
    return stdout + stderr;
  };
  return { checkout, run };
}

test.runIf(hasFileWall)("doctor starts a program behind the walls and says what it can do", () => {
  const { run } = open();
  expect(run("doctor")).toContain(
    "✔ isolation   a program can write in the checkout, read it, start git, resolve names",
  );
});

test.runIf(hasFileWall && isRoot)(
  "root can write behind the walls in a checkout of somebody else",
  async () => {
    const { checkout, run } = open();
    execFileSync("chown", ["-R", "47123:47123", checkout]);
    expect(run("doctor")).toContain("a program can write in the checkout");
    const isolation = openIsolation({ environment: process.env, writable: [checkout] });
    const { command, args, env, close } = await isolation.wrap({
      command: "/bin/sh",
      args: [
        "-c",
        "echo x > made; cat /etc/shadow; echo x > /etc/made; echo x > ~/made; grep CapEff /proc/self/status",
      ],
      env: { PATH: "/usr/bin:/bin", HOME: process.env["HOME"] ?? "/root" },
    });
    const { stdout } = spawnSync(command, args, { cwd: checkout, env, encoding: "utf8" });
    close?.();
    expect(readFileSync(join(checkout, "made"), "utf8")).toBe("x\n");
    expect(stdout).toMatch(/^CapEff:\t000000000000000b\n$/);
    expect(existsSync("/etc/made")).toBe(false);
  },
);
