import { z } from "zod";
import { complaintAbout, isGiven } from "./signal.ts";
import { pureStop } from "./stop.ts";
import { forms } from "./stop-key.ts";

/** Gives up when the agent signals that it cannot continue. */
export const failSignal = pureStop({
  spec: z.strictObject({
    kind: z.literal("fail-signal"),
    text: z.string().min(1),
    form: z.enum(["any", "tag"]),
  }),
  words: { name: "fail signal", until: "the agent gives up", ended: "the agent gave up" },
  givesUp: true,
  key: {
    name: "fail_until",
    cost: 0,
    meaning: "The agent gives up with this signal; the loop fails as `fail-signal`.",
    holds: forms.word,
    spec(text, { until, until_form: form = "any" }) {
      if (typeof until !== "string" || until.trim() !== text)
        return complaintAbout(text) ?? { kind: "fail-signal", text, form };
      const hint = "Write another word for one of them.";
      return { complaint: "`fail_until` and `until` must differ.", hint };
    },
  },
  judge: (spec, iteration) =>
    isGiven(spec, iteration)
      ? { verdict: "give-up", because: `the agent said ${spec.text}` }
      : { verdict: "go-on", because: `no ${spec.text}` },
});
