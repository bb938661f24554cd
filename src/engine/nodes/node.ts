import type { Node } from "../../plan/plan.ts";
import type { Flow } from "../flow.ts";
import type { Here } from "../here.ts";
import type { Outcome } from "../outcome.ts";

/** How one kind of node is told, from its start to its outcome. */
export type NodeFlow<K extends Node["kind"]> = (
  node: Extract<Node, { kind: K }>,
  here: Here,
) => Flow<Outcome>;
