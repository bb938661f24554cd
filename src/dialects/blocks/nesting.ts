import { reportFault } from "../report-fault.ts";
import type { RawBlock, ReaderContext } from "./reader-context.ts";

const mostNodes = 2000;
const deepest = 20;

/** Checks how loops are nested: a loop must not contain itself, and the plan must not become too large. */
export function checkNesting(reader: ReaderContext): void {
  const sizes = new Map<string, Size>();
  for (const rawBlock of reader.blocks.values()) {
    if (rawBlock.type === "loop") sizeOf(rawBlock, { reader, sizes, open: [] });
  }
}

interface Size {
  readonly nodes: number;
  readonly depth: number;
}

interface Walked {
  readonly reader: ReaderContext;
  readonly sizes: Map<string, Size>;
  /** The enclosing loops. */
  readonly open: readonly string[];
}

const one: Size = { nodes: 1, depth: 0 };
const tooDeep: Size = { nodes: 1, depth: deepest };

function sizeOf(rawBlock: RawBlock, { reader, sizes, open }: Walked): Size {
  const known = sizes.get(rawBlock.id);
  if (known !== undefined || rawBlock.type !== "loop") return known ?? one;
  const inside = [...open, rawBlock.id];
  let size: Size = one;
  for (const [index, ref] of (rawBlock.fields.inner_block_refs ?? []).entries()) {
    const inner = reader.blocks.get(ref);
    const at = [...rawBlock.at, "inner_block_refs", index];
    if (inner === undefined) continue;
    if (inside.includes(ref)) {
      const path = [...inside.slice(inside.indexOf(ref)), ref].join(" → ");
      reportFault(reader, "LOOP_SELF_REFERENCE", { message: `These loops contain each other: ${path}.`, at });
      continue;
    }
    const { nodes, depth } =
      inside.length > deepest ? tooDeep : sizeOf(inner, { reader, sizes, open: inside });
    size = { nodes: size.nodes + nodes, depth: Math.max(size.depth, depth + 1) };
  }
  if (size.depth > deepest) {
    const message = `Loops contain each other more than ${deepest} deep.`;
    reportFault(reader, "LIMIT", { message, at: [...rawBlock.at, "inner_block_refs"] });
    size = { ...size, depth: 0 };
  }
  if (size.nodes > mostNodes) {
    const message = `This loop has more than ${mostNodes} blocks, counting those of inner loops each time.`;
    reportFault(reader, "LIMIT", { message, at: [...rawBlock.at, "inner_block_refs"] });
    size = { ...size, nodes: 1 };
  }
  sizes.set(rawBlock.id, size);
  return size;
}
