import { rmSync } from "node:fs";
import { join } from "node:path";
import { execPath } from "node:process";
import type { Launch } from "../ports/isolation.ts";
import { localPorts, type NetworkRule } from "../ports/network.ts";
import { type EgressOptions, openEgress, openForward } from "./egress.ts";
import { makeTempFolder, ownFolder } from "./temp-folder.ts";

/** What is needed to start a program without network access. */
export interface NetworkWall {
  /** The folder of the sockets that lead outside, which the program may use. */
  readonly folder: string;
  /** The command prefix that forwards ports inside the sandbox to the sockets. */
  readonly before: readonly string[];
  /** The variables that point programs to the proxy. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/**
 * Opens the network access of one program: an HTTP proxy for the hosts of a rule, and the ports of this machine that it
 * may reach. Starts Node inside the sandbox, which takes about 40 ms.
 */
export async function openNetworkWall(
  rule: NetworkRule,
  {
    loopback = [],
    environment,
    refused,
  }: Pick<Launch, "loopback"> & Pick<EgressOptions, "environment" | "refused">,
): Promise<NetworkWall> {
  const folder = makeTempFolder("x", ownFolder());
  const ports = [...new Set([...loopback, ...localPorts(rule)])];
  const proxy = [3128, 3129, 3130].find((port) => !ports.includes(port)) ?? 3131;
  const servers = await Promise.all([
    openEgress({ rule, path: join(folder, String(proxy)), environment, refused }),
    ...ports.map((port) => openForward(port, join(folder, String(port)))),
  ]);
  const url = `http://127.0.0.1:${proxy}`;
  const named = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  return {
    folder,
    before: ["/bin/sh", "-c", start, "sh", execPath, bridge, folder, [...ports, proxy].join(" ")],
    env: {
      ...Object.fromEntries(named.map((name) => [name, url])),
      NO_PROXY: "localhost,127.0.0.1,::1",
      no_proxy: "localhost,127.0.0.1,::1",
      NODE_USE_ENV_PROXY: "1",
    },
    close() {
      for (const server of servers) server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs with an empty environment, so that it does not count as a process that the program left behind. */
const start = `node=$1 bridge=$2 folder=$3 ports=$4; shift 4
fail() { echo "until-green: the network wall could not be built: $1" >&2; exit 125; }
env -i "$node" -e "$bridge" "$folder" $ports </dev/null >/dev/null 2>&1 &
tries=0
until [ -e "$folder/ready" ]; do
  tries=$((tries + 1)); [ "$tries" -lt 1500 ] || fail "its Node ($node) did not start"
  sleep 0.01
done
exec "$@"`;

const bridge = `
const net = require("net"), [folder, ...ports] = process.argv.slice(1);
let left = ports.length;
process.on("uncaughtException", () => {});
for (const port of ports) net.createServer({ allowHalfOpen: true }, (inside) => {
  const outside = net.connect({ path: folder + "/" + port, allowHalfOpen: true });
  inside.on("error", () => outside.destroy());
  outside.on("error", () => inside.destroy());
  inside.pipe(outside).pipe(inside);
}).listen(Number(port), "127.0.0.1", () => --left || require("fs").writeFileSync(folder + "/ready", ""));
`;
