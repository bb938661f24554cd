import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openIsolation } from "../../src/processes/isolation.ts";
import { findPidNamespace, probe } from "../../src/processes/pid-namespace.ts";
import { readOnlyFiles } from "../../src/processes/read-only-files.ts";
import { outputOf } from "../../src/processes/start-program.ts";

const isHere = typeof (await findPidNamespace({ masks: [], hidden: [], files: undefined })) !== "string";

test.runIf(isHere)("known credentials are empty also without the file wall", async () => {
  const folder = mkdtempSync(join(homedir(), ".until-green-hidden-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [hidden, open] = ["hidden", "open"].map((name) => join(folder, name)) as [string, string];
  for (const path of [hidden, open]) writeFileSync(path, `${path}\n`);
  const namespace = await findPidNamespace({ masks: [], hidden: [hidden], files: undefined });
  if (typeof namespace === "string") throw new Error(namespace);
  const { command, args, env } = namespace.wrap({ command: "/bin/cat", args: [hidden, open], env: {} });
  expect(await outputOf(command, args, { env })).toBe(`${open}\n`);
  const own = namespace.wrap({ command: "/bin/cat", args: [hidden], env: {}, writable: [hidden] });
  expect(await outputOf(own.command, own.args, { env: own.env })).toBe(`${hidden}\n`);
});

test.runIf(isHere)("what others start is read-only also without the file wall", async () => {
  const home = mkdtempSync(join(homedir(), ".until-green-fixed-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const files = [
    ".bashrc",
    ".config/git/config",
    "run ner/_work/_actions/a/index.js",
    "run ner/bin/Runner",
    "tools/until-green/a",
  ];
  for (const name of [...files, "open", ".config/other"]) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), "kept");
  }
  const environment = {
    HOME: home,
    RUNNER_TEMP: join(home, "run ner/_work/_temp"),
    RUNNER_TOOL_CACHE: join(home, "tools"),
  };
  const change = async (fixed: readonly string[]) => {
    const namespace = await findPidNamespace({ masks: [], hidden: [], fixed, files: undefined });
    if (typeof namespace === "string") throw new Error(namespace);
    const script = `cd '${home}'
      for f in .bashrc .config/git/config 'run ner/_work/_actions/a/index.js' 'run ner/bin/Runner' tools/until-green/a open .config/other; do
        echo changed > "$f"; done
      rm -f .bashrc; umount .bashrc; touch .config/new; mv .config moved; mv 'run ner/_work' moved; mv 'run ner' moved; mv tools moved; true`;
    const { command, args, env } = namespace.wrap({ command: "/bin/sh", args: ["-c", script], env: {} });
    await outputOf(command, args, { env });
  };
  const read = (name: string) => readFileSync(join(home, name), "utf8").trim();
  await change(readOnlyFiles(environment));
  expect(files.map(read)).toEqual(files.map(() => "kept"));
  expect(["open", ".config/other"].map(read)).toEqual(["changed", "changed"]);
  expect(existsSync(join(home, ".config/new"))).toBe(true);
  await change([]);
  expect([".bashrc", ".config", "run ner", "tools"].filter((name) => existsSync(join(home, name)))).toEqual(
    [],
  );
});

const hasFiles = (await openIsolation({ environment: {} }).walls()).some(
  ({ name, on }) => name === "files" && on,
);

test.runIf(hasFiles)(
  "a checkout within a hidden folder is seen, and nothing else of the folder",
  async () => {
    const session = mkdtempSync(join(homedir(), ".until-green-session-"));
    onTestFinished(() => rmSync(session, { recursive: true, force: true }));
    const checkout = join(session, "work/repo");
    mkdirSync(checkout, { recursive: true });
    writeFileSync(join(session, "bus"), "secret\n");
    const environment = { PATH: process.env["PATH"] ?? "", XDG_RUNTIME_DIR: session };
    const isolation = openIsolation({ environment, writable: [checkout] });
    const script = `cd '${checkout}' && echo x > made; cat ../../bus; echo x > ../../new; ls ../..`;
    const launch = await isolation.wrap({ command: "/bin/sh", args: ["-c", script], env: environment });
    expect(await outputOf(launch.command, launch.args, { env: launch.env })).toBe("work\n");
    expect([existsSync(join(checkout, "made")), existsSync(join(session, "new"))]).toEqual([true, false]);
  },
);

test.runIf(isHere)(
  "the probe waits until the first process of its namespace has become `sleep`",
  async () => {
    const inner = '(/bin/sh -c "$0"; echo "it ended with $?") & /bin/sleep 0.3; exec /bin/sleep 0.5';
    const args = [
      "--user",
      "--map-root-user",
      "--pid",
      "--fork",
      "--mount-proc",
      "/bin/sh",
      "-c",
      inner,
      probe,
    ];
    // As a program that is started without new privileges.
    const output = await outputOf("setpriv", ["--no-new-privs", "unshare", ...args], {});
    expect(output).toContain("it ended with 0");
  },
);
