import { z } from "zod";
import { pureStop } from "./stop.ts";

/** Stops when the last node of the body left by an exit. */
export const exitHandle = pureStop({
  spec: z.strictObject({ kind: z.literal("exit-handle"), exit: z.string().min(1) }),
  judge: ({ exit }, iteration) =>
    iteration.exit === exit
      ? { verdict: "done", because: `a node left by the exit ${exit}` }
      : { verdict: "go-on", because: `no node left by the exit ${exit}` },
});
