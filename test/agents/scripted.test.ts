import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scriptedAgent } from "../../src/agents/scripted.ts";
import { AgentError, type AgentRequest } from "../../src/ports/agent.ts";
import { temporaryFolder } from "../workspace/playground.ts";
import { agentContext, ask, keepsTheAgentContract } from "./agent.contract.ts";

// every JSON text is YAML
const replying = (...replies: readonly object[]) => scriptedAgent({ text: JSON.stringify({ replies }) });

keepsTheAgentContract("scripted", {
  says: (say) => replying({ say, times: 0 }),
  sees: (contains) => replying({ contains, say: "seen" }),
  fallsSilent: (say) => replying({ hang: true, ...(say === undefined ? {} : { say }) }),
  runs: (run) => replying({ run, say: "done" }),
  fails: () => replying({ error: "auth" }),
});

describe("choosing a reply", () => {
  const agent = () =>
    replying(
      { node: "test", say: "node" },
      { iteration: 2, say: "iteration" },
      { role: "judge", say: "role" },
      { contains: "magic", say: "contains" },
      { node: "fix", iteration: 3, role: "worker", contains: "all", say: "all four" },
      { times: 0, say: "always" },
    );
  const cases: readonly (readonly [Partial<AgentRequest>, string])[] = [
    [{}, "always"],
    [{ node: "test" }, "node"],
    [{ iteration: 2 }, "iteration"],
    [{ iteration: undefined }, "always"],
    [{ role: "judge" }, "role"],
    [{ prompt: "some magic words" }, "contains"],
    [{ iteration: 3, prompt: "all" }, "all four"],
    [{ iteration: 3, prompt: "not it" }, "always"],
    [{ node: "test", iteration: 2 }, "node"],
  ];
  test.each(cases)("%o is answered: %s", async (request, text) => {
    expect((await agent().answer(ask(request), agentContext())).text).toBe(text);
  });

  test("a reply serves once, or as often as it says, and the next one follows", async () => {
    const one = replying({ say: "a" }, { say: "b", times: 2 }, { say: "c", times: 0 });
    const received: (string | undefined)[][] = [];
    for (let call = 0; call < 5; call += 1) {
      const { text, tag } = await one.answer(ask(), agentContext());
      received.push([text, tag]);
    }
    expect(received).toEqual([
      ["a", "reply-1"],
      ["b", "reply-2"],
      ["b", "reply-2"],
      ["c", "reply-3"],
      ["c", "reply-3"],
    ]);
  });

  test("recorded uses from before a resume count", async () => {
    const one = replying({ say: "a" }, { say: "b", times: 2 }, { say: "c" });
    const tags = new Map([
      ["reply-1", 1],
      ["reply-2", 1],
    ]);
    expect((await one.answer(ask(), agentContext({ tags }))).text).toBe("b");
    expect((await one.answer(ask(), agentContext({ tags }))).text).toBe("c");
  });

  test("a failure uses its reply up too, and bears its tag", async () => {
    const one = replying({ error: "rate-limit", usage: { input_tokens: 3 } }, { say: "then" });
    await expect(one.answer(ask(), agentContext())).rejects.toMatchObject({
      fault: "rate-limit",
      tag: "reply-1",
      usage: { input_tokens: 3, output_tokens: 0, cost_usd: 0 },
    });
    expect((await one.answer(ask(), agentContext())).text).toBe("then");
  });

  test("an answer that was aborted is still to be had", async () => {
    const one = replying({ say: "late", wait_ms: 100 });
    const stop = new AbortController();
    const asked = one.answer(ask(), agentContext({ signal: stop.signal }));
    stop.abort(new Error("stop"));
    await expect(asked).rejects.toThrow("stop");
    expect((await one.answer(ask(), agentContext())).text).toBe("late");
  });

  test("what fits nothing is answered by `otherwise`, without a tag", async () => {
    const one = scriptedAgent({ text: "replies: [{node: other, say: no}]\notherwise: {say: ok}" });
    const answer = await one.answer(ask(), agentContext());
    expect([answer.text, answer.tag]).toEqual(["ok", undefined]);
  });

  test("what fits nothing fails as unmatched, naming node, iteration, role and prompt", async () => {
    const asked = replying({ node: "other" }).answer(ask({ iteration: 4, role: "judge" }), agentContext());
    await expect(asked).rejects.toMatchObject({
      fault: "unmatched",
      message:
        'no reply of the scripted agent fits fix, iteration 4 (role judge); its prompt starts: "Fix the tests."',
    });
  });
});

