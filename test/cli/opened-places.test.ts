import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openIsolation } from "../../src/processes/isolation.ts";
import { builtCommandLine } from "../parts/built.ts";
import { typed } from "../parts/terminal.ts";

const walls = await openIsolation({ environment: process.env }).walls();
const hasFileWall = walls.some(({ name, on }) => name === "files" && on);

function open(loop?: string) {
  const home = mkdtempSync(join(homedir(), ".until-green-opened-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const checkout = join(home, "work/repo");
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  put("work/lib/text", "from the library\n");
  put("data/text", "data\n");
  put(".ssh/id", "PLANTED\n");
  mkdirSync(checkout);
  symlinkSync(join(home, ".ssh"), join(home, "keys"));
  if (loop !== undefined) put("work/repo/.github/loops/fix.yml", loop);
  execFileSync("git", ["init", "--quiet"], { cwd: checkout });
  const run = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [builtCommandLine(), ...args], {
      cwd: checkout,
      env: { ...typed(), HOME: home },
      encoding: "utf8",
    });
    return { status, out: stdout + stderr };
  };
  return { home, checkout, run };
}

const agent =
  "command:cat ../lib/text > read; echo x >> ../lib/text; echo made > ~/data/made; touch done; echo ok";
const inline = ["run", "--until-bash", "test -e done", "--agent", agent, "--max-iterations", "1"];

describe.runIf(hasFileWall)("behind the file wall", () => {
  test("a neighbour is absent, unless `--show` opens it to be read, and `--write` to be written", () => {
    const closed = open();
    expect(closed.run(...inline).out).toContain("succeeded");
    expect(readFileSync(join(closed.checkout, "read"), "utf8")).toBe("");
    const opened = open();
    expect(opened.run(...inline, "--show", "../lib", "--write", "~/data").out).toContain("succeeded");
    expect(readFileSync(join(opened.checkout, "read"), "utf8")).toBe("from the library\n");
    expect(readFileSync(join(opened.home, "work/lib/text"), "utf8")).toBe("from the library\n");
    expect(existsSync(join(opened.home, "data/made"))).toBe(true);
  });

  test("the keys of a file open the same, and are recorded with the run", () => {
    const { checkout, home, run } = open(`name: fix
show: [../lib]
write: ["~/data"]
nodes:
  - id: fix
    bash: cat ../lib/text > read; echo made > ~/data/made
`);
    const { status, out } = run("run", "fix");
    expect([status, out]).toEqual([0, out]);
    expect(readFileSync(join(checkout, "read"), "utf8")).toBe("from the library\n");
    expect(existsSync(join(home, "data/made"))).toBe(true);
  });

  test("what a command names is shown, but not where a link in the checkout leads", () => {
    const { home, checkout, run } = open();
    writeFileSync(
      join(home, "work/lib/agent.sh"),
      "cat $(dirname $0)/text > read; cat sub/text; touch done; echo ok",
    );
    symlinkSync(join(home, "data"), join(checkout, "sub"));
    const command = `command:ls ${checkout}/sub > /dev/null; bash ${home}/work/lib/agent.sh`;
    const { out } = run(...inline.map((word) => (word === agent ? command : word)));
    expect(out).toContain("succeeded");
    expect(readFileSync(join(checkout, "read"), "utf8")).toBe("from the library\n");
    expect(out).toContain("sub/text: No such file");
  });

  test.each([
    ["package.json", '{ "dependencies": { "lib": "file:../lib" } }'],
    ["go.mod", "module x\nreplace example.com/lib => ../lib\n"],
    ["Cargo.toml", '[dependencies]\nlib = { path = "../lib" }\n'],
    ["requirements.txt", "-e ../lib\n"],
    ["pyproject.toml", '[tool.uv.sources]\nlib = { path = "../lib", editable = true }\n'],
    ["tsconfig.json", '{ "references": [{ "path": "../lib" }] }'],
    ["settings.gradle.kts", 'includeBuild("../lib")\n'],
  ])(
    "a notice names a neighbour from %s before the first call, with the line that opens it",
    (name, text) => {
      const { home, checkout, run } = open(`name: fix\nnodes: [{ id: fix, bash: "true" }]\n`);
      writeFileSync(join(checkout, name), text);
      const { out } = run("run", "fix");
      expect(out.split(join(home, "work/lib")).length, out).toBe(3);
      expect(out).toContain(`${name} names ${join(home, "work/lib")} outside this repository`);
      expect(out).toContain(`show: [${join(home, "work/lib")}]`);
      expect(run("run", "fix", "--show", "../lib").out).not.toContain("outside this repository");
    },
  );

  test("a link that leads to keys is refused before an agent is called", () => {
    const { checkout, run } = open();
    const { status, out } = run(...inline, "--show", "~/keys");
    expect(out).toContain("it cannot be opened to programs");
    expect([status, existsSync(join(checkout, "done"))]).toEqual([1, false]);
  });
});

test("keys, whole home folders and the kernel's files cannot be opened", () => {
  const { run } = open(`name: fix
show: ["~/.ssh", "~", /proc/1]
reveal: [x]
nodes:
  - id: fix
    bash: "true"
`);
  const { out, status } = run("check", "fix");
  expect(status).not.toBe(0);
  for (const words of [
    "`~/.ssh` holds keys or logins",
    "`~` would open the whole machine or a home folder",
    "`/proc/1` is the kernel's",
    "reveal",
  ])
    expect(out).toContain(words);
  expect(run(...inline, "--write", "/home").out).toContain("`/home` would open the whole machine");
});
