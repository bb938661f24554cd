import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process, { platform } from "node:process";
import type { Launch } from "../ports/isolation.ts";
import type { FileSandbox } from "./file-sandbox.ts";
import { maskOf, present } from "./masks.ts";
import type { NetworkWall } from "./network-wall.ts";
import { partEnvironment } from "./outside-launch.ts";
import { programPath } from "./program-path.ts";
import { mountReadOnly } from "./read-only-files.ts";
import { shellWord } from "./shell-word.ts";
import { outputOf } from "./start-program.ts";
import { systemPath } from "./system-path.ts";
import { makeTempFolder } from "./temp-folder.ts";

/**
 * Starts programs in their own PID namespace: they see no other process, and no process, shared memory or message queue
 * of theirs outlives them.
 */
export interface PidNamespace {
  readonly by: "user namespace" | "sudo";
  /** Whether files are protected too. */
  readonly files: boolean;
  /** A network wall requires `files`. */
  wrap(launch: Launch, network?: NetworkWall): Launch;
}

export interface PidNamespaceOptions {
  /** Files, folders and sockets that programs inside find empty. */
  readonly masks: readonly string[];
  /** The same, but only if there is no file wall, which hides them itself. */
  readonly hidden: readonly string[];
  /** Files and folders that programs inside cannot change if there is no file wall; default: none. */
  readonly fixed?: readonly string[];
  /** The file sandbox, which is tried first; `undefined` if there is none. */
  readonly files: FileSandbox | undefined;
}

/**
 * Finds the first way to build a PID namespace that works here, by starting a program in it; returns the reasons if
 * none works. Linux only. Takes about 20 ms.
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
    files && inSandbox(tools, masks, files),
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

/** Paths that programs inside find empty, and paths that they cannot change. */
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
/** Restores the default handling of signals that the waiting process outside ignores, as programs expect it. */
const heeding = ({ env }: Tools) => [env, `--default-signal=${signals.replaceAll(" ", ",")}`];

/**
 * The process that waits outside for the program and exits as the program did, even by a signal. It ignores signals to
 * the process group, which are meant for the program; if the program dies of one of these, the exit code is 1. The
 * namespace lives as long as its first process, which dies with this one, and this one dies with us.
 */
const outside = ({ setpriv, nsenter, sleep }: Tools, identity: string) => `trap '' ${signals}
${setpriv} ${identity} ${dropped} --pdeathsig KILL ${sleep} infinity </dev/null >/dev/null 2>&1 &
exec ${setpriv} --pdeathsig KILL ${nsenter} --pid=/proc/self/ns/pid_for_children -- /bin/sh -c "$0" "$@"`;

/** The setup inside the namespace: a private /proc, empty files over the masks, limits; then drops all privileges. */
function inside({ mount }: Tools, { masks, fixed }: Covered, last: string): string {
  return [
    `fail() { echo "until-green: the process wall could not be built" >&2; exit 125; }`,
    `${mount} -t proc -o nosuid,nodev,noexec proc /proc || fail`,
    ownTerminals(mount),
    ownMemory(mount),
    ...mountReadOnly(mount, fixed),
    ...present(masks).map((mask) => maskOf(mount, mask)),
    limit,
    firstToEnd,
    `exec ${last} "$@"`,
  ].join("\n");
}

/** Replaces the user's terminal, where a program could read what is typed. Some containers do not allow it. */
const ownTerminals = (mount: string) =>
  `{ ${mount} -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts && ${mount} --bind /dev/pts/ptmx /dev/ptmx; } 2>/dev/null`;

/** Shared memory that ends with the program; the IPC namespace does the same for message queues. */
const ownMemory = (mount: string) =>
  `[ ! -d /dev/shm ] || ${mount} -t tmpfs -o nosuid,nodev,mode=1777 tmpfs /dev/shm || fail`;

/** Threads count too: a browser test takes hundreds. */
const mostProcesses = 8192;
/** Many processes end with their namespace; without a limit, too many would stall the machine before that. */
const limit = `ulimit -u ${mostProcesses} 2>/dev/null || ulimit -p ${mostProcesses} 2>/dev/null`;
/** If memory runs out, the agent is killed before the process that watches it. */
const firstToEnd = "echo 500 > /proc/self/oom_score_adj";

