import process, { platform } from "node:process";
import type { Launch } from "../ports/isolation.ts";
import type { FileSandbox, View } from "./file-sandbox.ts";
import type { NetworkWall } from "./network-wall.ts";
import { partEnvironment } from "./outside-launch.ts";
import { programPath } from "./program-path.ts";
import { shellWord } from "./shell-word.ts";
import { outputOf } from "./start-program.ts";
import { systemPath } from "./system-path.ts";

/**
 * Starts programs in namespaces of their own: they see no other process and only the files that are listed, and no
 * process, shared memory or message queue of theirs outlives them.
 */
export interface Bubblewrap {
  wrap(launch: Launch, network?: NetworkWall): Walled;
}

interface Walled {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/** The first of these ways that works here, found by starting a program; the reasons if none works. */
export async function findBubblewrap(
  ways: readonly { readonly files: FileSandbox; readonly isRoot: boolean }[],
): Promise<(Bubblewrap & { readonly way: number }) | string> {
  if (platform !== "linux") return "namespaces exist on Linux only";
  const tools = findTools();
  if (typeof tools === "string") return tools;
  const reasons = new Set<string>();
  for (const [way, { files, isRoot }] of ways.entries()) {
    const built = { ...buildWith(tools, files, isRoot), way };
    const reason = await tryOut(built);
    if (reason === undefined) return built;
    reasons.add(reason);
  }
  return [...reasons].join("; ");
}

type Tools = Readonly<Record<(typeof programs)[number], string>>;

const programs = ["bwrap", "env", "mount", "setpriv", "unshare"] as const;

function findTools(): Tools | string {
  if (programPath("bwrap", systemPath) === "bwrap") return "bubblewrap is not installed";
  const missing = programs.filter((name) => programPath(name, systemPath) === name);
  if (missing.length > 0) return `${missing.join(", ")} of util-linux or coreutils not installed`;
  return Object.fromEntries(programs.map((name) => [name, programPath(name, systemPath)])) as Tools;
}

const signals = "TERM INT HUP QUIT";
/** Threads count too: a browser test takes hundreds. */
const mostProcesses = 8192;
/** Many processes end with their namespace; without a limit, too many would stall the machine before that. */
const limit = `ulimit -u ${mostProcesses} 2>/dev/null || ulimit -p ${mostProcesses} 2>/dev/null`;
/** If memory runs out, the agent is killed before the process that watches it. */
const firstToEnd = "echo 500 > /proc/self/oom_score_adj";
/** The waiting process outside must survive signals to its group, which are meant for the program. */
const outer = `trap '' ${signals}; ${firstToEnd}; exec "$@"`;

/** What root keeps in a checkout that belongs to somebody else: it may write there, as it does without walls. */
const ofRoot = ["CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_CHOWN"];
/** What it takes to mount the layers of caches; dropped before the program starts. */
const ofMounts = ["CAP_SYS_ADMIN", "CAP_SETPCAP", "CAP_DAC_OVERRIDE"];

function buildWith(tools: Tools, files: FileSandbox, isRoot: boolean): Bubblewrap {
  const kept = isRoot ? ofRoot : [];
  /** Restores the default handling of signals that the waiting process outside ignores, as programs expect it. */
  const heeding = [tools.env, `--default-signal=${signals.replaceAll(" ", ",")}`];
  const prefix = (view: View, network: NetworkWall | undefined) => {
    const first = view.table.length === 0 ? [] : [tools.unshare, "--mount"];
    const caps = [...kept, ...(view.table.length === 0 ? [] : ofMounts)];
    return [
      tools.bwrap,
      ...(isRoot ? [] : ["--unshare-user"]),
      ...["--cap-drop", "ALL", ...caps.flatMap((name) => ["--cap-add", name])],
      ...view.flags,
      ...(network === undefined ? [] : ["--unshare-net"]),
      ...["--remount-ro", "/", "--", ...first, "/bin/sh", "-c", inner(tools, view.table, kept), "wall"],
    ];
  };
  return {
    wrap({ env, ...launch }, network) {
      const { outside, assignments } = partEnvironment(env);
      const view = files.view({
        ...launch,
        writable: [...(launch.writable ?? []), ...(network === undefined ? [] : [network.folder])],
      });
      const program = [...assignments, ...(network?.before ?? []), launch.command, ...launch.args];
      return {
        command: "/bin/sh",
        args: ["-c", outer, "wall", ...prefix(view, network), ...heeding, ...program],
        env: { ...withoutHooks, ...outside, ...network?.env },
        close: view.close,
      };
    },
  };
}

/** Mounts the layers of caches, sets limits, and drops what it took. */
function inner(tools: Tools, table: readonly string[], kept: readonly string[]): string {
  if (table.length === 0) return `${limit}; exec "$@"`;
  const lines = table.map(shellWord).join(" ");
  const bounding = ["-all", ...kept.map((name) => `+${name.slice(4).toLowerCase()}`)].join(",");
  const dropped = `--no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=${bounding}`;
  return [
    `printf '%s\\n' ${lines} > ${fstab} && ${tools.mount} -a -T ${fstab} || { echo "until-green: the layers of caches could not be mounted" >&2; exit 125; }`,
    // Emptied, not removed: removing it takes another process.
    `: > ${fstab}`,
    limit,
    `exec ${tools.setpriv} ${dropped} "$@"`,
  ].join("\n");
}

/** In the memory of this namespace, where no other program can write. */
const fstab = "/dev/shm/until-green-mounts";

/** Git's settings and hooks are read-only, so tools that install hooks along with packages would fail. */
const withoutHooks = { HUSKY: "0", LEFTHOOK: "0", SKIP_INSTALL_SIMPLE_GIT_HOOKS: "1" };

/** Starts a probe inside; returns why it did not start, or what it saw that it should not see. */
async function tryOut(walls: Bubblewrap): Promise<string | undefined> {
  const { command, args, env, close } = walls.wrap({ command: "/bin/sh", args: ["-c", probe], env: {} });
  try {
    await outputOf(command, args, { cwd: "/", env: { PATH: systemPath, ...env }, timeoutMs: 10_000 });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    return stderr?.trim().split("\n")[0] || message.split("\n")[0];
  } finally {
    close();
  }
}

const probe = `read -r first < /proc/1/comm; [ "$first" = bwrap ] || { echo "its /proc shows other processes" >&2; exit 1; }
while read -r key value; do [ "$key" != NoNewPrivs: ] || [ "$value" = 1 ] || exit 1; done < /proc/self/status`;

/** Whether this process is the real root, in a checkout that belongs to somebody else. */
export const isOthersRoot = (owner: number | undefined): boolean =>
  process.getuid?.() === 0 && owner !== undefined && owner !== 0;
