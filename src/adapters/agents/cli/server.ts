import type { Server } from "./cli.ts";

/** How a CLI starts the server of the loop's tools, in the words most of them share. */
export const startOf = ({ command, args, env }: Server) => ({ command, args, env });
