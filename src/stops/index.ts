/**
 * The stop conditions: one file each, one line here.
 * @module
 */
import { z } from "zod";
import type { Infer } from "../ports/infer.ts";
import { condition } from "./condition.ts";
import { exitHandle } from "./exit-handle.ts";
import { expression } from "./expression.ts";
import { failSignal } from "./fail-signal.ts";
import { field } from "./field.ts";
import { judge } from "./judge.ts";
import { bash } from "./shell-check.ts";
import { signal } from "./signal.ts";
import { answer } from "./yes-no-question.ts";

export const stops = {
  "fail-signal": failSignal,
  "until-field": field,
  signal,
  "exit-handle": exitHandle,
  condition,
  expression,
  "until-bash": bash,
  answer,
  judge,
} as const;

type Spec = (typeof stops)[keyof typeof stops]["spec"];

/** The specification of a stop in a plan; its `kind` is the public stop reason. */
export type StopSpec = Infer<Spec>;

export const stopSpec = z.discriminatedUnion(
  "kind",
  Object.values(stops).map((stop) => stop.spec) as [Spec, ...Spec[]],
);
