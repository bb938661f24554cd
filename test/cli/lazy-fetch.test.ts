import { spawnSync } from "node:child_process";
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openPlayground } from "../workspace/playground.ts";

const main = join(import.meta.dirname, "../../src/cli/main.ts");

test("git fetches no missing object by itself, so it starts no program that an agent named for that", () => {
  const { top, outside, git } = openPlayground({ files: { "a.txt": "a\n" } });
  const [included, started] = [join(outside, "included.config"), join(outside, "started")];
  // actions/checkout includes a file from a folder that an agent can write to.
  git("config", "include.path", included);
  writeFileSync(
    included,
    `[remote "far"]\n\turl = ssh://far.invalid/x\n\tpromisor = true\n[core]\n\tsshCommand = "touch ${started}; false"\n`,
  );
  const head = git("rev-parse", "HEAD").trim();
  renameSync(join(top, `.git/objects/${head.slice(0, 2)}/${head.slice(2)}`), join(outside, "commit"));
  const args = [
    "run",
    "--prompt",
    "x",
    "--until-bash",
    "true",
    "--isolation",
    "off",
    "--agent",
    "command:true",
  ];
  const { stderr } = spawnSync(process.execPath, [main, ...args], { cwd: top, encoding: "utf8" });
  expect(stderr).toContain("run inline-");
  expect(existsSync(started)).toBe(false);
});
