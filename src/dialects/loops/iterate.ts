import type { ForEachNode } from "../../plan/plan.ts";
import type { LoopSource, NodeBase } from "./loop.ts";
import { note, type Sheet } from "./sheet.ts";

/** Reads a loop over items. */
export function readIterate(sheet: Sheet, { loop }: LoopSource, _: NodeBase): ForEachNode | undefined {
  note(sheet, "BAD_VALUE", { message: "`mode: iterate` comes later.", at: [...loop.at, "mode"] });
  return undefined;
}
