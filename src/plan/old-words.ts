/**
 * A plan that an earlier version wrote, in the words of today: `skipped: "runs"` of a graph is the trigger
 * `none_failed`, a for-each's `cap` a lower `atMost`, a loop's output `history` a `transcript`. Anything else stays as
 * it is, for the schema to judge.
 */
export function inTodaysWords(plan: unknown): unknown {
  if (!isMapping(plan)) return plan;
  const { body, workflows } = plan;
  return {
    ...plan,
    ...(body === undefined ? {} : { body: graphOf(body) }),
    ...(isMapping(workflows) ? { workflows: mapped(workflows, inTodaysWords) } : {}),
  };
}

type Mapping = Readonly<Record<string, unknown>>;

function graphOf(graph: unknown): unknown {
  if (!isMapping(graph) || !Array.isArray(graph["nodes"])) return graph;
  const { skipped, nodes, ...rest } = graph;
  if (skipped !== undefined && skipped !== "runs") return graph;
  const passes = skipped === "runs";
  return { ...rest, nodes: nodes.map((node) => nodeOf(node, passes)) };
}

function nodeOf(node: unknown, passes: boolean): unknown {
  if (!isMapping(node)) return node;
  const trigger = passes && node["trigger"] === "all_success" ? { trigger: "none_failed" } : {};
  const output = node["kind"] === "loop" && node["output"] === "history" ? { output: "transcript" } : {};
  const body = "body" in node ? { body: graphOf(node["body"]) } : {};
  return { ...cappedOf(node), ...trigger, ...output, ...body };
}

function cappedOf(node: Mapping): Mapping {
  const { cap, ...rest } = node;
  const { atMost } = node;
  if (typeof cap !== "number" || typeof atMost !== "number") return node;
  return cap < atMost ? { ...rest, atMost: cap, capped: true } : rest;
}

const mapped = (mapping: Mapping, change: (value: unknown) => unknown): Mapping =>
  Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, change(value)]));

const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value);
