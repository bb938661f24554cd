import type { Node } from "../../plan/plan.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { Operation } from "../operation.ts";
import type { Outcome } from "../outcome.ts";

/** Runs one kind of node, from start to outcome. */
export type NodeOperation<K extends Node["kind"]> = (
  node: Extract<Node, { kind: K }>,
  context: ExecutionContext,
) => Operation<Outcome>;
