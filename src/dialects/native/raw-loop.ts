import type { LoopNode, OnError } from "../../plan/plan.ts";
import type { ParsedFields, SourcePath } from "../parse-fields.ts";
import { reportFault, reportKeys } from "../report-fault.ts";
import type { NodeBase, NodeContext, RawNode } from "./raw-node.ts";
import type { ReaderContext } from "./reader-context.ts";
import type { loopFields } from "./schema.ts";

export interface LoopContext extends NodeContext {
  readonly base: NodeBase;
  /** The key of the loop. */
  readonly key: "loop" | "loop_group";
}

/** A loop as written, with its fields parsed. */
export interface RawLoop {
  readonly rawNode: RawNode;
  readonly at: SourcePath;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly fields: ParsedFields<typeof loopFields>;
}

/** Refuses keys that do not apply to this kind of loop. */
export function refuse(
  reader: ReaderContext,
  { raw, at }: RawLoop,
  { keys, because }: { keys: readonly string[]; because: string },
): void {
  const given = keys.filter((key) => raw[key] !== false);
  const message = (key: string) => `\`${key}\` ${because}.`;
  reportKeys(reader, "LOOP_MODE_CONFLICT", { keys: given, object: raw, at, message });
}

/** Refuses keys that mean something only together with a partner. */
export function refuseWithout(
  reader: ReaderContext,
  { raw, at }: RawLoop,
  { keys, partner }: { keys: readonly string[]; partner: string },
): void {
  const message = (key: string) => `\`${key}\` goes with \`${partner}\`.`;
  reportKeys(reader, "BAD_VALUE", { keys, object: raw, at, message });
}

/** The effect of a failed iteration. */
export function readOnError(reader: ReaderContext, loop: RawLoop): OnError {
  const { on_error: mode = "fail", retries: times = 1, retry_delay: delayMs } = loop.fields;
  if (mode === "retry") return { mode, times, ...(delayMs === undefined ? {} : { delayMs }) };
  refuseWithout(reader, loop, { keys: ["retries", "retry_delay"], partner: "on_error: retry" });
  return { mode: mode === "forget" ? "continue" : mode };
}

/** Settings of all iterations together: the time limit, and whether to restart after a failure. */
export function readWhole(
  reader: ReaderContext,
  { fields, at, raw }: RawLoop,
): Pick<LoopNode, "timeoutMs" | "retry"> {
  const { time_limit: timeoutMs, restarts: times, restart_delay: delayMs = 0 } = fields;
  if (Object.hasOwn(raw, "restart_delay") && !Object.hasOwn(raw, "restarts")) {
    const message = "`restart_delay` requires `restarts`.";
    reportFault(reader, "BAD_VALUE", { message, at: [...at, "restart_delay"], onKey: true });
  }
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(times === undefined ? {} : { retry: { times, delayMs, on: "all" } }),
  };
}
