import { spawn, spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openIsolation } from "../../src/processes/isolation.ts";
import { builtCommandLine } from "../parts/built.ts";
import { openPlayground } from "../workspace/playground.ts";

/*
 * While an agent works behind the file wall, our process takes back what it leaves for git. If our process is killed,
 * our next command does.
 */

const walls = await openIsolation({ environment: process.env }).walls();
const hasFiles = walls.some(({ name, on }) => name === "files" && on);
const main = builtCommandLine();

/** Arms a repository that git enters, then works until it is ended; does nothing in its second turn. */
const agent = (ran: string) => `[ -e second ] && { touch done; exit; }
touch second; git init -q inner; echo 1 > inner/f; git -C inner add f
git -C inner -c user.name=a -c user.email=a@example.com commit -q -m x; git add inner
git -C inner config core.fsmonitor "touch ${ran}; false"; touch armed; sleep 600
`;

test.runIf(hasFiles).each(["status", "resume", "list"])(
  "if until-green is killed during a turn, `%s` disarms what the agent armed",
  async (command) => {
    const { top, outside, git, write } = openPlayground({ files: { "a.txt": "a\n" } });
    const ran = join(outside, "ran");
    write({ "agent.sh": agent(ran) });
    const args = ["run", "--prompt", "x", "--until-bash", "test -e done", "--max-iterations", "2"];
    const child = spawn(process.execPath, [main, ...args, "--agent", "command:bash agent.sh"], {
      cwd: top,
      stdio: "ignore",
    });
    while (!existsSync(join(top, "armed"))) await new Promise((later) => setTimeout(later, 50));
    child.kill("SIGKILL");
    await new Promise((ended) => child.once("exit", ended));
    rmSync(ran, { force: true });
    const { stderr } = spawnSync(process.execPath, [main, command], { cwd: top, encoding: "utf8" });
    git("status", "--short");
    expect(existsSync(ran), stderr).toBe(false);
    expect(stderr).toContain(`what it left for git to start was removed: ${join(top, "inner")}`);
  },
);
