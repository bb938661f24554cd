import { once } from "node:events";
import type { ListenOptions, Server, Socket } from "node:net";

const loopback: ListenOptions = { port: 0, host: "127.0.0.1" };

/** Starts to listen, by default at a free loopback port; returns the port. Throws if it cannot. */
export async function listen(server: Server, at = loopback): Promise<number> {
  server.listen(at);
  await once(server, "listening");
  // Later errors are those of single connections.
  server.on("error", () => {});
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

/** Like `listen`, for a server that does not keep this process alive, nor do its connections. */
export async function listenInBackground(server: Server, at = loopback): Promise<number> {
  server.on("connection", (socket: Socket) => socket.unref());
  server.unref();
  return await listen(server, at);
}
