import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { builtCommandLine } from "../parts/built.ts";
import { loopFile, openFolder, typed } from "../parts/terminal.ts";

/** Starts the command line as an old Node does: by the Node that is installed beside it. */
function throughWrapper(cwd: string, args: readonly string[]) {
  const module = resolve("src/cli/bundled-node.ts");
  const code = `import(${JSON.stringify(module)}).then((bundled) => bundled.runByBundledNode())`;
  return spawn(process.execPath, ["-e", code, "--", builtCommandLine(), ...args], {
    cwd,
    env: typed(),
    stdio: "ignore",
  });
}

const soon = { timeout: 30_000, interval: 100 };

test("a kill of the process that an old Node started ends the run, too", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": loopFile("prompt: go\nuntil: DONE\nmax_iterations: 1") });
  const agent = "command:touch begun; sleep 300";
  const wrapper = throughWrapper(folder.path, ["run", "w.yml", "--agent", agent, "--run-id", "killed-001"]);
  await vi.waitFor(() => expect(existsSync(join(folder.path, "begun"))).toBe(true), soon);
  expect((await folder.run("list")).stdout).not.toContain("ended early");
  wrapper.kill("SIGKILL");
  await vi.waitFor(
    async () => expect((await folder.run("list")).stdout).toContain("its process ended early"),
    soon,
  );
});

test("a signal to that process ends the run in order, with its exit code", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": loopFile("prompt: go\nuntil: DONE\nmax_iterations: 1") });
  const agent = "command:touch begun; sleep 300";
  const wrapper = throughWrapper(folder.path, ["run", "w.yml", "--agent", agent, "--run-id", "stopped-001"]);
  const ended = new Promise((done) => wrapper.once("exit", done));
  await vi.waitFor(() => expect(existsSync(join(folder.path, "begun"))).toBe(true), soon);
  wrapper.kill("SIGTERM");
  expect(await ended).toBe(3);
});
