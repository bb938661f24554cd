import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on a free port of loopback. */
export async function listen(server: Server) {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
