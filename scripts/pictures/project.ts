import { globSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const demo = "examples/demo";

/** The demo's project: its files, a loop in which a person reviews each iteration, and the agent's replies. */
export function projectFiles(): Readonly<Record<string, string>> {
  const paths = globSync(`${demo}/{*,*/*,.github/loops/*}`).filter((path) => statSync(path).isFile());
  const files = paths.map((path) => [relative(demo, path), readFileSync(path, "utf8")]);
  return {
    ...Object.fromEntries(files),
    ".github/loops/fix-with-me.yml": interactiveLoop,
    "together.yml": JSON.stringify({ replies: repliesTogether() }),
  };
}

const interactiveLoop = `name: fix-with-me
interactive: true
nodes:
  - id: fix
    loop:
      prompt: |
        Find out why tests fail, and fix the code under src/.
        The reviewer says: $LOOP_USER_INPUT
        The check said: $LOOP_CHECK_OUTPUT
      until_bash: npm test
      max_iterations: 8
      interactive: true
      gate_message: Is this the right way? Say what to do next.
      check: { baseline: true }
      protect: ["test/**", package.json]
`;

const session = z.object({
  replies: z.array(z.looseObject({ node: z.string(), iteration: z.int().optional() })),
});

/** The demo's iterations without the one in which the agent changes a test. */
function repliesTogether() {
  const { replies } = session.parse(parse(readFileSync(join(demo, "session.yml"), "utf8")));
  const rounds = replies.filter(({ node, iteration }) => node === "fix" && iteration !== 3);
  return rounds.map((reply, at) => ({ ...reply, iteration: at + 1, usage: usages[at] }));
}

const usages = [
  { input_tokens: 18_204, output_tokens: 2_210, cost_usd: 0.09 },
  { input_tokens: 21_730, output_tokens: 1_904, cost_usd: 0.1 },
  { input_tokens: 12_015, output_tokens: 870, cost_usd: 0.05 },
];
