import type { LoopNode, OnError } from "../../plan/plan.ts";
import { note } from "../note.ts";
import type { At, Shaped } from "../shape.ts";
import type { Draft, NodeBase, NodeContext } from "./draft.ts";
import type { loopFields } from "./schema.ts";
import type { Sheet } from "./sheet.ts";

export interface LoopContext extends NodeContext {
  readonly base: NodeBase;
  /** The key the loop stands under. */
  readonly key: "loop" | "loop_group";
}

/** A loop as it is written, with its fields read. */
export interface LoopDraft {
  readonly draft: Draft;
  readonly at: At;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly fields: Shaped<typeof loopFields>;
}

/** Refuses keys that do not go with the kind of loop this is. */
export function refuse(
  sheet: Sheet,
  { raw, at }: LoopDraft,
  { keys, because }: { keys: readonly string[]; because: string },
): void {
  for (const key of keys) {
    if (!Object.hasOwn(raw, key) || raw[key] === false) continue;
    note(sheet, "LOOP_MODE_CONFLICT", { message: `\`${key}\` ${because}.`, at: [...at, key], onKey: true });
  }
}

/** What a loop does when an iteration fails. */
export function readOnError(sheet: Sheet, { fields, at, raw }: LoopDraft): OnError {
  const { on_error: mode = "fail", retries: times = 1, retry_delay: delayMs } = fields;
  if (mode === "retry") return { mode, times, ...(delayMs === undefined ? {} : { delayMs }) };
  for (const key of ["retries", "retry_delay"].filter((it) => Object.hasOwn(raw, it))) {
    const message = `\`${key}\` goes with \`on_error: retry\`.`;
    note(sheet, "BAD_VALUE", { message, at: [...at, key], onKey: true });
  }
  return { mode: mode === "forget" ? "continue" : mode };
}

/** What holds for all iterations together: how long they may take, and whether they begin anew after a failure. */
export function readWhole(
  sheet: Sheet,
  { fields, at, raw }: LoopDraft,
): Pick<LoopNode, "timeoutMs" | "retry"> {
  const { time_limit: timeoutMs, restarts: times, restart_delay: delayMs = 0 } = fields;
  if (Object.hasOwn(raw, "restart_delay") && !Object.hasOwn(raw, "restarts")) {
    const message = "`restart_delay` goes with `restarts`.";
    note(sheet, "BAD_VALUE", { message, at: [...at, "restart_delay"], onKey: true });
  }
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(times === undefined ? {} : { retry: { times, delayMs, on: "all" } }),
  };
}
