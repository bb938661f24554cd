import { agentNames } from "../../src/agents/index.ts";
import { compile, yaml } from "../../src/compile/compile.ts";
import { type Bench, row } from "./bench.ts";
import { median, ms, repeated, timed } from "./figures.ts";
import { wideGraph } from "./wide-graph.ts";

/** From the text of a large workflow to its plan, in a new process. */
export const compiling: Bench = {
  async rows(inChild) {
    const large = await repeated(7, () => inChild<CompileTimes>("once", 10_000));
    const small = await repeated(7, () => inChild<CompileTimes>("once", 200));
    const ours = median(large.map((it) => it.ours));
    const json = median(large.map((it) => it.json));
    const kib = Math.round((large[0]?.bytes ?? 0) / 1024);
    const ofSmall = median(small.map((it) => it.ours));
    return [
      row(`parse, check and plan 10,000 nodes (${kib} KiB)`, ms, {
        value: ours,
        than: [json, "JSON.parse of the same"],
        goal: ["≤ 2 s", ours <= 2000],
      }),
      row("the same once compiled before", ms, { value: median(large.map((it) => it.again)) }),
      row("the same of 200 nodes", ms, { value: ofSmall, goal: ["≤ 40 ms", ofSmall <= 40] }),
    ];
  },
  measurements: {
    async once(count): Promise<CompileTimes> {
      await yaml.load();
      const { workflow, text } = wideGraph(Number(count));
      const files = { agents: agentNames, command: () => undefined, workflow: () => undefined };
      const once = () => {
        if (!compile({ text, file: "wide.yml" }, files).ok) throw new Error("the graph has faults");
      };
      const ours = await timed(once);
      const again = await repeated(3, () => timed(once));
      const asJson = JSON.stringify(workflow);
      const json = await timed(() => JSON.parse(asJson));
      return { ours, again: median(again), json, bytes: Buffer.byteLength(text) };
    },
  },
};

interface CompileTimes {
  readonly ours: number;
  readonly again: number;
  readonly json: number;
  readonly bytes: number;
}