/**
 * bubblewrap builds everything in one process. The waiting process outside must survive signals to its group, which are
 * meant for the program. The limit counts only processes inside the namespace.
 */
function inSandbox(tools: Tools, masks: readonly string[], files: FileSandbox): PidNamespace {
  const outer = `trap '' ${signals}; ${firstToEnd}; exec "$@"`;
  const inner = ["/bin/sh", "-c", `${limit}; exec "$@"`, "wall"];
  return {
    by: "user namespace",
    files: true,
    wrap({ command, args, env, writable = [], kept = [] }, network) {
      const { outside: built, assignments } = partEnvironment(env);
      const hidden = present(masks).map(({ path }) => path);
      const more = { kept, masks: hidden, flags: network?.flags ?? [] };
      const before = [
        ...files.prefix(writable, more),
        ...heeding(tools),
        ...assignments,
        ...inner,
        ...(network?.before ?? []),
      ];
      return {
        command: "/bin/sh",
        args: ["-c", outer, "wall", ...before, command, ...args],
        env: { ...withoutHooks, ...built, ...network?.env },
      };
    },
  };
}

/** Git's settings and hooks are read-only, so tools that install hooks along with packages would fail. */
const withoutHooks = { HUSKY: "0", LEFTHOOK: "0", SKIP_INSTALL_SIMPLE_GIT_HOOKS: "1" };

function userNamespace(tools: Tools, covered: Covered): PidNamespace {
  const last = [tools.setpriv, dropped, ...heeding(tools)].join(" ");
  const first = ["-c", "--keep-caps", "-m", "-i", "-p", "--", "/bin/sh", "-c", outside(tools, "")];
  return {
    by: "user namespace",
    files: false,
    wrap({ command, args, env, ...launch }) {
      const { outside: built, assignments } = partEnvironment(env);
      const script = inside(tools, coveredFor(covered, launch), last);
      return {
        command: tools.unshare,
        args: [...first, script, "wall", ...assignments, command, ...args],
        env: built,
      };
    },
  };
}

/** A program's own login is not hidden from it, because it may write to it. */
const coveredFor = (
  { masks, fixed }: Covered,
  { kept = [], writable = [] }: Pick<Launch, "kept" | "writable">,
): Covered => ({
  masks: masks.filter((path) => !writable.some((own) => own === path || own.startsWith(`${path}/`))),
  fixed: [...fixed, ...kept],
});

/** Root builds the namespace, then switches back to this user, without supplementary groups. */
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
    wrap: ({ command, args, env, ...launch }) => ({
      command: sudo,
      args: [
        ...own,
        ...[inside(tools, coveredFor(covered, launch), last), "wall"],
        ...["/bin/sh", "-c", takeEnvironment, "sh", environmentFile(env), command, ...args],
      ],
      env: { PATH: systemPath },
    }),
  };
}

/** sudo drops the environment, so it is passed in a file that only this user can read and that is deleted once read. */
const takeEnvironment = '. "$1"; rm -rf "$(dirname "$1")"; shift; exec "$@"';

function environmentFile(env: Readonly<Record<string, string>>): string {
  const path = join(makeTempFolder("environment"), "environment");
  const lines = Object.entries(env)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}=${shellWord(value)}\n`);
  writeFileSync(path, lines.join(""), { mode: 0o600 });
  return path;
}

/** Starts a probe inside; returns why it did not start, or what it saw that it should not see. */
async function tryOut(namespace: PidNamespace): Promise<string | undefined> {
  const { command, args, env } = namespace.wrap({ command: "/bin/sh", args: ["-c", probe], env: {} });
  try {
    await outputOf(command, args, { env: { PATH: systemPath, ...env }, timeoutMs: 10_000 });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    return stderr?.trim().split("\n")[0] || message.split("\n")[0];
  }
}

/** On a busy machine, the first process may still be on its way from `sh` through `setpriv` to `sleep`. */
export const probe =
  'tries=0; while read -r first < /proc/1/comm; do case "$first" in sleep | bwrap) break ;; sh | setpriv) [ "$tries" -lt 40 ] ;; *) false ;; esac' +
  ' || { echo "its /proc shows other processes" >&2; exit 1; }; tries=$((tries + 1)); sleep 0.05; done; ' +
  'while read -r key value; do [ "$key" != NoNewPrivs: ] || [ "$value" = 1 ] || exit 1; done < /proc/self/status';
