import { describe, expect, test } from "vitest";
import { type Props, type Stage, stage } from "../parts/stage.ts";

/** A run of a loop, and the blocks of data that its judge was shown, by iteration. */
async function judged(loop: string, props: Props = {}) {
  const it: Stage = stage(
    `name: t\nnodes: [{ id: fix, loop: { max_iterations: 2, until_agent: claude, ${loop} } }]\n`,
    {
      agent: ({ role, node, iteration }) =>
        role === "judge" ? '{"done": false, "reason": "too long"}' : `${node} ${iteration}`,
      ...props,
    } as Props,
  );
  await it.begin();
  const prompts = it.prompts.filter(({ role }) => role === "judge").map(({ prompt }) => prompt);
  const blocks = prompts.map((prompt) => /^<(\w+)>\n[\s\S]*^<\/\w+>$/m.exec(prompt)?.[0]);
  return { it, blocks };
}

const body = `nodes: [
    { id: write, prompt: write }, { id: skipped, bash: x, when: "1 == 2" }, { id: test, prompt: test, depends_on: [write] }]`;
const said = '### The judge\n{"done": false, "reason": "too long"}';

describe("a judge that sees the whole history", () => {
  test("is shown each output under a heading, and what it said of earlier ones", async () => {
    const { blocks } = await judged("judge_sees: all, prompt: go");
    expect(blocks).toEqual([
      "<output>\n## Iteration 1\n\nfix 1\n</output>",
      `<output>\n## Iteration 1\n\nfix 1\n\n${said}\n\n## Iteration 2\n\nfix 2\n</output>`,
    ]);
  });

  test("is shown the body's output, but each of its nodes if the loop gives a transcript", async () => {
    const outputs = await judged(`judge_sees: all, ${body}`);
    expect(outputs.blocks[0]).toBe("<output>\n## Iteration 1\n\ntest 1\n</output>");
    const nodes = await judged(`judge_sees: all, output: transcript, ${body}`);
    expect(nodes.blocks[0]).toBe(
      "<output>\n## Iteration 1\n\n### write\nwrite 1\n\n### test\ntest 1\n</output>",
    );
  });

  test("is shown iterations of a loop whose check comes first", async () => {
    const { blocks } = await judged("judge_sees: all, until_bash: npm test, until_mode: all, prompt: go");
    expect(blocks[1]).toContain("## Iteration 1\n\nfix 1\n\n### The judge");
  });

  test("is shown the ends of long iterations, so that all of them have room", async () => {
    const { blocks } = await judged("judge_sees: all, prompt: go", {
      agent: ({ role, iteration }) => (role === "judge" ? '{"done": false}' : `${iteration}`.repeat(80_000)),
    });
    expect(blocks[1]?.length).toBeLessThan(103_000);
    expect(blocks[1]).toMatch(/## Iteration 1\n\n1{40000,}[\s\S]*## Iteration 2\n\n2{40000,}/);
  });
});

describe("a transcript", () => {
  const end = "on_max: succeed, output: transcript";

  test("has each node's output that completed, and what the judge said", async () => {
    const { it } = await judged(`${end}, ${body}`);
    const iteration = (number: number) =>
      `## Iteration ${number}\n\n### write\nwrite ${number}\n\n### test\ntest ${number}\n\n${said}`;
    expect(it.end()?.output).toBe(`${iteration(1)}\n\n${iteration(2)}`);
  });

  test("of a loop without nodes has its outputs", async () => {
    const { it } = await judged(`${end}, prompt: go`);
    expect(it.end()?.output).toBe(`## Iteration 1\n\nfix 1\n\n${said}\n\n## Iteration 2\n\nfix 2\n\n${said}`);
  });
});

describe("the goal that a judge is shown", () => {
  const workspace: NonNullable<Props["workspace"]> = ({ op }) =>
    op === "snapshot" ? { commit: "c", tree: "t" } : {};
  const goal = async (loop: string, message: string) => {
    const { blocks } = await judged(`until_bash: npm test, until_mode: all, ${loop}`, {
      ...{ workspace, facts: { message } },
    });
    return blocks[0]?.split("</goal>")[0];
  };

  test("is the run's message and the loop's prompt, without what its references hold", async () => {
    expect(await goal('prompt: "fix $LOOP_ITERATION now"', "Do it.")).toBe("<goal>\nDo it.\n\nfix … now\n");
    expect(await goal("prompt: fix it", " \n")).toBe("<goal>\nfix it\n");
  });

  test("is the message alone if several nodes do the work, and missing without one", async () => {
    expect(await goal(body, "Do it.")).toBe("<goal>\nDo it.\n");
    expect(await goal(body, " ")).not.toContain("<goal>");
  });
});
