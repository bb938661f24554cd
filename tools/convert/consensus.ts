import { inputVariable } from "../../src/expressions/variables.ts";
import type { Node, ParallelNode, ScriptNode } from "../../src/plan/plan.ts";
import { nativeNodeCall } from "./calls.ts";
import type { GraphContext, NativeBase } from "./graph-context.ts";
import { nativeName, reportGap, type WriterPosition } from "./writer-context.ts";

/** How many votes a rule requires. */
const needed = {
  unanimous: (votes: number) => votes,
  "2/3": (votes: number) => Math.ceil((votes * 2) / 3),
  majority: (votes: number) => Math.floor(votes / 2) + 1,
};

/** A node for each agent, and one that counts their votes under the original id. */
export function nativeConsensus(
  { body, agree = "unanimous" }: ParallelNode,
  { position, base, enclosing }: { position: WriterPosition; base: NativeBase; enclosing: GraphContext },
): readonly Node[] {
  position.writer.notes.add(
    "In a consensus, an agent that fails also fails the run; before, it only lost its vote.",
  );
  const voters = body.nodes.flatMap((node): Node[] => {
    if (node.kind !== "agent") return [];
    const id = nativeName(`${base.id}-${node.id}`, enclosing.taken);
    return [{ ...base, id, kind: "agent", call: nativeNodeCall(node.call, position) }];
  });
  if (voters.length < body.nodes.length) reportGap(position, "Some of its voters are not agents.");
  const votes = voters.map(
    ({ id }, index) => [inputVariable(`vote_${index + 1}`), [{ ref: "output", node: id } as const]] as const,
  );
  const { when: _, retry: __, ...rest } = base;
  const counting: ScriptNode = {
    ...rest,
    after: voters.map(({ id }) => id),
    trigger: "all_success",
    kind: "script",
    runtime: "node",
    source: { inline: [counter(needed[agree](voters.length))] },
    deps: [],
    env: Object.fromEntries(votes),
  };
  return [...voters, counting];
}

/** Long values are passed in files. */
const counter = (least: number): string => `const { readFileSync } = process.getBuiltinModule("node:fs");
const votes = new Map();
for (let number = 1; ; number++) {
  const name = "INPUTS_VOTE_" + number;
  const file = process.env[name + "_FILE"];
  const answer = process.env[name] ?? (file && readFileSync(file, "utf8"));
  if (answer === undefined) break;
  const text = answer.trim().replace(/\\s+/g, " ").toUpperCase();
  const vote = text.includes("FAIL") ? "FAIL" : text.includes("SUCCESS") ? "SUCCESS" : text;
  votes.set(vote, [...(votes.get(vote) ?? []), answer]);
}
const [most = []] = [...votes.values()].sort((one, other) => other.length - one.length);
if (most.length < ${least}) throw new Error("no consensus: " + most.length + " answers agree, ${least} must");
process.stdout.write(most[0]);
`;
