import { parseExpression } from "../../src/expressions/cel.ts";
import { parseCondition } from "../../src/expressions/condition.ts";
import type { Condition, Reference } from "../../src/expressions/template.ts";
import type { AgentNode, Graph, LoopNode, Node, Plan, ScriptNode } from "../../src/plan/plan.ts";
import { defined } from "../../src/ports/defined.ts";
import type { StopSpec } from "../../src/stops/index.ts";

import { exitTest, mayLeaveBy, type NamedOutput, ofIteration, testsIn } from "./exit-conditions.ts";
import { inGraph, isCut, type Level, outputsFor, remembered } from "./iteration-scope.ts";
import { type CodeOf, type Datum, printingScript } from "./program.ts";
import { chainOf, type InOrder, orderSequence } from "./sequence-order.ts";
import { reportGap, type WriterPosition } from "./writer-context.ts";

const notDone = "which is not surely done before it";
const nested = "which a loop around it may have run before";
const cutShort = "which may have been left out of the round before";

/** A plan whose nodes follow each other by their exits, as a graph in which they wait for each other. */
export function sequenceToGraph(plan: Plan, position: WriterPosition, codeOf: CodeOf): Plan {
  if (plan.body.walk === undefined) return plan;
  const level: Level = {
    position,
    codeOf,
    outputs: new Map(),
    memory: remembered(plan),
    noPrevious: notDone,
  };
  return { ...plan, body: graphOf(plan.body, orderSequence(plan.body, position), level) };
}

function graphOf({ nodes, atMost }: Graph, ordered: readonly InOrder[], level: Level): Graph {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const made = ordered.flatMap(({ id, after, when, trigger, before }) => {
    const node = byId.get(id);
    if (node === undefined) return [];
    const position = { ...level.position, node: id };
    const outputs = outputsFor(node, { nodes, before }, level);
    const condition = when === undefined ? undefined : conditionOf(when, position);
    const own = nodeOf(node, { ...level, position, outputs });
    const { exits: _, ...rest } = own;
    return [{ ...rest, after, trigger, ...defined({ when: condition }) } as Node];
  });
  return { kind: "graph", nodes: made, atMost };
}

function nodeOf(node: Node, level: Level): Node {
  const { retry, ...rest } = node;
  const { leaves: _, ...plain } = retry ?? {};
  const own = (retry === undefined ? node : { ...rest, retry: plain }) as Node;
  switch (own.kind) {
    case "agent":
      return agentOf(own, level);
    case "script":
      return scriptOf(own, level);
    case "call":
      return {
        ...own,
        call: {
          ...own.call,
          with: mapped(own.call.with, (text) =>
            text.map((part) => (typeof part === "string" ? part : inGraph(part, level))),
          ),
        },
      };
    case "loop":
      return loopOf(own, level);
    default:
      return own;
  }
}

const mapped = <T, U>(mapping: Readonly<Record<string, T>>, change: (value: T) => U) =>
  Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, change(value)]));

function agentOf({ judges, ...node }: AgentNode, level: Level): AgentNode {
  const { role: _, ...call } = node.call;
  const sections = call.sections?.map((section) =>
    section.kind === "given" ? { ...section, value: inGraph(section.value, level) } : section,
  );
  const asked = sections === undefined ? call : { ...call, sections };
  if (judges === undefined) return { ...node, call: { ...asked, ...defined({ role: node.call.role }) } };
  if (judges.field !== undefined)
    reportGap(
      level.position,
      "If it passes, its output is a field of the judged output; a native judge outputs its own answer.",
    );
  level.position.writer.notes.add(
    "The output of a gate is its whole answer, not the first line; its role is that of a worker.",
  );
  const output: Reference = { ref: "shared", of: "outputs", name: judges.node, way: [] };
  const shown = inGraph(judges.value ?? output, level);
  const name = `output-of-${judges.node}`;
  return { ...node, call: { ...asked, prompt: [...call.prompt, `\n\n<${name}>\n`, shown, `\n</${name}>`] } };
}

