import type { IncomingMessage } from "node:http";
import type { Probot } from "probot";

/** GitHub sends no webhook larger than this. */
const mostBytes = 25 * 2 ** 20;

/**
 * Makes Probot refuse larger webhooks. Probot would read a body of any size into memory before it checks the signature,
 * and asks its webhook handler before all others, so only that handler can be limited in time.
 */
export function limitBodies(probot: Probot): void {
  const open = probot.getNodeMiddleware.bind(probot);
  probot.getNodeMiddleware = async (options) => {
    const handle = await open(options);
    return async (request, response, next) => {
      if (Number(request.headers["content-length"]) > mostBytes) {
        response.writeHead(413, { "content-type": "application/json", connection: "close" });
        response.end(JSON.stringify({ error: `Error: ${tooLarge}` }));
        return true;
      }
      onExcess(request, () => {
        const error = Object.assign(new Error(tooLarge), { status: 413 });
        if (response.headersSent) return void request.destroy(error);
        // The handler reports a failed request with the error's status.
        response.setHeader("connection", "close");
        request.emit("error", error);
      });
      return await handle(request, response, next);
    };
  };
}

const tooLarge = "the body is larger than 25 MB";

/** Counts the bytes of a request without a declared length; stops reading when they are too many. */
function onExcess(request: IncomingMessage, refuse: () => void): void {
  let bytes = 0;
  const count = (part: Uint8Array) => {
    bytes += part.length;
    if (bytes <= mostBytes) return;
    request.off("data", count).pause();
    refuse();
  };
  // Without a listener, an error would end the process.
  request.on("data", count).on("error", () => undefined);
}
