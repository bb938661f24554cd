import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { watchPipes } from "../../src/processes/pipe-watch.ts";
import { openPlayground } from "../workspace/playground.ts";

/** What a script prints in a folder, with what the watch says. */
async function run(script: string, cwd: string): Promise<string> {
  // What was there before must be older than the last tick of the clock of files.
  await setTimeout(50);
  const start = Date.now() - 10;
  const child = spawn("bash", ["--norc", "-c", script], {
    cwd,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const stop = watchPipes({ pid: child.pid ?? 0, cwd, start, say: (text) => (output += text) }, 600);
  await new Promise((ended) => child.once("close", ended));
  stop();
  return output;
}

test.runIf(platform() === "linux")(
  "a program that waits for pipes an agent left is unblocked, and each pipe is named",
  async () => {
    const { top, write } = openPlayground({ files: { "sub/a.txt": "a\n" } });
    execFileSync("bash", ["-c", 'mkfifo "$0"/sub/tést "$0"/other', top]);
    write({ "x.txt": "x\n" });
    const output = await run("bash -c 'cd sub; cat tést > got; cat < ../other; echo done $?'", top);
    expect(output).toMatch(/named pipe sub\/tést, which.*\n.*named pipe other, which.*\ndone 0/);
    expect(["sub/tést", "other"].filter((name) => existsSync(join(top, name)))).toEqual([]);
  },
);

test.runIf(platform() === "linux")(
  "a pipe that the program itself makes stays, and so does one outside the checkout",
  async () => {
    const { top, outside } = openPlayground({ files: { "a.txt": "a\n" } });
    execFileSync("bash", ["-c", 'mkfifo "$0"/far', outside]);
    const script = `mkfifo own; (sleep 2; echo late > own) & (sleep 2; echo far > ${outside}/far) &
      cat own ${outside}/far; wait`;
    expect(await run(script, top)).toBe("late\nfar\n");
    expect(existsSync(join(outside, "far"))).toBe(true);
  },
);
