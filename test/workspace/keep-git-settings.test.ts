import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keepGitSettings } from "../../src/workspace/keep-git-settings.ts";

function checkout() {
  const top = mkdtempSync(join(tmpdir(), "git-settings-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: top, encoding: "utf8" });
  git("init", "-q");
  return { git, at: (name: string) => join(top, ".git", name), kept: keepGitSettings(top) };
}

type Checkout = ReturnType<typeof checkout>;

test.each<readonly [string, string, (checkout: Checkout) => void]>([
  ["a monitor", "config", ({ git }) => git("config", "core.fsmonitor", "evil")],
  [
    "another address",
    "config",
    ({ git }) => git("config", "url.https://evil.example/.insteadOf", "https://github.com/"),
  ],
  [
    "a remote by its address",
    "config",
    ({ git }) => git("config", "branch.main.remote", "https://evil.example/x"),
  ],
  ["an included file", "config", ({ git }) => git("config", "include.path", "../evil")],
  [
    "a line that only git reads",
    "config",
    ({ at }) => writeFileSync(at("config"), "[core] fsmonitor = evil\n"),
  ],
  ["a hook", "hooks/post-checkout", ({ at }) => writeFileSync(at("hooks/post-checkout"), "#!/bin/sh\n")],
  ["another git folder", "commondir", ({ at }) => writeFileSync(at("commondir"), "../evil\n")],
])("%s that a run leaves is taken back", (_, name, leave) => {
  const scene = checkout();
  const before = readFileSync(scene.at("config"), "utf8");
  leave(scene);
  expect(scene.kept.restore()).toEqual([scene.at(name)]);
  expect(readFileSync(scene.at("config"), "utf8")).toBe(before);
  expect(existsSync(scene.at("hooks/post-checkout"))).toBe(false);
  expect(existsSync(scene.at("commondir"))).toBe(false);
});

test("a link in place of the hooks is replaced by the hooks as they were", () => {
  const { at, kept } = checkout();
  writeFileSync(at("hooks/own"), "mine\n");
  const again = keepGitSettings(join(at("hooks"), "../.."));
  rmSync(at("hooks"), { recursive: true });
  symlinkSync("/tmp", at("hooks"));
  expect(again.restore()).toContain(at("hooks"));
  expect(readFileSync(at("hooks/own"), "utf8")).toBe("mine\n");
  expect(kept).toBeDefined();
});

test("a name, an upstream branch and what starts no program are kept", () => {
  const { git, kept } = checkout();
  git("config", "user.name", "a bot");
  git("config", "user.email", "bot@example.com");
  git("config", "branch.topic.remote", "origin");
  git("config", "branch.topic.merge", "refs/heads/topic");
  expect(kept.restore()).toEqual([]);
  expect(git("config", "user.name")).toBe("a bot\n");
});
