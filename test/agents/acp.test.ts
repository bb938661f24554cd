import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { acpAgent } from "../../src/agents/acp.ts";
import type { AgentRequest } from "../../src/ports/agent.ts";
import type { Act } from "./acp-agent.ts";
import { agentContext, ask, failure, keepsTheAgentContract } from "./agent.contract.ts";

const program = new URL("./acp-agent.ts", import.meta.url).pathname;
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const acts = (act: Act) =>
  acpAgent(`${quoted(process.execPath)} ${quoted(program)} ${quoted(JSON.stringify(act))}`);

keepsTheAgentContract("acp", {
  says: (text) =>
    text.length > 100_000
      ? acts({ says: "head", fills: text.length - 8 })
      : acts({ says: text, can: ["load"] }),
  sees(prompt, folder) {
    const file = join(folder, "prompt.txt");
    writeFileSync(file, prompt);
    return acts({ compares: file });
  },
  fallsSilent: (text) => acts({ ...(text === undefined ? {} : { says: text }), hangs: true }),
  runs: (script) => acts({ runs: script }),
  fails: () => acts({ fails: "crash" }),
});

const answered = (act: Act, request: Partial<AgentRequest> = {}) =>
  acts(act).answer(ask(request), agentContext());

describe("a program of the Agent Client Protocol", () => {
  test("gets the instructions and the prompt, and the loop's tools if it takes servers over HTTP", async () => {
    const request = { instructions: "Be brief.", prompt: "Go." };
    const told = async (can: Act["can"] & object) =>
      JSON.parse((await answered({ tells: true, can }, request)).text);
    expect(await told([])).toMatchObject({ prompt: "Be brief.\n\nGo.", servers: [] });
    expect((await told(["mcp"])).servers).toMatchObject([
      { type: "http", name: "until-green", url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/) },
    ]);
  });

  test("continues its conversation, and what it repeats of it is no answer", async () => {
    const answer = await answered({ says: "now", can: ["load"] }, { session: "s-1" });
    expect(answer).toMatchObject({ text: "now", session: "s-1" });
    expect(answer.notices).toBeUndefined();
  });

  test.each([
    ["that it does not know", "unknown", ["load" as const]],
    ["although it cannot", "s-1", []],
  ])("starts a new conversation, with a notice, instead of one %s", async (_, session, can) => {
    const answer = await answered({ says: "now", can }, { session });
    expect(answer.session).toMatch(/^s-\d+/);
    expect(answer.notices).toMatchObject([{ code: "SESSION_LOST" }]);
  });

  test("works with the model of the request, or says why not", async () => {
    const act: Act = { tells: true, can: ["models"] };
    expect(JSON.parse((await answered(act, { model: "big" })).text).model).toBe("big");
    const unknown = await failure(answered(act, { model: "huge" }));
    expect(unknown).toMatchObject({ fault: "missing", message: expect.stringContaining("no model huge") });
    const none = await failure(answered({ says: "ok" }, { model: "big" }));
    expect(none.message).toContain("does not let its client choose a model");
  });

  test.each<[Partial<AgentRequest>, Act["asks"] & string, string]>([
    [{}, "execute", "yes"],
    [{ role: "judge" }, "execute", "no"],
    [{ role: "judge" }, "read", "yes"],
    [{ tools: { only: ["Read", "Edit"] } }, "edit", "yes"],
    [{ tools: { not: ["Bash"] } }, "execute", "no"],
    [{ tools: { not: ["Bash"] } }, "other", "no"],
    [{ tools: { not: ["Bash"], advisory: true } }, "execute", "yes"],
  ])("%j: when it asks for a tool that can %s, the answer is %s", async (request, asks, said) => {
    expect((await answered({ asks }, request)).text).toBe(said);
  });

  test("is ended if it uses a tool that it may not use, without asking", async () => {
    const { fault, message } = await failure(answered({ uses: "edit", hangs: true }, { role: "judge" }));
    expect(fault).toBe("refused");
    expect(message).toContain("used Edit a.txt without asking, although its tools are limited");
  });

  test("reports its tools, and what it says before the last one is no answer", async () => {
    const tools: unknown[] = [];
    const agent = acts({ asks: "read", uses: "edit", says: "done" });
    const { text } = await agent.answer(ask(), agentContext({ onTool: (call) => tools.push(call) }));
    expect(tools).toEqual([{ name: "Edit a.txt", about: "a.txt" }]);
    expect(text).toBe("done");
  });

  test("reports its cost and its tokens", async () => {
    const { usage } = await answered({ says: "ok", costs: 0.25 });
    expect(usage).toEqual({ input_tokens: 7, output_tokens: 3, cost_usd: 0.25 });
  });

  test("gives a structured answer in its message", async () => {
    const { result } = await answered({ says: '{"done": true}' }, { schema: { type: "object" } });
    expect(result).toEqual({ done: true });
  });

  test.each<[Act, string, string]>([
    [{ fails: "login" }, "auth", "the agent is not logged in: log in first"],
    [{ fails: "exit" }, "crash", "cannot go on"],
    [{ says: "x", stops: "max_tokens" }, "context", "max_tokens"],
    [{ says: "x", stops: "refusal" }, "refused", "refusal"],
  ])("%j fails as %s", async (act, fault, said) => {
    const error = await failure(answered(act));
    expect(error.fault).toBe(fault);
    expect(error.message).toContain(said);
  });

  test("that is not installed is named", async () => {
    const error = await failure(acpAgent("no-such-program --acp").answer(ask(), agentContext()));
    expect(error).toMatchObject({ fault: "missing", message: expect.stringContaining("no-such-program") });
  });
});
