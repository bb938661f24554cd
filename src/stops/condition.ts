import { z } from "zod";
import { fieldTests, testsHold } from "../expressions/field-tests.ts";
import { pureStop } from "./stop.ts";

/** Stops when tests hold for the iteration's output, or for fields in it. */
export const condition = pureStop({
  spec: z.strictObject({ kind: z.literal("condition"), tests: fieldTests }),
  words: { name: "condition", until: "the condition is met", ended: "the condition was met" },
  writtenAs: "`break_condition`, in `blocks:` files",
  judge: ({ tests }, { output }) =>
    testsHold(tests, output)
      ? { verdict: "done", because: "the condition is met" }
      : { verdict: "go-on", because: "the condition is not met" },
});
