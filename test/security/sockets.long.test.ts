import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openIsolation } from "../../src/processes/isolation.ts";

const isRoot = process.getuid?.() === 0;
const walls = await openIsolation({ environment: process.env }).walls();
const hasFiles = walls.some(({ name, on }) => name === "files" && on);
const daemons = [
  ...["/run/systemd/private", "/run/pcscd/pcscd.comm", "/run/.heim_org.h5l.kcm-socket"],
  ...["/run/k3s/containerd/containerd.sock", "/run/tailscale/tailscaled.sock", "/run/docker.sock"],
];

/** In mounts of its own, so that this machine's /run stays as it is. */
const inOwnRun = `mount -t tmpfs tmpfs /run && umask 0 &&
  for path in ${daemons.join(" ")}; do mkdir -p "$(dirname "$path")"; python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()' "$path"; done && exec "$@"`;

test.runIf(isRoot && hasFiles).each([
  ["no socket of a daemon is there", "", []],
  ["one is there if `show` names it", "/run/docker.sock", ["/run/docker.sock"]],
])("behind the walls %s", (_, shown, expected) => {
  const module = join(import.meta.dirname, "../../src/processes/isolation.ts");
  const script = `import { spawnSync } from "node:child_process";
    import { openIsolation } from ${JSON.stringify(module)};
    const isolation = openIsolation({ environment: process.env, writable: [], show: ${JSON.stringify([shown].filter(Boolean))} });
    const { command, args, env, close } = await isolation.wrap({ command: "/bin/sh", args: ["-c", "ls -d ${daemons.join(" ")} 2> /dev/null"], env: {} });
    console.log(spawnSync(command, args, { cwd: "/", env, encoding: "utf8" }).stdout);
    close();`;
  const command = [
    "-m",
    "bash",
    "-c",
    inOwnRun,
    "bash",
    process.execPath,
    "--input-type=module-typescript",
    "-e",
    script,
  ];
  const { stdout, stderr } = spawnSync("unshare", command, { encoding: "utf8" });
  expect(stdout.split("\n").filter(Boolean), stderr).toEqual(expected);
});
