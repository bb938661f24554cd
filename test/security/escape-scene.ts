import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { builtCommandLine } from "../parts/built.ts";

const isRoot = process.getuid?.() === 0;
/**
 * Who attacks: an ordinary user that owns nothing else on this machine. Each test file has its own, as some attacks end
 * all processes of their user.
 */
export const user = isRoot ? 47_011 + 2 * (process.pid % 5000) : (process.getuid?.() ?? 0);

/** What is worth stealing; nothing else on the machine holds it. */
export const planted = "PLANTED-0123456789abcdef";

export interface Scene {
  readonly home: string;
  readonly checkout: string;
  /** Runs the command line as the ordinary user. */
  run(
    agent: string,
    isolation: string,
    ...more: readonly string[]
  ): Promise<{ readonly code: number | null; readonly stdout: string }>;
  /** What an escape left in the checkout under its name. */
  loot(name: string): string;
  /** What a script of the ordinary user, outside all walls, prints in the checkout. */
  look(script: string): string;
  close(): void;
}

/** What steps before this one, package managers and daemons have written. */
const ofJobs = [
  ...[".npmrc", "kubeconfig", "web-identity", "_runner_file_commands/set_env_0"].map(
    (name) => `runner/_work/_temp/${name}`,
  ),
  ...[
    "work/repo/gha-creds-0.json",
    "runner/_work/_temp/krb5cc",
    ".Xauthority",
    ".local/share/atuin/history.db",
  ],
  ...[".config/composer/auth.json", ".config/pypoetry/auth.toml", ".ivy2/.credentials"],
  ...[".config/github-copilot/apps.json", ".android/adbkey", ".gradle/daemon/9.0/registry.bin"],
];

