import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { type ShellRequest, shellAnswer } from "../../src/ports/shell.ts";
import { bashShell } from "../../src/processes/shell.ts";

const workspace = realpathSync(mkdtempSync(join(tmpdir(), "shell-")));
const artifacts = join(workspace, "artifacts");
afterAll(() => rmSync(workspace, { recursive: true, force: true }));
afterEach(() => expect(existsSync(artifacts) ? readdirSync(artifacts) : []).toEqual([]));

async function run(
  script: string,
  more: Partial<ShellRequest> = {},
  environment: NodeJS.ProcessEnv = process.env,
) {
  const context = {
    signal: new AbortController().signal,
    workspace,
    artifacts,
    env: { UNTIL_GREEN_RUN: "r" },
    onText() {},
  };
  const request: ShellRequest = { role: "node", script, env: {}, timeoutMs: undefined, ...more };
  return shellAnswer.parse(await bashShell(environment).run(request, context));
}
const sha = (text: string) => createHash("sha1").update(text).digest("hex");

describe("a script", () => {
  test("runs in the workspace, or in the given folder", async () => {
    mkdirSync(join(workspace, "sub"));
    expect(await run("pwd")).toEqual({ exitCode: 0, stdout: `${workspace}\n`, tail: `${workspace}\n` });
    expect((await run("pwd", { cwd: join(workspace, "sub") })).stdout).toBe(`${workspace}/sub\n`);
  });
  test("that fails is an answer", async () => {
    expect(await run("echo no >&2; exit 7")).toEqual({ exitCode: 7, stdout: "", tail: "no\n" });
  });
  test("sees the ids of the run and no keys", async () => {
    const environment = { ...process.env, GITHUB_TOKEN: "secret", OPENAI_API_KEY: "secret" };
    expect((await run('echo "$UNTIL_GREEN_RUN$GITHUB_TOKEN$OPENAI_API_KEY"', {}, environment)).stdout).toBe(
      "r\n",
    );
  });
  test("reads no file in the home folder, also in a session of ssh", async () => {
    const home = mkdtempSync(join(tmpdir(), "home-"));
    writeFileSync(join(home, ".bashrc"), "false() { return 0; }\n");
    const session = { PATH: process.env["PATH"], HOME: home, SSH_CLIENT: "192.0.2.1 1 22", SHLVL: "0" };
    expect(await run("false", {}, session)).toMatchObject({ exitCode: 1 });
    rmSync(home, { recursive: true });
  });
  test("over time says so", async () => {
    expect(await run("echo begun; sleep 1000", { timeoutMs: 100 })).toEqual({
      timedOut: true,
      stdout: "begun\n",
      tail: "begun\n",
    });
  });
  test("of 300 KB runs, and sees the line numbers of its own", async () => {
    const long = `${"# long\n".repeat(50_000)}echo $LINENO; exit 4`;
    expect(await run(long)).toMatchObject({ exitCode: 4, stdout: "50001\n" });
  });
});

describe("an end by signal", () => {
  test.each([
    ["of bash itself is a signal", "kill -KILL $$", { signal: "SIGKILL", stdout: "", tail: "" }],
    ["of a child is 128 + n, as bash says it", "(kill -KILL $BASHPID); exit $?", { exitCode: 137 }],
  ])("%s", async (_, script, answer) => {
    expect(await run(script)).toMatchObject(answer);
  });
});

describe("a syntax error", () => {
  test.each(["if", "echo hi; ((", "for x in; do", "echo 'open", "echo )"])("is seen: %s", async (script) => {
    expect(await run(script)).toMatchObject({ syntaxError: true });
  });
  test.each([
    "exit 2",
    "grep x /no/such/file",
    "shopt -s extglob\n[[ a == !(b|c) ]]\nexit 2",
    "echo 'syntax error' >&2; exit 1",
    "bash -c 'if'",
    "no-such-command",
  ])("is not seen where there is none: %s", async (script) => {
    expect(await run(script)).not.toHaveProperty("syntaxError");
  });
});

describe("a variable", () => {
  const ascii = String.fromCharCode(...Array.from({ length: 127 }, (_, at) => at + 1));
  test.each([
    ["quotes, dollars and line ends", `'"$HOME \`id\` $(id) \\ \n\n`],
    ["every character of ASCII", ascii],
    ["32 KiB", "x".repeat(32 * 1024)],
    ["33 KiB of every character", `${`${ascii}é🟢\\`.repeat(256)}\n\n`],
    ["3 MB", `${"0123456789é\n".repeat(250_000)}\n`],
  ])("of %s arrives byte for byte", async (_, value) => {
    const { stdout } = await run(`printf %s "$VALUE" | sha1sum | cut -c1-40`, { env: { VALUE: value } });
    expect(stdout.trim()).toBe(sha(value));
  });
  test("too large for the kernel is in a file that only its owner can read, and is not passed on", async () => {
    const value = "x".repeat(40_000);
    const script = `stat -c %a "$VALUE_FILE"; sha1sum <"$VALUE_FILE" | cut -c1-40; env | grep -c ^VALUE=; echo \${#VALUE} $LINENO`;
    const { stdout } = await run(
      script,
      { env: { VALUE: value } },
      { ...process.env, VALUE: "the caller's own" },
    );
    expect(stdout).toBe(`600\n${sha(value)}\n0\n40000 1\n`);
  });
  test("with a NUL is complete in a file, and without the NUL in bash", async () => {
    const { stdout } = await run(`printf %s "$VALUE"; wc -c <"$VALUE_FILE"`, { env: { VALUE: "a\0b\n" } });
    expect(stdout).toBe("ab\n4\n");
  });
  test("among many goes by file when together they are too large", async () => {
    const env = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`V${at}`, String(at).repeat(15_000)]),
    );
    const { stdout } = await run(
      `for i in {0..99}; do n=V$i; echo \${#n} \${!n}; done | sha1sum | cut -c1-40`,
      { env },
    );
    const expected = Object.entries(env).map(([name, value]) => `${name.length} ${value}\n`);
    expect(stdout.trim()).toBe(sha(expected.join("")));
  });
  test.each(["A B", "A;id", "1A", "", "A=B"])("cannot be named %j", async (name) => {
    await expect(run("true", { env: { [name]: "x".repeat(40_000) } })).rejects.toThrow(
      "cannot be the name of a variable",
    );
  });
});

describe("a shell that cannot answer", () => {
  test("for want of bash says what to install", async () => {
    await expect(run("true", {}, { PATH: "/no/such" })).rejects.toThrow(
      /bash is not installed.*apt-get install bash/,
    );
  });
  test("for want of a folder names it", async () => {
    await expect(run("true", { cwd: "/no/such" })).rejects.toThrow("the folder /no/such does not exist");
  });
  test("because it is no longer wanted rejects with the reason", async () => {
    const context = {
      signal: AbortSignal.abort(new Error("cancelled")),
      workspace,
      artifacts,
      env: {},
      onText() {},
    };
    const request: ShellRequest = { role: "node", script: "true", env: {}, timeoutMs: undefined };
    await expect(bashShell(process.env).run(request, context)).rejects.toThrow("cancelled");
  });
});
