import { z } from "zod";
import { signalled } from "./signal-text.ts";
import { type Iteration, pureStop } from "./stop.ts";

/** Stops when the agent gives a signal, as text or by tool call. */
export const signal = pureStop({
  spec: z.strictObject({ kind: z.literal("signal"), text: z.string().min(1), form: z.enum(["any", "tag"]) }),
  judge: (spec, iteration) =>
    isGiven(spec, iteration)
      ? { verdict: "done", because: `the agent said ${spec.text}` }
      : { verdict: "go-on", because: `no ${spec.text} yet` },
});

/** True if an iteration gave a signal. */
export function isGiven(
  { text, form }: { readonly text: string; readonly form: "any" | "tag" },
  { raw, signals }: Pick<Iteration, "raw" | "signals">,
): boolean {
  const isCalled = signals.some((called) => called.trim().toLowerCase() === text.toLowerCase());
  return isCalled || signalled(raw, text, form);
}
