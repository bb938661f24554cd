import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

/** A repository in a folder of the checkout, in which each of these would start a program at the next `git status`. */
function trap(top: string, name: string): string {
  const inner = join(top, name);
  const ran = join(top, ".git/ran");
  const program = join(top, ".git/program");
  writeFileSync(program, `#!/bin/sh\necho ran >> ${ran}\ncat\n`, { mode: 0o755 });
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: inner });
  mkdirSync(inner, { recursive: true });
  writeFileSync(join(inner, "f"), "1\n");
  git("init", "-q");
  git("add", "f");
  git("commit", "-q", "-m", "first");
  git("config", "core.fsmonitor", program);
  git("config", "filter.x.clean", program);
  writeFileSync(join(inner, ".git/info/attributes"), "* filter=x\n");
  writeFileSync(join(inner, ".git/hooks/post-index-change"), readFileSync(program), { mode: 0o755 });
  writeFileSync(join(inner, "f"), "2\n");
  return ran;
}

test.each([
  ["that the index names", true, "inner"],
  ["that the next `git add --all` would take", false, "inner"],
  ["within another one", true, "outer/inner"],
])("a nested repository %s starts no program once a run is over", (_, isAdded, name) => {
  const { git, at, kept } = checkout();
  const top = join(at("x"), "../..");
  const outer = name.split("/")[0] ?? "";
  const ran = trap(top, name);
  if (outer !== name) {
    execFileSync("git", ["init", "-q"], { cwd: join(top, outer) });
    execFileSync("git", ["add", "inner"], { cwd: join(top, outer), stdio: "ignore" });
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    execFileSync("git", [...who, "commit", "-q", "-m", "x"], { cwd: join(top, outer) });
  }
  git("-c", "advice.addEmbeddedRepo=false", ...(isAdded ? ["add", outer] : ["status", "--short"]));
  rmSync(ran, { force: true });
  expect(kept.restore()).toEqual([realpathSync(join(top, name, ".git"))]);
  git("-c", "advice.addEmbeddedRepo=false", "add", "--all");
  git("status", "--short");
  expect(existsSync(ran)).toBe(false);
  expect(execFileSync("git", ["log", "--format=%s"], { cwd: join(top, name), encoding: "utf8" })).toBe(
    "first\n",
  );
});

test("what a submodule had before the run, it keeps, and gets back", () => {
  const { git, at } = checkout();
  const top = join(at("x"), "../..");
  const ran = trap(top, "own");
  git("-c", "advice.addEmbeddedRepo=false", "add", "own");
  const config = join(top, "own/.git/config");
  const before = readFileSync(config, "utf8");
  const kept = keepGitSettings(top);
  expect(kept.restore()).toEqual([]);
  writeFileSync(config, "[core]\n\tfsmonitor = evil\n");
  expect(kept.restore()).toEqual([config]);
  expect(readFileSync(config, "utf8")).toBe(before);
  expect(ran).toContain("ran");
});

test("settings in the home folder that later steps obey are taken back, but not who commits", () => {
  const home = mkdtempSync(join(tmpdir(), "home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const { git } = checkout();
  const top = git("rev-parse", "--show-toplevel").trim();
  const write = (name: string, text: string) => {
    mkdirSync(join(home, name, ".."), { recursive: true });
    writeFileSync(join(home, name), text);
  };
  write(".npmrc", "registry=https://registry.npmjs.org/\n");
  const kept = keepGitSettings(top, home);
  write(".gitconfig", "[user]\n\tname = Ann\n[safe]\n\tdirectory = *\n");
  expect(kept.restore()).toEqual([]);
  write(".gitconfig", "[core]\n\thooksPath = /tmp/evil\n");
  write(".npmrc", "registry=https://evil.example/\n");
  for (const name of [".curlrc", ".config/go/env", ".cargo/config.toml", ".ssh/config"])
    write(name, "evil\n");
  const names = [".cargo/config.toml", ".config/go/env", ".curlrc", ".gitconfig", ".npmrc", ".ssh/config"];
  expect(kept.restore()).toEqual(names.map((name) => join(home, name)));
  expect(readFileSync(join(home, ".npmrc"), "utf8")).toBe("registry=https://registry.npmjs.org/\n");
  expect(names.filter((name) => existsSync(join(home, name)))).toEqual([".npmrc"]);
});
