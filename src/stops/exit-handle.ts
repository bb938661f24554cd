import { z } from "zod";
import { pureStop } from "./stop.ts";

/** Stops when the body's last node ends with a given exit. */
export const exitHandle = pureStop({
  spec: z.strictObject({ kind: z.literal("exit-handle"), exit: z.string().min(1) }),
  words: { name: "exit-handle", until: "a block leaves the loop", ended: "a block left the loop" },
  writtenAs: "`break_on_exit`, in `blocks:` files",
  judge: ({ exit }, iteration) =>
    iteration.exit === exit
      ? { verdict: "done", because: `a node left by the exit ${exit}` }
      : { verdict: "go-on", because: `no node left by the exit ${exit}` },
});
