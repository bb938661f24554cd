import { z } from "zod";
import { durationMeta, parseDuration } from "../expressions/duration.ts";
import { json } from "../ports/json.ts";

/** A duration above zero; milliseconds after parsing. */
export const durationField = (message: string) =>
  z
    .unknown()
    .transform((value, context) => {
      const ms = typeof value === "number" || typeof value === "string" ? parseDuration(value) : undefined;
      if (ms !== undefined && ms > 0) return ms;
      context.issues.push({ code: "custom", message, input: value });
      return z.NEVER;
    })
    .meta(durationMeta);

const wordsForTrue = /^(?:yes|on)$/i;
const wordsForFalse = /^(?:no|off)$/i;

/** True or false in a language whose program reads YAML 1.1, where `yes` and `off` are booleans. */
export const yaml11Boolean = z
  .preprocess((value) => {
    if (typeof value !== "string") return value;
    return wordsForTrue.test(value) || (wordsForFalse.test(value) ? false : value);
  }, z.boolean())
  .meta({ type: "boolean" });

/** A value that is passed as text; JSON if it was not text. */
export const jsonText = json.transform((value) =>
  typeof value === "string" ? value : JSON.stringify(value),
);
