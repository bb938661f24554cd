import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { user } from "./escape-scene.ts";

const module = join(import.meta.dirname, "../../src/processes/process-group.ts");

/** Leaves a process behind without our names, elsewhere, in a session of its own, and then looks for leftovers. */
const script = `
import { spawnSync, execFileSync } from "node:child_process";
import { killLeftovers } from ${JSON.stringify(module)};
spawnSync("bash", ["-c", "cd /; setsid env -i /bin/sleep 47.11 > /dev/null 2>&1 & sleep 0.2"]);
console.log(JSON.stringify(killLeftovers({ artifacts: "/nowhere", folders: ["/nowhere"] })));
`;

/** As a user who has no other processes: nobody else's orphans are ended. */
function leftovers(): readonly string[] {
  const identity = ["--reuid", `${user}`, "--regid", `${user}`, "--clear-groups"];
  const args = [process.execPath, "--input-type=module-typescript", "--eval", script];
  return JSON.parse(
    execFileSync("setpriv", [...identity, ...args], {
      encoding: "utf8",
      cwd: "/",
      env: { ...process.env, RUNNER_ENVIRONMENT: "github-hosted" },
    }),
  );
}

const canBeAnother = process.getuid?.() === 0 && existsSync("/usr/bin/setpriv");

test.runIf(canBeAnother)(
  "an orphan without our names and elsewhere may belong to someone else and is left alone, also on a hosted runner",
  () => {
    expect(leftovers()).toEqual([]);
    execFileSync("pkill", ["-KILL", "-u", `${user}`, "-f", "sleep 47[.]11"]);
  },
);
