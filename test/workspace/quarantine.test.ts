import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { claude } from "../../src/agents/claude.ts";
import { codex } from "../../src/agents/codex.ts";
import { copilot } from "../../src/agents/copilot.ts";
import { gemini } from "../../src/agents/gemini.ts";
import { opencode } from "../../src/agents/opencode.ts";
import { quarantinedPaths, quarantineFiles } from "../../src/workspace/quarantine.ts";
import { gitWorkspace } from "../../src/workspace/workspace.ts";
import { temporaryFolder } from "./playground.ts";

const plugin = ".opencode/plugin/evil.js";
const names = [".opencode", "opencode.json"];

test("of a forged list of moved files only what agents obey is believed", () => {
  const gitDir = temporaryFolder();
  const obeyed = [claude, codex, copilot, gemini, opencode].flatMap(({ configPaths: obeys = [] }) => obeys);
  const listed = [...obeyed, ...obeyed.map((name) => `packages/one/${name}`)];
  mkdirSync(join(gitDir, "until-green/aside"), { recursive: true });
  writeFileSync(
    join(gitDir, "until-green/aside/paths.json"),
    JSON.stringify([...listed, "test", "src/a.js"]),
  );
  expect(listed).toContain("packages/one/.gemini");
  expect(quarantinedPaths(gitDir)).toEqual(listed);
});

