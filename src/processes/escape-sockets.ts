import { accessSync, constants, lstatSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { basename, join } from "node:path";
import type { Environment } from "./environment.ts";
import { homesOf } from "./home-folders.ts";
import { namesIn, textIn } from "./lenient-reads.ts";

/**
 * The sockets, writable by this user, of processes outside the sandbox that obey any client: they start programs, type
 * into a terminal, sign, or reveal passwords.
 */
export function escapeSockets(env: Environment): readonly string[] {
  const uid = process.getuid?.() ?? 0;
  const homes = homesOf(env);
  const known = [
    ...["/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock"],
    ...["/run/crio/crio.sock", "/run/buildkit/buildkitd.sock", "/run/k3s/containerd/containerd.sock"],
    // Root starts services through systemd's sockets; the next two sign and issue tickets.
    ...["/run/dbus/system_bus_socket", "/run/systemd/private", "/run/systemd/io.systemd.Manager"],
    ...["/run/pcscd/pcscd.comm", "/run/.heim_org.h5l.kcm-socket", "/run/tailscale/tailscaled.sock"],
    ...["/run/snapd.socket", "/var/snap/lxd/common/lxd/unix.socket", "/var/lib/incus/unix.socket"],
    ...["/run/libvirt", `/run/user/${uid}`, `/run/screen/S-${nameOfUser()}`, `/tmp/tmux-${uid}`],
    ...homes.flatMap((home) => ofUser.map((name) => join(home, name))),
    ...listed("/tmp", /^(?:ssh-|vscode-.*\.sock$|\.java_pid)/),
    ...homes.flatMap((home) => listed(join(home, ".gnupg"), /^S\./)),
    ...named(env),
  ];
  return [...new Set(known)].filter(mayWrite);
}

const ofUser = [
  ...[".docker/run", ".docker/desktop", ".colima", ".rd", ".lima", ".screen", ".pm2"],
  ...[".cache/git/credential", ".git-credential-cache"],
];

/** The entries of a folder that match; a glob would visit every file. */
const listed = (folder: string, names: RegExp): readonly string[] =>
  namesIn(folder)
    .filter((name) => names.test(name))
    .map((name) => join(folder, name));

/** Sockets that this user's session variables name, as a path or as an address. */
const named = (env: Environment): readonly string[] =>
  sessionVariables.flatMap((name) => {
    const path = /^(?:unix:(?:\/\/|path=)?)?(\/[^,;]+)/.exec(env[name] ?? "")?.[1];
    return path === undefined ? [] : [path];
  });

const sessionVariables = [
  ...["DOCKER_HOST", "CONTAINER_HOST", "BUILDKIT_HOST", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"],
  ...["SSH_AUTH_SOCK", "TMUX", "VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_IPC_HANDLE", "NVIM", "KITTY_LISTEN_ON"],
];

/**
 * Sockets in temporary folders and in the home folder on which processes of this user listen now: they belong to no
 * program of the run. Excluded are databases and displays, which tests use, the checkout, and our own sockets.
 */
export function listeningSockets(): readonly string[] {
  const uid = process.getuid?.();
  const places = ["/tmp/", "/var/tmp/", "/dev/shm/", `${homedir()}/`];
  return readTable().filter(
    (path) =>
      places.some((place) => path.startsWith(place)) &&
      !path.startsWith(`${process.cwd()}/`) &&
      !/^\/tmp\/(?:\.X11-unix|until-green-net-\d+)\//.test(path) &&
      !/PGSQL|postgres|mysql|maria|redis|valkey|mongo|memcache/i.test(basename(path)) &&
      ownerOf(path) === uid,
  );
}

/** `undefined` also if another user's folder blocks access. */
function ownerOf(path: string): number | undefined {
  try {
    return lstatSync(path).uid;
  } catch {
    return undefined;
  }
}

/** The kernel's list of named sockets: the flags, and the path at the end of each line. */
function readTable(): readonly string[] {
  const lines = textIn("/proc/net/unix").split("\n");
  const paths = lines.map((line) => /^\S+ \S+ \S+ 00010000 \S+ \S+ +\d+ (\/.+)$/.exec(line)?.[1]);
  return [...new Set(paths.filter((path) => path !== undefined))];
}

function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return "";
  }
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return statSync(path) !== undefined;
  } catch {
    return false;
  }
}
