import { z } from "zod";
import { signalled } from "./signal-text.ts";
import { type Iteration, pureStop } from "./stop.ts";
import { type Complaint, forms } from "./stop-key.ts";

/** Stops when the agent gives a signal, as text or by tool call. */
export const signal = pureStop({
  spec: z.strictObject({ kind: z.literal("signal"), text: z.string().min(1), form: z.enum(["any", "tag"]) }),
  words: { name: "signal", until: "the agent gives the signal", ended: "the agent gave the signal" },
  key: {
    name: "until",
    cost: 2,
    meaning: "Done when the agent gives this signal; see [Signals](#signals).",
    holds: forms.word,
    spec: (text, { until_form: form = "any" }) => complaintAbout(text) ?? { kind: "signal", text, form },
  },
  judge: (spec, iteration) =>
    isGiven(spec, iteration)
      ? { verdict: "done", because: `the agent said ${spec.text}` }
      : { verdict: "go-on", because: `no ${spec.text} yet` },
});

const longest = 1000;

/** What is wrong with the text of a signal. */
export const complaintAbout = (text: string): Complaint | undefined =>
  text.length > longest
    ? { code: "LIMIT", complaint: `A signal has at most ${longest} characters.` }
    : undefined;

/** True if an iteration gave a signal. */
export function isGiven(
  { text, form }: { readonly text: string; readonly form: "any" | "tag" },
  { raw, signals }: Pick<Iteration, "raw" | "signals">,
): boolean {
  const isCalled = signals.some((called) => called.trim().toLowerCase() === text.toLowerCase());
  return isCalled || signalled(raw, text, form);
}