describe("what is quarantined", () => {
  test("is absent meanwhile and back afterwards, byte by byte, with links and modes", async () => {
    const top = checkout();
    symlinkSync("/nowhere", join(top, ".opencode/link"));
    writeFileSync(join(top, ".opencode/run.sh"), "x", { mode: 0o755 });
    const putBack = await quarantineFiles(top, names);
    expect(existsSync(join(top, ".opencode"))).toBe(false);
    expect(existsSync(join(top, "opencode.json"))).toBe(false);
    await putBack();
    expect(readFileSync(join(top, plugin), "utf8")).toBe("evil");
    expect(readFileSync(join(top, "opencode.json"), "utf8")).toBe("{}");
    expect(readlinkSync(join(top, ".opencode/link"))).toBe("/nowhere");
    expect(execFileSync("stat", ["-c", "%a", join(top, ".opencode/run.sh")], { encoding: "utf8" })).toBe(
      "755\n",
    );
    await putBack();
    expect(existsSync(join(top, plugin))).toBe(true);
  });

  test("is looked for from the workspace up to the top of its checkout, and no further", async () => {
    const outside = temporaryFolder();
    put(outside, "opencode.json", "outside");
    const top = checkout(join(outside, "checkout"));
    put(top, "packages/one/.opencode/tool/evil.js", "evil");
    put(top, "packages/two/opencode.json", "beside");
    const putBack = await quarantineFiles(join(top, "packages/one"), names);
    const there = (path: string) => existsSync(join(top, path));
    expect(["packages/one/.opencode", ".opencode", "opencode.json"].filter(there)).toEqual([]);
    expect(there("packages/two/opencode.json")).toBe(true);
    expect(existsSync(join(outside, "opencode.json"))).toBe(true);
    await putBack();
    expect(there("packages/one/.opencode/tool/evil.js")).toBe(true);
    expect(there(plugin)).toBe(true);
  });

  test("is no deletion to git, nor to an agent that commits everything", async () => {
    const top = checkout();
    const putBack = await quarantineFiles(top, names);
    expect(git(top, "status", "--short")).toBe("");
    put(top, "work.txt", "work");
    git(top, "add", "--all");
    commit(top);
    await putBack();
    expect(git(top, "show", "--name-status", "--format=")).toBe("A\twork.txt\n");
    expect(git(top, "status", "--short")).toBe("");
    put(top, plugin, "changed later");
    expect(git(top, "status", "--short")).toBe(` M ${plugin}\n`);
  });

  test("is no deletion in a snapshot taken meanwhile", async () => {
    const top = checkout();
    put(top, ".opencode/untracked.js", "new");
    const dir = temporaryFolder();
    const workspace = gitWorkspace({ privateDir: () => dir });
    const context = { runId: "run-0001", signal: new AbortController().signal, workspace: top };
    const take = async (since?: string) =>
      await workspace.handle({ op: "snapshot", since, message: "snapshot" }, context);
    const before = await take();
    const putBack = await quarantineFiles(top, names);
    put(top, "work.txt", "work");
    const meanwhile = await take(before.commit);
    expect(meanwhile.diff?.paths).toEqual(["work.txt"]);
    await putBack();
    expect((await take(meanwhile.commit)).diff?.files).toBe(0);
  });

  test("stays quarantined until the last of the parallel holders is done", async () => {
    const top = checkout();
    const [first, second] = [await quarantineFiles(top, names), await quarantineFiles(top, names)];
    await first();
    expect(existsSync(join(top, plugin))).toBe(false);
    await second();
    expect(existsSync(join(top, plugin))).toBe(true);
  });

  test("takes along what one agent plants for the next", async () => {
    const top = checkout();
    const first = await quarantineFiles(top, names);
    put(top, ".opencode/plugin/planted.js", "planted");
    const second = await quarantineFiles(top, names);
    expect(existsSync(join(top, ".opencode"))).toBe(false);
    await first();
    await second();
    expect(readFileSync(join(top, ".opencode/plugin/planted.js"), "utf8")).toBe("planted");
    expect(readFileSync(join(top, plugin), "utf8")).toBe("evil");
  });

  test("wins over what an agent wrote in its place, and keeps what is new", async () => {
    const top = checkout();
    const putBack = await quarantineFiles(top, names);
    put(top, plugin, "other");
    put(top, ".opencode/command/new.md", "new");
    await putBack();
    expect(readFileSync(join(top, plugin), "utf8")).toBe("evil");
    expect(readFileSync(join(top, ".opencode/command/new.md"), "utf8")).toBe("new");
  });

  test("of a process that was killed is restored by the next agent start", async () => {
    const top = checkout();
    const source = new URL("../../src/workspace/quarantine.ts", import.meta.url).href;
    const script = `import { quarantineFiles } from ${JSON.stringify(source)};
      await quarantineFiles(${JSON.stringify(top)}, ${JSON.stringify(names)}); console.log("aside"); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    expect(existsSync(join(top, plugin))).toBe(false);
    child.kill("SIGKILL");
    await once(child, "exit");
    const putBack = await quarantineFiles(top, []);
    expect(readFileSync(join(top, plugin), "utf8")).toBe("evil");
    expect(git(top, "status", "--short")).toBe("");
    await putBack();
  });

  test("is not restored through a link that an agent put in place of its folder", async () => {
    const top = checkout();
    const workspace = join(top, "packages/one");
    put(top, "packages/one/opencode.json", "mine");
    const elsewhere = temporaryFolder();
    const putBack = await quarantineFiles(workspace, names);
    rmSync(workspace, { recursive: true });
    symlinkSync(elsewhere, workspace);
    await expect(putBack()).rejects.toThrow(
      /packages\/one is no folder any more: .* waits in .*opencode\.json/,
    );
    expect(existsSync(join(elsewhere, "opencode.json"))).toBe(false);
  });

  test("comes back where there is no git at all, and leaves nothing else", async () => {
    const folder = temporaryFolder();
    put(folder, plugin, "evil");
    const putBack = await quarantineFiles(folder, names);
    expect(existsSync(join(folder, ".opencode"))).toBe(false);
    await putBack();
    expect(readFileSync(join(folder, plugin), "utf8")).toBe("evil");
    expect(existsSync(join(folder, ".until-green-aside"))).toBe(false);
  });

  test("is nothing where there is nothing of those names: the checkout is not touched", async () => {
    const folder = temporaryFolder();
    const putBack = await quarantineFiles(folder, names);
    await putBack();
    expect(existsSync(join(folder, ".until-green-aside"))).toBe(false);
  });
});

function checkout(top = temporaryFolder()): string {
  put(top, plugin, "evil");
  put(top, "opencode.json", "{}");
  put(top, "README.md", "hello");
  git(top, "init", "-q");
  git(top, "add", "--all");
  commit(top);
  return top;
}

function put(top: string, path: string, text: string): void {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), text);
}

const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8" });
const commit = (top: string) =>
  git(top, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "x");