function scriptOf({ data, prints: _, ...node }: ScriptNode, level: Level): ScriptNode {
  const [program] = "inline" in node.source ? node.source.inline : [];
  const code = typeof program === "string" ? level.codeOf(program) : undefined;
  if (data === undefined) return node;
  if (code === undefined) {
    reportGap(level.position, "Its program reads a scope that all blocks share.");
    return node;
  }
  const inputs = Object.entries(data.given).map(([name, reference]): readonly [string, Datum] => {
    const isPlain = reference.ref !== "shared" || reference.way.length === 0;
    return [
      name,
      isPlain ? inGraph(reference, level) : { because: "Its code reads a field that is no text." },
    ];
  });
  const text = printingScript(
    { runtime: node.runtime, code },
    new Map([...level.memory, ...level.outputs, ...inputs]),
  );
  if ("because" in text) reportGap(level.position, text.because);
  else
    level.position.writer.notes.add(
      "Code becomes a script that gets only the data whose names it contains, and may import any module.",
    );
  return "because" in text ? node : { ...node, source: { inline: text } };
}

function loopOf(loop: LoopNode, level: Level): LoopNode {
  const { body, counts, ending: _, againOn, ...rest } = loop;
  if (body.kind !== "graph") return loop;
  const { nodes, walk: sequence = {} } = body;
  level.position.writer.notes.add(
    "The output of a loop is that of its last node, not the number of iterations.",
  );
  const memory = new Map(level.memory);
  for (const [name, datum] of memory)
    if ("ref" in datum && datum.ref === "value")
      memory.set(name, { because: `It reads \`${name}\` of a loop further out.` });
  if (counts !== undefined) memory.set(counts, { ref: "value", name: "LOOP_ITERATION" });
  const noPrevious = level.noPrevious !== notDone ? nested : isCut(nodes, sequence) ? cutShort : undefined;
  const leaves = (node: Node) => (sequence.leaveOn ?? []).filter((exit) => mayLeaveBy(node, exit));
  const ordered = chainOf(nodes, (node) => leftBy({ node }, leaves(node), level.position));
  const inside = graphOf(body, ordered, { ...level, memory, noPrevious });
  return { ...rest, body: inside, stops: stopsOf(loop, nodes, level.position) };
}

/** The CEL condition for a node that ended with one of these exits. */
function leftBy(output: NamedOutput, exits: readonly string[], position: WriterPosition): string | undefined {
  if (exits.length === 0) return undefined;
  const tests = exits.map((exit) => exitTest(output, exit));
  if (!tests.includes(undefined)) return tests.map((it) => `(${it})`).join(" || ");
  return reportGap(
    position,
    `CEL cannot express when \`${output.node.id}\` takes its exit: choose it with \`output_conditions\` that test a field.`,
  );
}

function stopsOf(
  { stops, againOn }: LoopNode,
  nodes: readonly Node[],
  position: WriterPosition,
): readonly StopSpec[] {
  const last = nodes.at(-1);
  const anyLeft = (exit: string) =>
    nodes
      .filter((node) => mayLeaveBy(node, exit))
      .flatMap((node) => leftBy({ node, isLast: node === last }, [exit], position) ?? []);
  const again = againOn === undefined ? [] : anyLeft(againOn);
  const lines = stops.flatMap((stop) => {
    if (stop.kind === "exit-handle") return anyLeft(stop.exit);
    if (stop.kind !== "condition") return [];
    const tests = testsIn(stop.tests, ofIteration);
    if (tests === undefined) reportGap(position, "Its `break_condition` compares as CEL does not.");
    if (stop.tests.tests.some(({ operator }) => /contains|_with/.test(operator)))
      position.writer.notes.add("Tests of a text do not look into fields that are lists or mappings.");
    return tests === undefined ? [] : [[...again.map((it) => `!(${it})`), `(${tests})`].join(" && ")];
  });
  if (stops.length > 0) position.writer.notes.add("A loop that breaks ends with the reason `expression`.");
  if (lines.length === 0) return [];
  const parsed = parseExpression(lines.join(" || "), { names: ["output", "result"] });
  if ("because" in parsed) {
    reportGap(position, `CEL cannot express when the loop ends: ${parsed.because}.`);
    return [];
  }
  return [{ kind: "expression", expression: parsed.expression }];
}

function conditionOf(source: string, position: WriterPosition): Condition | undefined {
  const parsed = parseCondition(source, { names: [] });
  if ("condition" in parsed) return parsed.condition;
  return reportGap(position, `CEL cannot express when it runs: ${parsed.because}.`);
}
