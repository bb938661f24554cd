import type { Server } from "./cli.ts";

/** How a CLI reaches the server of the loop's tools, in the words most of them share. */
export const reachOf = ({ url, key }: Server) => ({ url, headers: { Authorization: `Bearer ${key}` } });
