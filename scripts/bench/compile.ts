import { agentNames } from "../../src/agents/index.ts";
import { compile, yaml } from "../../src/compile/compile.ts";
import type { Bench } from "./bench.ts";
import { median, ms, repeated, timed } from "./figures.ts";
import { wideGraph } from "./wide-graph.ts";

/** From the text of a large workflow to its plan, in a new process. */
export const compiling: Bench = {
  async rows(inChild) {
    const large = await repeated(7, () => inChild<CompileTimes>("once", 10_000));
    const small = await repeated(7, () => inChild<CompileTimes>("once", 200));
    const ours = median(large.map((it) => it.ours));
    const json = median(large.map((it) => it.json));
    const bytes = large[0]?.bytes ?? 0;
    const reference = `${ms(json)}, JSON.parse of the same`;
    const twoHundred = median(small.map((it) => it.ours));
    return [
      {
        what: `parse, check and plan 10,000 nodes (${Math.round(bytes / 1024)} KiB)`,
        figure: ms(ours),
        reference,
        ratio: ours / json,
        goal: "≤ 2 s",
        ok: ours <= 2000,
      },
      { what: "the same once compiled before", figure: ms(median(large.map((it) => it.again))) },
      { what: "the same of 200 nodes", figure: ms(twoHundred), goal: "≤ 40 ms", ok: twoHundred <= 40 },
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
