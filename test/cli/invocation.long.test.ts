import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expect, test } from "vitest";
import { loopFile, openFolder, typed } from "../parts/terminal.ts";

const main = resolve("src/cli/main.ts");
const dependency = "node_modules/.bin/until-green";
const ownScript = { npm_command: "run", npm_package_name: "until-green" };
const otherScript = { npm_command: "run", npm_package_name: "shop" };
const exec = { npm_command: "exec", npm_lifecycle_event: "npx" };

test.each<{ by: string; bin: string; npm?: NodeJS.ProcessEnv; command: string }>([
  { by: "a link", bin: "bin/until-green", command: "until-green" },
  { by: "npm run in a clone", bin: main, npm: ownScript, command: "npm run until-green --" },
  { by: "another project's script", bin: "bin/until-green", npm: otherScript, command: "until-green" },
  { by: "a dependency's link", bin: dependency, command: "npx until-green" },
  { by: "a script, as a dependency", bin: dependency, npm: otherScript, command: "npx until-green" },
  { by: "npx from the registry", bin: `_npx/1a/${dependency}`, npm: exec, command: "npx until-green" },
  { by: "npx from GitHub", bin: `_npx/2b/${dependency}`, npm: exec, command: "npx github:a/until-green" },
  { by: "npx of another program", bin: "bin/until-green", npm: exec, command: "until-green" },
])("started by $by, every command that it shows works there", ({ bin, npm = {}, command }) => {
  const folder = openFolder();
  folder.write({
    "w.yml": loopFile("prompt: go\nuntil: DONE\nmax_iterations: 2\ninteractive: true\ngate_message: Look"),
    "session.yml": "replies:\n  - node: fix\n    say: hello\n",
    "_npx/1a/package.json": JSON.stringify({ _npx: { packages: ["until-green"] } }),
    "_npx/2b/package.json": JSON.stringify({ _npx: { packages: ["github:a/until-green"] } }),
  });
  const path = resolve(folder.path, bin);
  if (path !== main) {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(main, path);
  }
  const run = (...args: string[]) => {
    const env = { ...typed(), npm_package_name: undefined, ...npm };
    const { stdout, stderr } = spawnSync(process.execPath, [path, ...args], { cwd: folder.path, env });
    return `${stdout}${stderr}`;
  };
  const texts = [
    run("check"),
    run("run", "w.yml", "--agent", "scripted:session.yml", "--run-id", "shown-run"),
    run("status", "shown-run"),
    run("list"),
    run("logs", "shown-run"),
    run("diff", "no-such-run"),
    run("help"),
    run("help", "run"),
  ];
  expect(texts[0]).toContain(`write one with \`${command} init\``);
  expect(texts[1]).toContain(`report: ${command} report shown-run\n`);
  expect(texts[2]).toContain(`${command} approve shown-run`);
  const known = /(?:npx |npm run )?[\w:/-]*until-green(?: --)? (?=[a-z]+ shown-run|init|list|report|run |<)/g;
  const shown = texts.join("\n").match(known) ?? [];
  expect([...new Set(shown)]).toEqual([`${command} `]);
});
