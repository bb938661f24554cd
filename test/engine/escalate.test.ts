import { describe, expect, test } from "vitest";
import { type Props, planOf, stage } from "../parts/stage.ts";

const looping = (escalate: string, more = "model: haiku") => `name: t
nodes:
  - id: fix
    ${more}
    loop: { prompt: go, until_bash: npm test, max_iterations: 4, escalate: ${escalate} }
`;
/** Each iteration changes something, and the check fails alike: from the second one on, the failure repeats. */
const stuck = (): Props => {
  let trees = 0;
  return {
    shell: () => ({ exitCode: 1, tail: "1 failing" }),
    workspace: () => ({ commit: "c", tree: `t${++trees}` }),
  };
};
const modelsOf = (it: ReturnType<typeof stage>) => it.prompts.map(({ model }) => model);

describe("a loop without progress", () => {
  test("continues with the stronger model, in the same conversation, with one notice", async () => {
    const it = stage(looping("{ model: opus }"), stuck());
    await it.begin();
    expect(modelsOf(it)).toEqual(["haiku", "haiku", "haiku", "opus"]);
    expect(new Set(it.prompts.slice(1).map(({ session }) => session)).size).toBe(1);
    expect(it.of("notice").filter(({ code }) => code === "ESCALATED")).toMatchObject([
      { path: "/fix#4", message: "2 iterations made no progress: from here on opus works on fix" },
    ]);
  });

  test("continues with another agent, which starts a new conversation", async () => {
    const it = stage(looping("{ after: 1, agent: codex }", "agent: claude"), stuck());
    await it.begin();
    expect(it.prompts.map(({ agent }) => agent)).toEqual(["claude", "claude", "codex", "codex"]);
    expect(it.prompts[2]?.session).toBeUndefined();
    expect(it.prompts[3]?.session).toBe("session-3");
    const both = stage(looping("{ after: 1, agent: codex, model: o3 }", "agent: claude"), stuck());
    await both.begin();
    expect(both.of("notice").find(({ code }) => code === "ESCALATED")?.message).toBe(
      "1 iterations made no progress: from here on codex · o3 works on fix",
    );
  });

  test("keeps the agent, but not the model, that the run was started with", async () => {
    const facts = { agent: "gemini", model: "flash" };
    const model = stage(looping("{ after: 1, model: pro }"), { ...stuck(), facts });
    await model.begin();
    expect(modelsOf(model)).toEqual(["flash", "flash", "pro", "pro"]);
    const agent = stage(looping("{ after: 1, agent: codex, model: pro }"), { ...stuck(), facts });
    await agent.begin();
    expect(modelsOf(agent)).toEqual(["flash", "flash", "flash", "flash"]);
  });

  test("begins with the stronger one if as many runs of the goal have failed in a row", async () => {
    const series = { goal: "g", file: "f", notes: "", history: "", conflicts: [], failures: 2 };
    const it = stage(looping("{ model: opus }"), { ...stuck(), facts: { series } });
    await it.begin();
    expect(modelsOf(it)).toEqual(["opus", "opus", "opus", "opus"]);
    expect(it.of("notice").find(({ code }) => code === "ESCALATED")?.message).toContain(
      "2 runs in a row have failed",
    );
  });

  test("does so after a replay alike", async () => {
    const it = stage(looping("{ model: opus }"), stuck());
    await it.begin();
    const log = await it.store.read("test-run");
    const cut = log.findIndex((line) => line.includes('"path":"/fix#4"'));
    const again = stage(looping("{ model: opus }"), { ...stuck(), log: log.slice(0, cut) });
    await again.resume();
    expect(modelsOf(again)).toEqual(["opus"]);
  });
});

test.each([
  ["{ after: 2 }", "`escalate` needs an `agent`, a `model`, or both."],
  ["{ agent: claud }", "There is no agent `claud`."],
  ["{ after: 0, model: opus }", "after"],
])("the escalation %s is refused", (escalate, why) => {
  expect(() => planOf(looping(escalate))).toThrow(why);
});
