import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process, { platform } from "node:process";
import type { Launch } from "../ports/isolation.ts";
import { listeningSockets } from "./escape-sockets.ts";
import type { FileSandbox } from "./file-sandbox.ts";
import type { NetworkWall } from "./network-wall.ts";
import { programPath } from "./program-path.ts";
import { mountReadOnly } from "./read-only-files.ts";
import { shellWord } from "./shell-word.ts";
import { outputOf } from "./start-program.ts";
import { systemPath } from "./system-path.ts";
import { makeTempFolder } from "./temp-folder.ts";

/**
 * Starts programs in a PID namespace of their own: they see no other process, and none of theirs outlives them, nor does
 * any shared memory or message queue.
 */
export interface PidNamespace {
  readonly by: "user namespace" | "sudo";
  /** Whether files are kept apart, too. */
  readonly files: boolean;
  /** A network wall needs the files kept apart. */
  wrap(launch: Launch, network?: NetworkWall): Launch;
}

export interface PidNamespaceOptions {
  /** Files, folders and sockets that programs inside find empty. */
  readonly masks: readonly string[];
  /** The same where there is no file wall, which hides them itself. */
  readonly hidden: readonly string[];
  /** Files and folders that programs inside cannot change where there is no file wall; by default none. */
  readonly fixed?: readonly string[];
  /** The file wall, tried first; omitted if it does not work within a namespace. */
  readonly files: FileSandbox | undefined;
}

/**
 * The first way to a PID namespace that works here, tried by starting a program in it; else the reason for each that
 * does not. Linux only. Takes about 20 ms.
 */
export async function findPidNamespace({
  masks,
  hidden,
  fixed = [],
  files,
}: PidNamespaceOptions): Promise<PidNamespace | string> {
  if (platform !== "linux") return "PID namespaces exist on Linux only";
  const tools = findTools();
  if (typeof tools === "string") return tools;
  const reasons: string[] = [];
  const namespaces = [
    files && userNamespace(tools, { masks, fixed: [] }, files),
    userNamespace(tools, { masks: [...masks, ...hidden], fixed }),
    bySudo(tools, { masks: [...masks, ...hidden], fixed }),
  ];
  for (const namespace of namespaces) {
    if (namespace === undefined) continue;
    const reason = await tryOut(namespace);
    if (reason === undefined) return namespace;
    reasons.push(`by ${namespace.by}: ${reason}`);
  }
  return reasons.join("; ");
}

/** Paths that programs inside find empty, and paths they cannot change. */
type Covered = Pick<Required<PidNamespaceOptions>, "masks" | "fixed">;

interface Tools {
  readonly unshare: string;
  readonly setpriv: string;
  readonly nsenter: string;
  readonly env: string;
  readonly sleep: string;
  readonly mount: string;
}

export function findTools(): Tools | string {
  const names = ["unshare", "setpriv", "nsenter", "env", "sleep", "mount"] as const;
  const missing = names.filter((name) => programPath(name, systemPath) === name);
  if (missing.length > 0) return `${missing.join(", ")} of util-linux or coreutils not installed`;
  return Object.fromEntries(names.map((name) => [name, programPath(name, systemPath)])) as unknown as Tools;
}

const dropped = "--no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all";
const signals = "TERM INT HUP QUIT";
/** The signals that what waits outside ignores, back as a program expects them. */
const heeding = ({ env }: Tools) => [env, `--default-signal=${signals.replaceAll(" ", ",")}`];

/**
 * The process that waits outside for the program, so that it exits as the program did, by a signal too. Signals to its
 * group are the program's: it ignores them, so one that the program dies of becomes exit code 1. The namespace lives as long as its first process, which dies with this one,
 * and this one dies with us.
 */
const outside = ({ setpriv, nsenter, sleep }: Tools, identity: string) => `trap '' ${signals}
${setpriv} ${identity} ${dropped} --pdeathsig KILL ${sleep} infinity </dev/null >/dev/null 2>&1 &
exec ${setpriv} --pdeathsig KILL ${nsenter} --pid=/proc/self/ns/pid_for_children -- /bin/sh -c "$0" "$@"`;

/** What the program itself does first: its own /proc, empty files over the masks, limits, then no privilege at all. */
function inside({ mount }: Tools, { masks, fixed }: Covered, { last, hasDevices }: Inside): string {
  return [
    `fail() { echo "until-green: the process wall could not be built" >&2; exit 125; }`,
    `${mount} -t proc -o nosuid,nodev,noexec proc /proc || fail`,
    ...(hasDevices ? [] : [ownTerminals(mount), ownMemory(mount)]),
    ...mountReadOnly(mount, fixed),
    ...present(masks).map((mask) => maskOf(mount, mask)),
    // Many processes end with their namespace; many more would stop the machine before that.
    `ulimit -u ${mostProcesses} 2>/dev/null || ulimit -p ${mostProcesses} 2>/dev/null`,
    // If memory runs out, the agent ends before what watches it.
    "echo 500 > /proc/self/oom_score_adj",
    `exec ${last} "$@"`,
  ].join("\n");
}

interface Inside {
  /** Starts the program, without privileges. */
  readonly last: string;
  /** Whether the file wall brings a /dev of its own: each mount is a process, which costs a millisecond or two. */
  readonly hasDevices: boolean;
}

