import { z } from "zod";
import { isGiven } from "./signal.ts";
import { pureStop } from "./stop.ts";

/** Gives up when the agent signals that it cannot continue. */
export const failSignal = pureStop({
  spec: z.strictObject({
    kind: z.literal("fail-signal"),
    text: z.string().min(1),
    form: z.enum(["any", "tag"]),
  }),
  judge: (spec, iteration) =>
    isGiven(spec, iteration)
      ? { verdict: "give-up", because: `the agent said ${spec.text}` }
      : { verdict: "go-on", because: `no ${spec.text}` },
});
