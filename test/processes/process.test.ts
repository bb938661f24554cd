import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type ProcessRequest, runProcess } from "../../src/processes/process.ts";
import { killLeftovers, terminateGroup } from "../../src/processes/process-group.ts";

const cwd = mkdtempSync(join(tmpdir(), "process-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const env = { PATH: process.env["PATH"] ?? "" };
const none = new AbortController().signal;
const linux = process.platform === "linux";

const bash = (script: string, more: Partial<ProcessRequest> = {}) =>
  runProcess({ command: "bash", args: ["-c", script], cwd, env, signal: none, ...more });

/** Whether a process runs; one that is dead but not yet collected does not. */
function runs(pid: string): boolean {
  try {
    process.kill(Number(pid), 0);
    return !linux || !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

async function timed<T>(act: () => Promise<T>) {
  const start = performance.now();
  const end = await act();
  return { end, ms: performance.now() - start };
}

describe("the end of a process", () => {
  test("that exits is its code, what it printed and the end of both streams", async () => {
    const end = await bash("echo out; sleep 0.05; echo err >&2; exit 3");
    expect(end).toEqual({
      how: "exited",
      exitCode: 3,
      stdout: "out\n",
      stdoutBytes: 4,
      stderr: "err\n",
      tail: "out\nerr\n",
    });
  });
  test("that a signal killed is the signal", async () => {
    const end = await bash("kill -SEGV $$");
    expect(end).toMatchObject({ how: "exited", signal: "SIGSEGV" });
    expect(end).not.toHaveProperty("exitCode");
  });
  test.runIf(linux)("that was stopped comes all the same, with a line that says so", async () => {
    const end = await bash("kill -STOP $$; echo on; kill -STOP 0; echo again", { timeoutMs: 20_000 });
    expect(end).toMatchObject({ how: "exited", exitCode: 0, stdout: "on\nagain\n" });
    expect(end.stderr).toBe("until-green: the program was stopped by a signal, and continued\n");
  });
  test("of a program that is not there is a sentence", async () => {
    const end = await runProcess({ command: "no-such-program", args: [], cwd, env, signal: none });
    const fault = { code: "ENOENT", message: "no-such-program is not installed, or not on PATH" };
    expect(end).toMatchObject({ how: "not-started", fault });
  });
  test("with a prompt, where no temporary folder is, names the folder and not the program", async () => {
    vi.stubEnv("TMPDIR", "/no/such/folder");
    onTestFinished(() => void vi.unstubAllEnvs());
    const end = await runProcess({ command: "cat", args: [], cwd, env, signal: none, stdin: "prompt" });
    expect(end.fault?.message).toBe(
      "cat could not be started: its input cannot be written to /no/such/folder (ENOENT); create that folder, make it writable, or set TMPDIR to another one",
    );
  });
  test.each([
    ["a folder that is not there", { cwd: "/no/such/folder" }, "the folder /no/such/folder does not exist"],
    ["a file that is no program", { command: import.meta.filename }, "is not executable"],
    [
      "an argument too long",
      { args: ["-c", "x".repeat(3_000_000)] },
      "arguments and environment are too large",
    ],
    ["a NUL in an argument", { args: ["-c", "\0"] }, "could not be started"],
  ])("with %s is a sentence", async (_, wrong, sentence) => {
    const end = await bash("true", wrong);
    expect(end).toMatchObject({ how: "not-started", fault: { message: expect.stringContaining(sentence) } });
  });
  test("with a NUL in a long argument is a short sentence", async () => {
    const end = await bash("true", { args: ["-c", `\0${"x".repeat(100_000)}`] });
    expect(end.fault?.message.length).toBeLessThan(300);
  });
  test("sees no other environment than the one given", async () => {
    expect((await bash("env | cut -d= -f1 | sort")).stdout.split("\n")).not.toContain("HOME");
  });
});

describe("what a process leaves behind", () => {
  test("does not delay the answer and is dead with it", async () => {
    const { end, ms } = await timed(() => bash("sleep 1000 & echo $!"));
    expect(runs(end.stdout.trim())).toBe(false);
    expect(ms).toBeLessThan(100_000);
  });
  test("is asked to end first, and may clean up", async () => {
    const script = "trap 'echo bye > cleaned; exit' TERM; echo ready; while :; do sleep 0.05; done";
    const child = spawn("bash", ["-c", script], { cwd, env, detached: true });
    await once(child.stdout, "data");
    // Much longer than the test waits: only a signal ends it sooner.
    await terminateGroup(child.pid ?? 0, 600_000);
    expect(readFileSync(join(cwd, "cleaned"), "utf8")).toBe("bye\n");
  });

  test("is dead also where it ignores SIGTERM", async () => {
    const end = await bash("(trap '' TERM; echo $BASHPID; while :; do sleep 0.1; done) & sleep 0.1");
    expect(runs(end.stdout.trim())).toBe(false);
  });
  test("in another process group, with our pipe open, does not delay the answer", async () => {
    const { end, ms } = await timed(() => bash("setsid sleep 1000 & echo $!"));
    process.kill(Number(end.stdout), "SIGKILL");
    expect(ms).toBeLessThan(100_000);
  });
});

describe("a process that has to be stopped", () => {
  test("over time is dead with its children, also where they ignore SIGTERM", async () => {
    const script =
      "trap '' TERM; (trap '' TERM; while :; do sleep 0.1; done) & echo $! $$; while :; do sleep 0.1; done";
    const { end, ms } = await timed(() => bash(script, { timeoutMs: 200 }));
    expect(end.how).toBe("timed-out");
    expect(end).not.toHaveProperty("exitCode");
    expect(end.stdout.trim().split(" ").map(runs)).toEqual([false, false]);
    expect(ms).toBeLessThan(5000);
  });
  test("may clean up before it goes", async () => {
    const end = await bash("trap 'echo cleaned; exit 0' TERM; echo on; while :; do sleep 0.05; done", {
      timeoutMs: 300,
    });
    expect(end).toMatchObject({ how: "timed-out", stdout: "on\ncleaned\n" });
  });
  test("is idle when it falls silent, not while it speaks", async () => {
    const end = await bash("for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done; sleep 1000", { idleMs: 400 });
    expect(end).toMatchObject({ how: "idle", stdout: "1\n2\n3\n4\n5\n6\n" });
  });
  test("is stopped when it is no longer wanted", async () => {
    const abort = new AbortController();
    const end = await bash("echo $$; sleep 1000", { signal: abort.signal, onText: () => abort.abort() });
    expect(end.how).toBe("aborted");
    expect(runs(end.stdout.trim())).toBe(false);
  });
  test("is not even started when that was clear before", async () => {
    const end = await bash("touch started", { signal: AbortSignal.abort() });
    expect(end.how).toBe("aborted");
    expect(existsSync(join(cwd, "started"))).toBe(false);
  });
  test("is stopped when that became clear while its walls were built", async () => {
    const abort = new AbortController();
    const wrap: ProcessRequest["wrap"] = async (launch) => {
      abort.abort();
      return launch;
    };
    const end = await bash("sleep 30", { signal: abort.signal, wrap });
    expect(end.how).toBe("aborted");
  });
  test.runIf(linux)("takes those with it that left its group, where that is asked", async () => {
    const end = await bash("setsid sleep 1000 & echo $!; sleep 1000", { timeoutMs: 200, reap: true });
    expect(runs(end.stdout.trim())).toBe(false);
  });
  test.runIf(linux)("takes them with it also when it exits by itself, where that is asked", async () => {
    const end = await bash("setsid sleep 1000 & echo $!", { reap: "always" });
    expect(end).toMatchObject({ how: "exited", exitCode: 0 });
    expect(runs(end.stdout.trim())).toBe(false);
  });
  test.runIf(linux)("and answers when they are gone, also where that takes a while", async () => {
    const large = `require("fs").writeFileSync("large", String(process.pid), { flush: Buffer.alloc(4e8, 1).length > 0 }); setInterval(() => 0, 1e9)`;
    const script = `setsid node -e '${large}' > /dev/null 2>&1 & until test -s large; do sleep 0.05; done; cat large; rm large`;
    const end = await bash(script, { reap: "always" });
    expect(runs(end.stdout)).toBe(false);
  });
});

describe.runIf(linux)("what a run leaves behind", () => {
  const left = (how: string) =>
    bash(
      `${how} bash -c 'echo $$ > pid; exec sleep 1000' > /dev/null 2>&1 & until test -s pid; do sleep 0.05; done; cat pid; rm pid`,
      {
        env: { ...env, UNTIL_GREEN_ARTIFACTS: join(cwd, "artifacts") },
      },
    );
  const end = () => killLeftovers({ artifacts: join(cwd, "artifacts"), folders: [cwd] });

  test.each([
    ["in a session of its own", "setsid"],
    ["in a session of its own and without our names in its environment", 'setsid env -i PATH="$PATH"'],
  ])("%s is found and ended", async (_, how) => {
    const pid = (await left(how)).stdout.trim();
    expect(runs(pid)).toBe(true);
    expect(end()).toEqual(["sleep 1000"]);
    await expect.poll(() => runs(pid), { timeout: 5_000 }).toBe(false);
    expect(end()).toEqual([]);
  });

  test("is not what works elsewhere and bears another name", async () => {
    const { stdout } = await bash(
      "cd /; setsid sleep 1000 > /dev/null 2>&1 & until [[ $(ps -o comm= $!) == sleep ]]; do :; done; echo $!",
    );
    expect(end()).toEqual([]);
    expect(runs(stdout.trim())).toBe(true);
    process.kill(Number(stdout), "SIGKILL");
  });
});

describe("standard input", () => {
  test("reaches the process", async () => {
    expect((await bash("cat", { stdin: "é\n".repeat(100_000) })).stdoutBytes).toBe(300_000);
  });
  test("that is not read does no harm", async () => {
    expect(await bash("exit 0", { stdin: "x".repeat(1_000_000) })).toMatchObject({
      how: "exited",
      exitCode: 0,
    });
  });
  test.each([10, 1_000_000])(
    "of %i bytes is whole even where the program kills us before it reads",
    async (size) => {
      const counted = join(cwd, `counted-${size}`);
      const module = join(import.meta.dirname, "../../src/processes/process.ts");
      const script = `kill -9 $PPID; sleep 0.05; wc -c > ${counted}.part; mv ${counted}.part ${counted}`;
      const request = { command: "bash", args: ["-c", script], cwd, env };
      const code = `
        import { runProcess } from ${JSON.stringify(module)};
        const stdin = "x".repeat(${size});
        const signal = new AbortController().signal;
        await runProcess({ ...${JSON.stringify(request)}, stdin, signal });`;
      const { signal } = spawnSync(process.execPath, ["--input-type=module", "--eval", code]);
      expect(signal).toBe("SIGKILL");
      await vi.waitUntil(() => existsSync(counted), { timeout: 10_000 });
      expect(Number(readFileSync(counted, "utf8"))).toBe(size);
    },
  );
  test("leaves no file behind", async () => {
    const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith("until-green-input-"));
    const before = left();
    await bash("cat", { stdin: "text" });
    expect(left().filter((name) => !before.includes(name))).toEqual([]);
  });
  test("that the disk has no room for is reported before the program starts", async () => {
    const started = join(cwd, "started");
    const module = join(import.meta.dirname, "../../src/processes/process.ts");
    const request = { command: "touch", args: [started], cwd, env };
    const code = `
      import { runProcess } from ${JSON.stringify(module)};
      const stdin = "x".repeat(200_000);
      const signal = new AbortController().signal;
      console.log(JSON.stringify(await runProcess({ ...${JSON.stringify(request)}, stdin, signal })));`;
    const limited = `ulimit -f 64; trap '' XFSZ; exec "$0" --input-type=module --eval "$1"`;
    const output = execFileSync("bash", ["-c", limited, process.execPath, code], { encoding: "utf8" });
    expect(JSON.parse(output)).toMatchObject({
      how: "not-started",
      fault: { message: expect.stringMatching(/^touch was not started: .* free some space/) },
    });
    expect(existsSync(started)).toBe(false);
  });
  test("is empty when there is none", async () => {
    expect((await bash("cat; echo end")).stdout).toBe("end\n");
  });
});

describe("what a process prints", () => {
  test("just before it exits is there", async () => {
    for (let round = 0; round < 10; round += 1) {
      expect((await bash("head -c 200000 /dev/zero")).stdoutBytes).toBe(200_000);
    }
  });
  test("arrives in whole characters", async () => {
    const received: string[] = [];
    const script = "printf '\\360\\237'; sleep 0.1; printf '\\237\\242'; printf '\\303' >&2";
    const end = await bash(script, { onText: (text, from) => received.push(`${from} ${text}`) });
    expect(received.toSorted()).toEqual(["stderr �", "stdout 🟢"]);
    expect(end.stdout).toBe("🟢");
  });
  test("is kept head and tail, with a line that says what is missing", async () => {
    const end = await bash("echo first; head -c 1000000 /dev/zero | tr '\\0' x; echo; echo last", {
      keepBytes: 4096,
    });
    expect(end.stdout).toMatch(/^first\nx+\n\[… \d+ bytes left out …\]\nx+\nlast\n$/);
    expect(Buffer.byteLength(end.stdout)).toBeLessThanOrEqual(4096);
    expect(end.stdoutBytes).toBe(1_000_012);
    const tailBytes = Buffer.byteLength(end.tail);
    expect(tailBytes > 16_000 && tailBytes <= 16 * 1024).toBe(true);
  });
  test("goes to a file as a whole where that is asked", async () => {
    const saveTo = join(cwd, "new/whole.txt");
    const end = await bash("head -c 1000000 /dev/zero", { saveTo });
    expect([statSync(saveTo).size, end.stdout.length < 300_000]).toEqual([1_000_000, true]);
  });
  test("may be 100 MB without our memory growing with it", () => {
    const fixture = join(import.meta.dirname, "../fixtures/loud-process.ts");
    const { grown, bytes, kept } = JSON.parse(
      execFileSync(process.execPath, [fixture], { encoding: "utf8" }),
    );
    expect(bytes).toBe(100_000_000);
    expect(kept).toBeLessThanOrEqual(256 * 1024);
    expect(grown).toBeLessThan(32 * 1024 * 1024);
  });
});