/** Replaces the user's terminal, from which a program could read what is typed. Not every container allows that. */
const ownTerminals = (mount: string) =>
  `{ ${mount} -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts && ${mount} --bind /dev/pts/ptmx /dev/ptmx; } 2>/dev/null`;

/** Shared memory that ends with the program, as message queues do by the IPC namespace. */
const ownMemory = (mount: string) =>
  `[ ! -d /dev/shm ] || ${mount} -t tmpfs -o nosuid,nodev,mode=1777 tmpfs /dev/shm || fail`;

/** Threads count too: a browser's tests take some hundreds. */
const mostProcesses = 8192;

/** What is gone by now need not be hidden. */
function maskOf(mount: string, { path, isFolder }: Mask): string {
  const quoted = shellWord(path);
  const how = isFolder
    ? `${mount} -t tmpfs -o ro,mode=0555,size=4k tmpfs ${quoted}`
    : `${mount} --bind /dev/null ${quoted}`;
  return `${how} 2>/dev/null || [ ! -e ${quoted} ] || fail`;
}

function userNamespace(tools: Tools, covered: Covered, files?: FileSandbox): PidNamespace {
  const first = outside(tools, "");
  const heed = heeding(tools);
  // bubblewrap waits for its program too, and must not die of a signal to the group. It makes a user namespace of its
  // own, so that no program reaches files by /proc/PID/root of a process outside; root needs its privileges for that, and
  // bubblewrap drops them.
  const isRoot = files !== undefined && process.getuid?.() === 0;
  const last = isRoot ? "" : [tools.setpriv, dropped, ...(files === undefined ? heed : [])].join(" ");
  const hasDevices = files !== undefined;
  const own = ["-c", "--keep-caps", "-m", "-i", "-p", "--", "/bin/sh", "-c", first];
  return {
    by: "user namespace",
    files: files !== undefined,
    wrap({ command, args, env, writable = [], kept = [] }, network) {
      const inSandbox = { kept, flags: network?.flags ?? [] };
      const before = files === undefined ? [] : [...files.prefix(writable, inSandbox), ...heed];
      const program = [...(network?.before ?? []), command, ...args];
      return {
        command: tools.unshare,
        args: [
          ...own,
          inside(tools, files === undefined ? keeping(covered, kept) : covered, { last, hasDevices }),
          "wall",
          ...before,
          ...program,
        ],
        env: { ...(files && withoutHooks), ...env, ...network?.env },
      };
    },
  };
}

const keeping = ({ masks, fixed }: Covered, kept: readonly string[]) => ({
  masks,
  fixed: [...fixed, ...kept],
});

/** Git's settings and hooks are read-only: tools that install hooks with the packages would fail. */
const withoutHooks = { HUSKY: "0", LEFTHOOK: "0", SKIP_INSTALL_SIMPLE_GIT_HOOKS: "1" };

/** Root builds the namespace and then becomes this user again, without its supplementary groups. */
export function bySudo(tools: Tools, covered: Covered): PidNamespace | undefined {
  const sudo = programPath("sudo", systemPath);
  const { getuid, getgid } = process;
  if (sudo === "sudo" || getuid === undefined || getgid === undefined || getuid() === 0) return undefined;
  const identity = `--reuid ${getuid()} --regid ${getgid()} --clear-groups`;
  const first = outside(tools, identity);
  const last = [tools.setpriv, identity, dropped, ...heeding(tools), "-i"].join(" ");
  const own = ["-n", "--", tools.unshare, "-m", "-i", "-p", "--", "/bin/sh", "-c", first];
  return {
    by: "sudo",
    files: false,
    wrap: ({ command, args, env, kept = [] }) => ({
      command: sudo,
      args: [
        ...own,
        ...[inside(tools, keeping(covered, kept), { last, hasDevices: false }), "wall"],
        ...["/bin/sh", "-c", takeEnvironment, "sh", environmentFile(env), command, ...args],
      ],
      env: { PATH: systemPath },
    }),
  };
}

/** sudo passes no environment on: it goes by a file that only this user can read, and that is gone when it is read. */
const takeEnvironment = '. "$1"; rm -rf "$(dirname "$1")"; shift; exec "$@"';

function environmentFile(env: Readonly<Record<string, string>>): string {
  const path = join(makeTempFolder("environment"), "environment");
  const lines = Object.entries(env)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}=${shellWord(value)}\n`);
  writeFileSync(path, lines.join(""), { mode: 0o600 });
  return path;
}

interface Mask {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Those that are there, and the sockets that are open now. */
const present = (paths: readonly string[]): readonly Mask[] =>
  [...new Set([...paths, ...listeningSockets()])].flatMap((path) => {
    try {
      return [{ path, isFolder: statSync(path).isDirectory() }];
    } catch {
      return [];
    }
  });

/** Starts a probe inside; returns why it could not start, or what it saw that it must not see. */
async function tryOut(namespace: PidNamespace): Promise<string | undefined> {
  const { command, args, env } = namespace.wrap({ command: "/bin/sh", args: ["-c", look], env: {} });
  try {
    await outputOf(command, args, { env: { PATH: systemPath, ...env }, timeoutMs: 10_000 });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    return stderr?.trim().split("\n")[0] || message.split("\n")[0];
  }
}

const look =
  'read -r first < /proc/1/comm; [ "$first" = sleep ] || { echo "its /proc shows other processes" >&2; exit 1; }; ' +
  'while read -r key value; do [ "$key" != NoNewPrivs: ] || [ "$value" = 1 ] || exit 1; done < /proc/self/status';
