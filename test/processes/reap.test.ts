import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";

/** Runs code as the first process of its own PID namespace, where it may choose the next PID. */
const inNamespace = (code: string) =>
  spawnSync(
    "unshare",
    ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", process.execPath].concat(
      "--input-type=module",
      "-e",
      code,
    ),
    { encoding: "utf8" },
  ).stdout;

const isHere = inNamespace('process.stdout.write("yes")') === "yes";

test.runIf(isHere)(
  "a process that left its group is killed also where PIDs started again from the smallest",
  () => {
    const answer = inNamespace(`
    import { readFileSync, writeFileSync } from "node:fs";
    const { runProcess } = await import(${JSON.stringify(resolve("src/processes/process.ts"))});
    const bash = (script) => runProcess({
      command: "bash", args: ["-c", script], cwd: "/", env: { PATH: process.env.PATH },
      signal: new AbortController().signal, reap: "always",
    });
    await bash("true"); // Node has started its threads, which take PIDs too
    const most = Number(readFileSync("/proc/sys/kernel/pid_max"));
    writeFileSync("/proc/sys/kernel/ns_last_pid", String(most - 2));
    const [first, left] = (await bash("echo $$; setsid sleep 1000 & echo $!")).stdout.trim().split("\\n").map(Number);
    const state = () => { try { return readFileSync("/proc/" + left + "/stat", "latin1").split(" ")[2]; } catch {} };
    console.log(JSON.stringify({ first: most - first, isSmaller: left < first, runs: !["Z", "X", undefined].includes(state()) }));
    process.exit();
  `);
    expect(JSON.parse(answer)).toEqual({ first: 1, isSmaller: true, runs: false });
  },
);
