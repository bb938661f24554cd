import type { AddressInfo } from "node:net";
import { createServer } from "node:net";

/** An unused port, for a program that cannot choose one: Probot takes 0 for 3000. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((ready) => probe.listen(0, "127.0.0.1", ready));
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}
