import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const isRoot = process.getuid?.() === 0;
const daemons = [
  ...["/run/systemd/private", "/run/pcscd/pcscd.comm", "/run/.heim_org.h5l.kcm-socket"],
  ...["/run/k3s/containerd/containerd.sock", "/run/tailscale/tailscaled.sock", "/run/docker.sock"],
];

/** In mounts of its own, so that this machine's /run stays as it is. */
const inOwnRun = `mount -t tmpfs tmpfs /run && umask 0 &&
  for path in ${daemons.join(" ")}; do mkdir -p "$(dirname "$path")"; python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1])' "$path"; done && exec "$@"`;

test.runIf(isRoot)("the sockets of daemons that obey any client are known, also those of root", () => {
  const module = join(import.meta.dirname, "../../src/processes/escape-sockets.ts");
  const script = `import(${JSON.stringify(module)}).then(({ escapeSockets }) => console.log(escapeSockets({}).join("\\n")))`;
  const command = ["-m", "bash", "-c", inOwnRun, "bash", process.execPath, "-e", script];
  const { stdout, stderr } = spawnSync("unshare", command, { cwd: dirname(module), encoding: "utf8" });
  expect(stdout.split("\n"), stderr).toEqual(expect.arrayContaining(daemons));
});
