import { connect, type Socket } from "node:net";
import type { ToolReply } from "./loop-tools.ts";

const mostLine = 4 * 1024 * 1024;

/** The first line that a peer says; throws for a longer one than a tool call may be. */
export async function readLine(peer: Socket): Promise<string> {
  let text = "";
  // What is left open here is answered on.
  for await (const chunk of peer.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    text += chunk;
    const end = text.indexOf("\n");
    if (end >= 0) return text.slice(0, end);
    if (text.length > mostLine) throw new Error("too long for a tool call");
  }
  throw new Error("it ended before a line did");
}

interface Call {
  readonly socket: string;
  readonly token: string;
  readonly name: string;
  readonly args: unknown;
}

/** Makes one call at the process that opened the toolbox. */
export async function callTool({ socket, ...call }: Call): Promise<ToolReply> {
  const peer = connect(socket);
  try {
    peer.write(`${JSON.stringify(call)}\n`);
    return JSON.parse(await readLine(peer)) as ToolReply;
  } catch (error) {
    return { text: `until-green does not answer: ${(error as Error).message}`, isError: true };
  } finally {
    peer.destroy();
  }
}
