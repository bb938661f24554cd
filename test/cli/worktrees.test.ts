import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { folderAt, loopFile, openFolder } from "../parts/terminal.ts";

/** A linked worktree with a run that waits at a gate, and its main checkout. */
async function gateInWorktree() {
  const main = openFolder();
  const path = `${main.path}-linked`;
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: main.path, stdio: "pipe" });
  git("worktree", "add", "--quiet", "-b", "other", path);
  const linked = folderAt(path);
  const gate =
    "  - id: ask\n    approval: { message: ok? }\n  - id: mark\n    bash: pwd > marked.txt\n    depends_on: [ask]\n";
  linked.write({ "w.yml": `name: t\nnodes:\n${gate}` });
  expect((await linked.run("run", "w.yml", "--run-id", "gate-00001")).code).toBe(3);
  return { main, linked, remove: () => git("worktree", "remove", "--force", path) };
}

test("a run of a linked worktree is listed everywhere, and continues in that worktree", async () => {
  const { main, linked } = await gateInWorktree();
  expect((await main.run("list")).stdout).toContain("gate-00001");
  const { code, stderr } = await main.run("approve", "gate-00001");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining(
      `gate-00001 continues in the worktree ${linked.path}, where it was started`,
    ),
  });
  expect(readFileSync(join(linked.path, "marked.txt"), "utf8")).toBe(`${linked.path}\n`);
  expect(existsSync(join(main.path, "marked.txt"))).toBe(false);
});

test("a run of the main checkout continues there, also from a linked worktree", async () => {
  const { main, linked } = await gateInWorktree();
  main.write({ "w.yml": readFileSync(join(linked.path, "w.yml"), "utf8") });
  await main.run("run", "w.yml", "--run-id", "gate-00002");
  expect((await linked.run("approve", "gate-00002")).code).toBe(0);
  expect(existsSync(join(main.path, "marked.txt"))).toBe(true);
});

test("a run outlives its worktree, and says so", async () => {
  const { main, remove } = await gateInWorktree();
  remove();
  const { code, stderr } = await main.run("approve", "gate-00001");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/gate-00001 was started in a worktree that is gone: it continues here/),
  });
});

test("a loop in a linked worktree works, and its changes are shown from everywhere", async () => {
  const { main, linked } = await gateInWorktree();
  linked.write({ "l.yml": loopFile("prompt: go\nuntil_bash: test -f done\nmax_iterations: 2") });
  const { code } = await linked.run(
    "run",
    "l.yml",
    "--run-id",
    "loop-00001",
    "--agent",
    "command:touch done; echo x",
  );
  expect(code).toBe(0);
  expect((await main.run("diff", "loop-00001")).stdout).toContain("done");
});
