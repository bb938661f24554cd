import type { Server } from "node:http";
import { listen as listenAt } from "../../src/processes/listen.ts";

/** Listens on a free port of loopback. */
export async function listen(server: Server) {
  const port = await listenAt(server);
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
