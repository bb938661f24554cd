import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { user } from "./escape-scene.ts";

const module = join(import.meta.dirname, "../../src/processes/process-group.ts");

/** Leaves a process behind without our names, elsewhere, in a session of its own, and then looks for leftovers. */
const script = (machine: boolean) => `
import { spawnSync, execFileSync } from "node:child_process";
import { killLeftovers } from ${JSON.stringify(module)};
spawnSync("bash", ["-c", "cd /; setsid env -i /bin/sleep 47.11 > /dev/null 2>&1 & sleep 0.2"]);
console.log(JSON.stringify(killLeftovers({ artifacts: "/nowhere", folders: ["/nowhere"], machine: ${machine} })));
`;

/** As a user who has no other processes: nobody else's orphans are ended. */
function leftovers(machine: boolean): readonly string[] {
  const identity = ["--reuid", `${user}`, "--regid", `${user}`, "--clear-groups"];
  const args = [process.execPath, "--input-type=module-typescript", "--eval", script(machine)];
  return JSON.parse(execFileSync("setpriv", [...identity, ...args], { encoding: "utf8", cwd: "/" }));
}

const canBeAnother = process.getuid?.() === 0 && existsSync("/usr/bin/setpriv");

test.runIf(canBeAnother)(
  "on a machine of the job alone, an orphan without our names and elsewhere is ended",
  () => {
    expect(leftovers(true)).toContain("/bin/sleep 47.11");
    execFileSync("bash", ["-c", `sleep 0.2; ! pgrep -f 'sleep 47[.]11' -u ${user}`]);
  },
);

test.runIf(canBeAnother)("on a shared machine, it may belong to someone else and is left alone", () => {
  expect(leftovers(false)).toEqual([]);
  execFileSync("pkill", ["-KILL", "-u", `${user}`, "-f", "sleep 47[.]11"]);
});
