import { textIn } from "./lenient-reads.ts";

/** The paths of the sockets on which programs of this machine listen now, from the kernel's table. */
export function listeningSockets(): readonly string[] {
  const lines = textIn("/proc/net/unix").split("\n");
  const paths = lines.map((line) => /^\S+ \S+ \S+ 00010000 \S+ \S+ +\d+ (\/.+)$/.exec(line)?.[1]);
  return [...new Set(paths.filter((path) => path !== undefined))];
}