describe("a reply", () => {
  test("gives result, messages and usage, and says the result where it says nothing else", async () => {
    const sent = [{ to: "coordinator", text: "STAGE_1" }];
    const one = replying({ result: { done: true }, send: sent, usage: { cost_usd: 0.5 } });
    expect(await one.answer(ask({ session: "s" }), agentContext())).toEqual({
      text: '{"done":true}',
      result: { done: true },
      session: "s",
      sent,
      usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0.5 },
      tag: "reply-1",
    });
  });

  test("writes and deletes files, then runs its command", async () => {
    const context = agentContext({ env: { UNTIL_GREEN_RUN: "run-0007" } });
    writeFileSync(join(context.workspace, "old.txt"), "old");
    const run = 'cat src/a.js > copy.txt; echo "$UNTIL_GREEN_RUN" >> copy.txt; ls >> copy.txt';
    await replying({ write: { "src/a.js": "a\n" }, delete: ["old.txt", "gone.txt"], run }).answer(
      ask(),
      context,
    );
    expect(readFileSync(join(context.workspace, "copy.txt"), "utf8")).toBe("a\nrun-0007\ncopy.txt\nsrc\n");
  });

  test.each([
    { write: { "../out.txt": "x" } },
    { write: { "/tmp/until-green-out.txt": "x" } },
    { write: { "link/out.txt": "x" } },
    { write: { "file-link": "x" } },
    { delete: ["../victim.txt"] },
    { delete: ["link/victim.txt"] },
    { delete: ["."] },
  ])("that leaves the workspace is an error: %o", async (reply) => {
    const context = agentContext();
    const outside = join(context.workspace, "..");
    writeFileSync(join(outside, "victim.txt"), "alive");
    symlinkSync(outside, join(context.workspace, "link"));
    symlinkSync(join(outside, "victim.txt"), join(context.workspace, "file-link"));
    await expect(replying(reply).answer(ask(), context)).rejects.toMatchObject({
      fault: "crash",
      tag: "reply-1",
    });
    expect(readFileSync(join(outside, "victim.txt"), "utf8")).toBe("alive");
    expect(existsSync(join(outside, "out.txt"))).toBe(false);
  });

  test("deletes a link, not what it names", async () => {
    const context = agentContext();
    mkdirSync(join(context.workspace, "../kept"));
    symlinkSync("../kept", join(context.workspace, "link"));
    await replying({ delete: ["link"] }).answer(ask(), context);
    expect(existsSync(join(context.workspace, "link"))).toBe(false);
    expect(existsSync(join(context.workspace, "../kept"))).toBe(true);
  });

  test("whose command fails is a crash that names command, exit code and last line", async () => {
    const asked = replying({ run: "echo first; echo last >&2; exit 3" }).answer(ask(), agentContext());
    await expect(asked).rejects.toThrow(/`echo first; .*` ended with 3: last/);
  });

  test.each(["rate-limit", "overloaded", "network", "auth", "credit", "crash", "empty"])(
    "can fail as %s",
    async (error) => {
      await expect(replying({ error }).answer(ask(), agentContext())).rejects.toMatchObject({
        fault: error,
        tag: "reply-1",
      });
    },
  );

  test.each([
    [{ idleMs: 30 }, "idle"],
    [{ timeoutMs: 30 }, "timeout"],
  ])("that comes later than %o fails as %s", async (request, fault) => {
    await expect(
      replying({ say: "x", wait_ms: 60_000 }).answer(ask(request), agentContext()),
    ).rejects.toMatchObject({
      fault,
    });
  });

  test("whose command takes longer than the agent may fails as timeout", async () => {
    const asked = replying({ run: "echo on; sleep 60" }).answer(ask({ timeoutMs: 200 }), agentContext());
    await expect(asked).rejects.toMatchObject({ fault: "timeout" });
  });
});

describe("the file of replies", () => {
  test("is read by name", async () => {
    const file = join(temporaryFolder(), "replies.yml");
    writeFileSync(file, "replies:\n  - say: from a file\n");
    expect((await scriptedAgent({ file }).answer(ask(), agentContext())).text).toBe("from a file");
  });

  test.each([
    ["replies:\n  - sya: typo\n", /replies\.yml is not a valid script .* replies\[1\]: .*sya/],
    ["replies:\n  - say: 3\n", /replies\[1\]\.say: /],
    ["otherwise: { node: x }\n", /otherwise: .*node/],
    ["replies: [", /replies\.yml is not valid YAML: /],
    ["just text", /replies\.yml is not a valid script/],
  ])("with an error is refused by name before any call: %j", (text, message) => {
    const file = join(temporaryFolder(), "replies.yml");
    writeFileSync(file, text);
    const open = () => scriptedAgent({ file });
    expect(open).toThrow(AgentError);
    expect(open).toThrow(message);
  });

  test("that is not there is missing", () => {
    const file = join(temporaryFolder(), "none.yml");
    expect(() => scriptedAgent({ file })).toThrow(
      new AgentError("missing", `the scripted agent's file ${file} does not exist: name a file of replies`),
    );
  });
});
