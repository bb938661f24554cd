import { nearestWord } from "../../ports/nearest-word.ts";
import { isMapping } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { isBlank } from "./call.ts";
import { ignoredInNode } from "./ignored-keys.ts";
import type { RawNode } from "./raw-node.ts";
import type { ReaderContext } from "./reader-context.ts";
import { kindKeys, nodeFields } from "./schema.ts";

/** Nodes with includes have been expanded before. */
export type Kind = Exclude<(typeof kindKeys)[number], "include">;

/** The kind of a node; `undefined` if it is unclear. */
export function kindOf(reader: ReaderContext, { raw, at }: RawNode): Kind | undefined {
  const written = kindKeys.filter((key): key is Kind => key !== "include" && Object.hasOwn(raw, key));
  // A blank key does not count as a second kind.
  const filled = written.filter((key) => !isBlankText(raw[key]));
  const kinds = filled.length === 0 ? written : filled;
  const [kind, second] = kinds;
  if (second !== undefined) {
    const message = `A node has one kind; this one has ${kinds.join(" and ")}.`;
    return reportFault(reader, "ONE_KIND", { message, at: [...at, second], onKey: true });
  }
  if (kind === undefined) reportNoKind(reader, { raw, at });
  return kind;
}

/** Names the key that was probably meant as the kind: one that is not known and has a mapping. */
function reportNoKind(reader: ReaderContext, { raw, at }: Pick<RawNode, "raw" | "at">): void {
  const meant = Object.keys(raw).find((key) => isMapping(raw[key]) && !Object.hasOwn(nodeFields, key));
  if (meant === "route_loop") {
    const message = "`route_loop` is not supported.";
    const hint = "Write the nodes that repeat under a `loop_group:`, and its condition as `until_bash`.";
    reportFault(reader, "ONE_KIND", { message, at: [...at, meant], onKey: true, hint });
    return;
  }
  const isTypo = (key: string) =>
    !Object.hasOwn(nodeFields, key) && !ignoredInNode.has(key) && nearestWord(key, kindKeys) !== undefined;
  // The unknown key is reported, with the kind that was meant.
  if (Object.keys(raw).some(isTypo)) return;
  const needed = `A node needs one of ${kindKeys.join(", ")}`;
  const isKnown = meant === undefined || ignoredInNode.has(meant);
  const message = isKnown ? `${needed}.` : `${needed}; \`${meant.slice(0, 80)}\` is none.`;
  reportFault(reader, "ONE_KIND", { message, at });
}

const isBlankText = (value: unknown) => typeof value === "string" && isBlank(value);
