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
import type { StopDescription } from "./stop.ts";
import { answer } from "./yes-no-question.ts";

/** In the order in which people read about them. */
const all = {
  signal,
  failSignal,
  bash,
  field,
  expression,
  judge,
  answer,
  exitHandle,
  condition,
};

type Stop = (typeof all)[keyof typeof all];

const list: readonly Stop[] = Object.values(all);

/** The specification of a stop in a plan. */
export type StopSpec = Infer<Stop["spec"]>;

/** The public stop reason. */
export type StopKind = StopSpec["kind"];

const kindOf = ({ spec }: Stop): StopKind => spec.shape.kind.value;

type Stops = { readonly [S in Stop as S["spec"]["shape"]["kind"]["value"]]: S };

export const stops = Object.fromEntries(list.map((stop) => [kindOf(stop), stop])) as unknown as Stops;

export const stopSpec = z.discriminatedUnion(
  "kind",
  list.map(({ spec }) => spec) as readonly Stop["spec"][] as [Stop["spec"], ...Stop["spec"][]],
);

export function asksModel({ kind }: StopSpec): boolean {
  const stop = stops[kind];
  return "port" in stop && stop.port === "agent";
}

/** The stop that gave a reason; `undefined` if none did. */
export const stopBehind = (reason: string): StopDescription | undefined =>
  Object.hasOwn(stops, reason) ? (stops[reason as StopKind] as unknown as StopDescription) : undefined;

/** The keys of native files by which loops stop. */
export const stopKeys = list.flatMap((stop) => {
  const { key, givesUp = false } = stop as unknown as StopDescription;
  return key === undefined ? [] : [{ ...key, givesUp }];
});
