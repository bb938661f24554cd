import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { IsolationMode } from "../../src/ports/isolation.ts";
import { runnerFileNames } from "../../src/processes/environment.ts";
import { openIsolation } from "../../src/processes/isolation.ts";
import { type ProcessRequest, runProcess } from "../../src/processes/process.ts";

const environment = { PATH: process.env["PATH"] ?? "" };
const hasFiles = (await openIsolation({ mode: "auto", environment }).walls()).some(
  ({ name, on }) => name === "files" && on,
);
const processWall = async (mode: IsolationMode = "auto") =>
  (await openIsolation({ mode, environment }).walls()).find(({ name }) => name === "processes");
const has = (await processWall())?.on === true;

function folderOf(files: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "isolation-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** A folder of this user that is no temporary one. */
function folderIn(name: string) {
  const folder = mkdtempSync(join(homedir(), `.until-green-${name}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** As a job names them: programs find them empty. */
const runnerFiles = (paths: readonly string[]) =>
  Object.fromEntries(paths.map((path, at) => [runnerFileNames[at] ?? "", path]));

interface Try extends Partial<ProcessRequest> {
  readonly masks?: readonly string[];
  readonly checkout?: string;
}

async function bash(script: string, { masks = [], checkout = tmpdir(), ...more }: Try = {}) {
  const isolation = openIsolation({
    mode: "auto",
    environment: { ...(more.env ?? environment), ...runnerFiles(masks) },
    writable: [checkout],
  });
  return await runProcess({
    command: "bash",
    args: ["--norc", "-c", script],
    cwd: tmpdir(),
    env: environment,
    signal: new AbortController().signal,
    wrap: (launch) => isolation.wrap(launch),
    ...more,
  });
}

describe.runIf(has)("a program behind the process wall", () => {
  test("sees its own processes only, under its own user, and can gain no privilege", async () => {
    const { stdout } = await bash(
      "id -u; echo $PPID; ls -d /proc/[0-9]* | wc -l; grep NoNewPrivs /proc/self/status",
    );
    const [user, parent, count, privileges] = stdout.trim().split("\n");
    expect(user).toBe(String(process.getuid?.()));
    expect(Number(parent)).toBeLessThan(4);
    expect(Number(count)).toBeLessThan(8);
    expect(privileges).toMatch(/1$/);
  });

  test.each([
    ["exits with 0", "exit 0", { how: "exited", exitCode: 0 }],
    ["exits with 3", "exit 3", { how: "exited", exitCode: 3 }],
    ["exits with 137", "exit 137", { how: "exited", exitCode: 137 }],
  ])("that %s ends as it would without", async (_, script, end) => {
    expect(await bash(script)).toMatchObject(end);
  });

  test("that is killed has failed: by its signal, or by the exit code that a shell has for it", async () => {
    const { exitCode, signal } = await bash("kill -KILL $$");
    expect(signal ?? exitCode).toBe(hasFiles ? 137 : "SIGKILL");
    expect((await bash("kill -TERM $$")).exitCode).toBe(hasFiles ? 143 : 1);
  });

  test("may end in order when its time is up", async () => {
    const script = "trap 'echo in order; exit 0' TERM; echo ready; sleep 30 & wait";
    expect(await bash(script, { timeoutMs: 1_000 })).toMatchObject({
      how: "timed-out",
      stdout: "ready\nin order\n",
    });
  });

  test("reads its standard input and writes to both outputs", async () => {
    const { stdout, stderr } = await bash("cat; echo no >&2", { stdin: "é".repeat(100_000) });
    expect([stdout.length, stderr]).toEqual([100_000, "no\n"]);
  });

  test("keeps its environment, whatever its values hold, and its folder", async () => {
    const cwd = folderOf();
    const value = `it's "a"\n$(x) é`;
    const { stdout } = await bash('printf %s "$VALUE"; pwd', { cwd, env: { ...environment, VALUE: value } });
    expect(stdout).toBe(`${value}${cwd}\n`);
  });

  test.each([
    ["setsid", "setsid"],
    ["setsid, and without our names in its environment", 'setsid env -i PATH="$PATH"'],
    ["a second fork", "setsid setsid env -i"],
    ["nohup", "nohup"],
  ])("leaves nothing behind by %s", async (_, how) => {
    const folder = folderOf();
    const path = join(folder, "beats");
    const beat = `${how} bash -c 'while :; do echo >> ${path}; /bin/sleep 0.05; done' > /dev/null 2>&1 &`;
    await bash(`${beat} until test -s ${path}; do sleep 0.05; done`, { reap: false });
    const before = readFileSync(path).length;
    await new Promise((later) => setTimeout(later, 400));
    expect(readFileSync(path).length - before).toBeLessThanOrEqual(1);
  });

  test.runIf(hasFiles)("reaches no file by the root of another process", async () => {
    const home = folderIn("root");
    mkdirSync(join(home, ".ssh"));
    writeFileSync(join(home, ".ssh/id"), "a key");
    const script = 'for p in /proc/[0-9]*; do cat "$p/root$HOME/.ssh/id"; touch "$p/root$HOME/new"; done';
    const { stdout } = await bash(script, { env: { ...environment, HOME: home } });
    expect(stdout).toBe("");
    expect(existsSync(join(home, "new"))).toBe(false);
  });

  test.runIf(hasFiles)("finds no terminal of the user", async () => {
    const { stdout } = await bash("ls -d /dev/pts/* /proc/[0-9]*/root/dev/pts/*");
    expect([
      ...new Set(
        stdout
          .trim()
          .split("\n")
          .map((path) => path.replace(/^\/proc\/\d+\/root/, "")),
      ),
    ]).toEqual(["/dev/pts/ptmx"]);
  });

  test("finds the masked files and folders empty, and cannot write where they are", async () => {
    const folder = folderOf({ "a file": "secret\n" });
    mkdirSync(join(folder, "it's"));
    writeFileSync(join(folder, "it's", "secret"), "secret\n");
    const masks = ["a file", "it's", "not there"].map((name) => join(folder, name));
    const script = "cat 'a file'; ls -A \"it's\"; echo x > \"it's/new\"; echo y >> 'a file'; umount 'a file'";
    const { stdout } = await bash(script, { cwd: folder, masks });
    expect(stdout).toBe("");
    expect(readFileSync(join(folder, "a file"), "utf8")).toBe("secret\n");
    expect(readdirSync(join(folder, "it's"))).toEqual(["secret"]);
  });

  test.runIf(hasFiles)("writes in its checkout, its own places and caches, and nowhere else", async () => {
    const [home, checkout, place] = [folderIn("home"), folderIn("checkout"), folderIn("place")];
    for (const name of [".bashrc", ".npmrc"]) writeFileSync(join(home, name), "before\n");
    mkdirSync(join(home, ".npm"));
    const script = `cd "$HOME"; for f in .bashrc .profile .npm/x .cache/x "$CHECKOUT/x" "$PLACE/x"; do
      (echo after > "$f") 2>/dev/null && echo "$f"; done; true`;
    const env = { ...environment, HOME: home, CHECKOUT: checkout, PLACE: place };
    const { stdout } = await bash(script, { env, checkout, writable: [place] });
    expect(stdout.trim().split("\n")).toEqual([".npm/x", ".cache/x", `${checkout}/x`, `${place}/x`]);
    expect(readFileSync(join(home, ".bashrc"), "utf8")).toBe("before\n");
  });

  test.runIf(hasFiles)("has the caches of the tools on PATH, also before their first use", async () => {
    const [home, checkout, tools] = [folderIn("home"), folderIn("checkout"), folderIn("tools")];
    for (const tool of ["java", "npm"]) writeFileSync(join(tools, tool), "#!/bin/sh\n", { mode: 0o755 });
    const script = `cd "$HOME"; for f in .m2/repository .m2/wrapper .gradle .npm .m2 .nuget; do
      (echo x > "$f/x") 2>/dev/null && echo "$f"; done; true`;
    const env = { ...environment, HOME: home, PATH: `${tools}:/usr/bin:/bin` };
    const { stdout } = await bash(script, { env, checkout });
    expect(stdout.trim().split("\n")).toEqual([".m2/repository", ".m2/wrapper", ".gradle", ".npm"]);
  });

  test.runIf(hasFiles)("has the caches of Cargo and Go where variables name other folders", async () => {
    const [home, checkout, tools] = [folderIn("home"), folderIn("checkout"), folderIn("tools")];
    const [cargo, go] = [folderIn("cargo"), folderIn("go")];
    for (const tool of ["cargo", "go"]) writeFileSync(join(tools, tool), "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(join(cargo, "credentials.toml"), "PLANTED\n");
    const script = `for f in $CARGO_HOME/registry $CARGO_HOME/git \${GOPATH%%:*}/pkg $CARGO_HOME/bin $CARGO_HOME; do
      (echo x > "$f/x") 2>/dev/null && basename "$f"; done; cat $CARGO_HOME/credentials.toml`;
    const places = { CARGO_HOME: cargo, GOPATH: `${go}:/other` };
    const env = { ...environment, ...places, HOME: home, PATH: `${tools}:/usr/bin:/bin` };
    const { stdout } = await bash(script, { env, checkout });
    expect(stdout.trim().split("\n")).toEqual(["registry", "git", "pkg"]);
  });

  test.runIf(hasFiles)("has the store of pnpm, also in a folder on PATH that it cannot change", async () => {
    const [home, checkout] = [folderIn("home"), folderIn("checkout")];
    const [usual, named] = [join(home, ".local/share/pnpm"), join(home, "setup-pnpm")];
    for (const folder of [usual, named]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(named, "pnpm"), "#!/bin/sh\n", { mode: 0o755 });
    const script = `for f in ${usual} ${usual}/store ${named} ${named}/store; do
      (echo x > "$f/x") 2>/dev/null && echo "$f"; done; true`;
    const env = { ...environment, HOME: home, PNPM_HOME: named, PATH: `${usual}:${named}:/usr/bin:/bin` };
    const { stdout } = await bash(script, { env, checkout });
    expect(stdout.trim().split("\n")).toEqual([`${usual}/store`, `${named}/store`]);
  });

  test.runIf(hasFiles)("gets no home that is not there", async () => {
    const [home, checkout] = [join(folderOf(), "gone"), folderIn("checkout")];
    const { exitCode } = await bash("true", { env: { ...environment, HOME: home }, checkout });
    expect([exitCode, existsSync(home)]).toEqual([0, false]);
  });

  test.runIf(hasFiles)("finds the credentials of its user empty, also by a link", async () => {
    const [home, checkout] = [folderIn("home"), folderIn("checkout")];
    mkdirSync(join(home, ".ssh"));
    mkdirSync(join(home, ".aws"));
    for (const name of [".ssh/id_ed25519", ".aws/credentials", ".npmrc", ".git-credentials"])
      writeFileSync(join(home, name), "PLANTED\n");
    symlinkSync(join(home, ".ssh", "id_ed25519"), join(checkout, "link"));
    const script = 'cat ~/.ssh/* ~/.aws/* ~/.npmrc ~/.git-credentials "$CHECKOUT/link"; umount ~/.npmrc';
    const env = { ...environment, HOME: home, CHECKOUT: checkout };
    const { stdout } = await bash(`${script}; true`, { env, checkout });
    expect(stdout).toBe("");
  });

  test("that is not there is reported as without walls", async () => {
    const end = await bash("", { command: "no-such-program-here" });
    expect(end).toMatchObject({ how: "not-started", fault: { code: "ENOENT" } });
  });

  test("ends when this process is killed", async () => {
    const path = join(folderOf(), "beats");
    const modules = new URL("../../src/processes/", import.meta.url).pathname;
    const script = `import { openIsolation } from "${modules}isolation.ts";
      import { runProcess } from "${modules}process.ts";
      const isolation = openIsolation({ mode: "auto", environment: process.env, writable: ["${join(path, "..")}"] });
      await runProcess({ command: "bash", args: ["-c", "while :; do echo >> ${path}; sleep 0.05; done"], cwd: "/",
        env: { PATH: process.env.PATH }, signal: new AbortController().signal, wrap: (l) => isolation.wrap(l) });`;
    const kill = `node --input-type=module-typescript -e '${script}' & until test -s ${path}; do sleep 0.05; done; kill -KILL $!`;
    await runProcess({
      command: "bash",
      args: ["-c", kill],
      cwd: "/",
      env: environment,
      signal: new AbortController().signal,
    });
    await new Promise((later) => setTimeout(later, 200));
    const before = readFileSync(path).length;
    await new Promise((later) => setTimeout(later, 400));
    expect(readFileSync(path).length).toBe(before);
  });
});

describe("how strict isolation is", () => {
  const launch = { command: "true", args: [], env: {} };

  test("with `off` a program is started as it is", async () => {
    expect(await openIsolation({ mode: "off", environment }).wrap(launch)).toBe(launch);
  });

  test.runIf(existsSync("/proc/self/limits"))(
    "no core file of this process can be had once walls are built",
    async () => {
      await processWall();
      expect(readFileSync("/proc/self/limits", "utf8")).toMatch(/^Max core file size +0 +0 /m);
    },
  );
});
