import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderAt, loopFile, openFolder, typed } from "../parts/terminal.ts";

const names = "GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT GITHUB_STATE GITHUB_STEP_SUMMARY";
const writes = `for name in ${names}; do [ ! -s "\${!name}" ] && echo line >>"\${!name}" && echo "$name: $(cat "\${!name}")" || exit 1; done`;
const core = `node -e 'const fs = require("node:fs"); fs.accessSync(process.env.GITHUB_STEP_SUMMARY, fs.constants.W_OK)'`;

test.each([
  ["a check", "command:true", writes],
  ["an agent", `command:bash -c '${writes.replaceAll("'", "")}'`, "true"],
])("%s in a job writes to the runner's command files, which nobody reads", async (_, agent, check) => {
  const folder = openFolder();
  const runner = openFolder({ bare: true }).path;
  const real = Object.fromEntries(names.split(" ").map((name) => [name, join(runner, name)]));
  const tmp = openFolder({ bare: true }).path;
  const env = { ...typed(), GITHUB_ACTIONS: "true", TMPDIR: tmp, ...real };
  const here = folderAt(folder.path, env);
  here.write({
    "check.sh": `${check}\n${core}\n`,
    "w.yml": loopFile("prompt: go\nuntil_bash: bash check.sh\nmax_iterations: 2"),
  });
  const { code, stderr } = await here.run("run", "w.yml", "--agent", agent);
  expect(stderr).not.toContain("No such file");
  expect(code).toBe(0);
  expect(readdirSync(runner)).toEqual([]);
  expect(execFileSync("find", [tmp, "-name", "*GITHUB*"], { encoding: "utf8" })).toBe("");
});

test.each([
  ["true", undefined],
  ["false", "false"],
])(
  "a check sees CI=%s, so that no test runner watches for changes, if CI is %s outside",
  async (seen, CI) => {
    const folder = openFolder();
    const here = folderAt(folder.path, { ...typed(), CI });
    here.write({ "w.yml": loopFile(`prompt: go\nuntil_bash: '[ "$CI" = ${seen} ]'\nmax_iterations: 1`) });
    expect((await here.run("run", "w.yml", "--agent", "command:true")).code).toBe(0);
  },
);
