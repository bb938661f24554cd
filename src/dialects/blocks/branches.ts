import { isMapping } from "../parse-fields.ts";
import type { RawBlock } from "./reader-context.ts";

/** The ids of a dispatch block's exits. */
export const branchIds = ({ type, fields }: RawBlock): readonly string[] =>
  type !== "dispatch"
    ? []
    : (fields.exits ?? []).flatMap((value) =>
        isMapping(value) && typeof value["id"] === "string" ? [value["id"]] : [],
      );

/** The souls of a block: its own, and those of its branches. */
export const soulsOf = ({ type, fields }: RawBlock): readonly string[] =>
  (type === "dispatch" ? (fields.exits ?? []) : [fields]).flatMap((value) =>
    isMapping(value) && typeof value["soul_ref"] === "string" ? [value["soul_ref"]] : [],
  );
