import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { openIsolation } from "../../src/processes/isolation.ts";
import { builtCommandLine } from "../parts/built.ts";
import { temporaryFolder } from "../workspace/playground.ts";
import { openScene, planted } from "./escape-scene.ts";

/*
 * What builds the walls works outside them. Nothing that a program behind them can write may reach it, and nothing that
 * our own process inherited may lead past them.
 */

const walls = await openIsolation({ environment: process.env }).walls();
const on = (name: string) => walls.some((wall) => wall.name === name && wall.on);
const main = builtCommandLine();

/** A folder of the user that whoever started us left open, as some editors' terminals do. */
const run = (isolation: string) => `exec 20< "$HOME" 63< "$HOME/.npmrc"
  ${process.execPath} ${main} run --prompt x --until-bash "test -e done" --max-iterations 1 --isolation ${isolation} \\
    --agent 'command:cat /proc/self/fd/20/.npmrc; cat <&63; touch done' 2>&1`;

test.runIf(on("files")).each([
  ["auto", "finds no file that was open when we were started"],
  ["off", "finds those, without walls"],
])("with isolation %s, an agent %s", async (isolation) => {
  const scene = await openScene();
  const output = scene.look(run(isolation));
  scene.close();
  expect(output).toContain("succeeded");
  expect(output.includes(planted)).toBe(isolation === "off");
});

describe.runIf(on("processes"))("a variable by which programs load code", () => {
  const given = {
    LD_LIBRARY_PATH: "/nowhere:",
    LD_BIND_NOW: "1",
    BASH_ENV: "env.sh",
    "BASH_FUNC_exec%%": "() { echo taken; }",
    KEPT: "a = b",
  };

  test("reaches the program, and nothing that is started outside the walls", async () => {
    const cwd = temporaryFolder();
    const script = 'echo "$LD_LIBRARY_PATH $LD_BIND_NOW $BASH_ENV $KEPT"';
    const isolation = openIsolation({ environment: process.env, writable: [cwd] });
    const launch = await isolation.wrap({ command: "/bin/sh", args: ["-c", script], env: given });
    expect(Object.keys(launch.env).filter((name) => name !== "KEPT" && name in given)).toEqual([]);
    const { stdout } = spawnSync(launch.command, launch.args, { cwd, env: launch.env, encoding: "utf8" });
    launch.close?.();
    expect(stdout).toBe("/nowhere: 1 env.sh a = b\n");
  });
});