/** A user's home with credentials, two checkouts and a daemon's socket in it; `variables` are set for the run. */
export async function openScene(variables: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const home = mkdtempSync(join(isRoot ? "/home" : homedir(), "until-green-escape-"));
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  for (const path of [
    ".ssh/id_ed25519",
    ".npmrc",
    ".docker/config.json",
    ".aws/credentials",
    ".git-credentials",
    ".claude/.credentials.json",
    ".mozilla/firefox/x/cookies.sqlite",
    ".cache/google-chrome/Default/Cache/Cache_Data/x",
    ".bash_history",
    "runner/.credentials",
    ...ofJobs,
    ".rustup/toolchains/stable/bin/cargo",
    ".cache/tools/bin/git2",
  ])
    put(path, `${planted}\n`);
  for (const path of [".bashrc", "work/other/secret"]) put(path, `${planted}\n`);
  for (const path of [
    "work/repo/README.md",
    ".local/share/uv/tools/ruff/bin/ruff",
    ".cache/node/corepack/v1/pnpm/9.0.0/bin/pnpm.cjs",
    ".nuget/packages/x",
    ".gem/ruby/3.4.0/plugins/x_plugin.rb",
    ".cache/p10k-instant-prompt-ann.zsh",
    ".local/share/pnpm/.tools/pnpm/9.0.0/bin/pnpm",
    "runner/_work/_actions/a/b/v1/dist/index.js",
    "runner/_work/_tool/node/24/x64/bin/node",
    ".cache/tool/until-green/claude/bin/claude",
    ".cache/pre-commit/repo1/py_env-python3/bin/hook",
    ".cache/bazelisk/downloads/sha256/1/bin/bazel",
  ])
    put(path, "x\n");
  const checkout = join(home, "work", "repo");
  const abstract = basename(home);
  for (const folder of [checkout, join(home, "work", "other")]) execFileSync("git", ["init", "-q", folder]);
  execFileSync("git", ["config", "-f", join(home, "work/other/.git/config"), "alias.kept", "x"]);
  mkdirSync(join(checkout, "loot"));
  const daemons = await Promise.all([
    listenAt(join(home, "docker.sock")),
    listenAt(join(home, ".cache/git/credential/socket")),
    listenAt(join(home, ".sbt/1.0/server/x/sock")),
    listenAt(join(home, ".1password/agent.sock")),
    listenAt(join(home, "run/bus")),
    listenAt(`\0${abstract}`),
  ]);
  const outside = await openOutside();
  if (isRoot) giveAll(home);
  if (isRoot) {
    cpSync("/usr/bin/id", join(home, "setuid-id"));
    chmodSync(join(home, "setuid-id"), 0o4755);
  }
  const terminal = openTerminal(home);
  const close = () => {
    for (const daemon of daemons) daemon.close();
    terminal.kill("SIGKILL");
    outside.close();
    for (const pid of processesOfUser()) {
      if (isRoot || commandOf(pid).includes("escaped")) kill(pid);
    }
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    process.off("exit", close);
  };
  // A run that is interrupted leaves nothing behind either.
  process.once("exit", close);
  return {
    home,
    checkout,
    run: (agent, ...args) => runAs({ home, checkout, more: { ...outside.ports, ...variables } }, agent, args),
    loot: (name) => readFileSync(join(checkout, "loot", name), { encoding: "utf8", flag: "a+" }),
    look(script) {
      const [program = "", ...args] = [...identity, "bash", "-c", script];
      const env = { PATH: process.env["PATH"], HOME: home };
      return spawnSync(program, args, { cwd: checkout, env, encoding: "utf8" }).stdout;
    },
    close,
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

/** A daemon that gives out a secret to whoever may connect. */
async function listenAt(path: string): Promise<Server> {
  if (path.startsWith("/")) mkdirSync(dirname(path), { recursive: true });
  const daemon = createServer((socket) => void socket.end(`${planted}\n`)).listen(path);
  await new Promise((listening) => daemon.once("listening", listening));
  if (path.startsWith("/")) chmodSync(path, 0o777);
  return daemon;
}

/** A terminal of the user, whose name is in the file `terminal` once it is open. */
function openTerminal(home: string) {
  const [program = "", ...args] = [
    ...identity,
    "script",
    "-qc",
    `tty > ${home}/terminal; sleep 300`,
    "/dev/null",
  ];
  return spawn(program, args, { stdio: "ignore" });
}

const identity = isRoot ? ["setpriv", "--reuid", `${user}`, "--regid", `${user}`, "--clear-groups"] : [];

/** What stands for the world outside: whoever reaches it by TCP or UDP is answered. */
async function openOutside() {
  const tcp = createServer((socket) => void socket.end(`${planted}\n`)).listen(0, "127.0.0.1");
  const udp = createSocket("udp4").bind(0, "127.0.0.1");
  udp.on("message", (_, from) => udp.send(planted, from.port, from.address));
  await Promise.all(
    [tcp, udp].map((server) => new Promise((listening) => server.once("listening", listening))),
  );
  const folder = mkdtempSync("/tmp/ssh-");
  const sockets = { SSH_AUTH_SOCK: join(folder, "agent.1"), OUTSIDE_SOCKET: `${folder}.sock` };
  const daemons = await Promise.all(Object.values(sockets).map(listenAt));
  if (isRoot) for (const path of [folder, ...Object.values(sockets)]) chownSync(path, user, user);
  const ports = {
    ...sockets,
    OUTSIDE_TCP: `${(tcp.address() as AddressInfo).port}`,
    OUTSIDE_UDP: `${udp.address().port}`,
  };
  const close = () => {
    tcp.close();
    udp.close();
    for (const daemon of daemons) daemon.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ports, close };
}

function giveAll(path: string): void {
  chownSync(path, user, user);
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
    chownSync(join(entry.parentPath, entry.name), user, user);
}

interface Place {
  readonly home: string;
  readonly checkout: string;
  readonly more: Readonly<Record<string, string>>;
}

function runAs(
  { home, checkout, more: others }: Place,
  agent: string,
  [isolation = "", ...more]: readonly string[],
) {
  writeFileSync(join(checkout, "agent.sh"), agent);
  const commandLine = [
    "--prompt",
    "x",
    "--until-bash",
    "test -e done",
    "--max-iterations",
    "1",
    "--isolation",
    isolation,
    ...more,
  ];
  const main = builtCommandLine();
  const command = [process.execPath, main, "run", ...commandLine, "--agent", "command:bash agent.sh"];
  const [program = "", ...args] = [...identity, ...command];
  const temp = join(home, "runner/_work/_temp");
  const env = {
    RUNNER_TEMP: temp,
    RUNNER_TOOL_CACHE: join(home, ".cache/tool"),
    PATH: `${join(home, ".cache/tools/bin")}:${join(home, ".cache/later/bin")}:${dirname(process.execPath)}:${join(home, ".local/bin")}:${process.env["PATH"]}`,
    HOME: home,
    GITHUB_TOKEN: planted,
    XDG_RUNTIME_DIR: join(home, "run"),
    NPM_CONFIG_USERCONFIG: join(temp, ".npmrc"),
    KUBECONFIG: join(temp, "kubeconfig"),
    KRB5CCNAME: `FILE:${join(temp, "krb5cc")}`,
    AWS_WEB_IDENTITY_TOKEN_FILE: join(temp, "web-identity"),
    GITHUB_ENV: join(temp, "_runner_file_commands/set_env_0"),
    GOOGLE_APPLICATION_CREDENTIALS: join(checkout, "gha-creds-0.json"),
    OUTSIDE_ABSTRACT: basename(home),
    ...others,
    DOCKER_HOST: `unix://${join(home, "docker.sock")}`,
  };
  return new Promise<{ code: number | null; stdout: string }>((resolve) => {
    const child = spawn(program, args, { cwd: checkout, env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stdout += chunk;
    });
    child.once("exit", (code) => setTimeout(() => resolve({ code, stdout }), 300));
  });
}

/** The ids of the ordinary user's processes. */
export function processesOfUser(): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number(/^Uid:\s+(\d+)/m.exec(inProc(pid, "status"))?.[1]) === user);
}

export const commandOf = (pid: number) => inProc(pid, "cmdline").replaceAll("\0", " ");

function inProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
